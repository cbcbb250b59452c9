/** The programs of the documentation have no type errors in the project of a newcomer. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { readDocument } from './helpers/document.ts'
import { filesOf } from './helpers/pages.ts'
import { stepsOf } from './helpers/tutorial.ts'
import { checkTypes, fromSources } from './helpers/type-check.ts'

// a type checker on a busy machine
t.setTimeout(600_000)

const root = path.resolve(import.meta.dirname, '..')

/** The tsconfig.json of docs/start/getting-started.md. */
const { compilerOptions } = JSON.parse(readDocument('docs/start/getting-started.md').block('json tsconfig.json')) as {
  readonly compilerOptions: object,
}
const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, root)

/** Files that import what is not here: what `pull` writes, generated types, and packages of the reader's choice. */
const SKIPPED: readonly string[] = [
  'docs/start/command-line.md server.ts', 'docs/front-ends/openapi.md client.ts',
  'docs/operating/operations.md tracing.ts',
]

const TUTORIAL = 'docs/start/help-desk.md'
const pages = ['README.md', 'website/home.md', ...fs.globSync('docs/**/*.md', { cwd: root }).sort()]

t.test('the options of the page are those of TypeScript', async (t) => {
  t.strictSame(errors, [])
})

t.test('programs', async (t) => {
  // the folder of a page, two below the root of the repository
  const folderOf = (page: string) => page.replaceAll(/\W/g, '-')
  const files = pages
    .map((page) => ({ page, text: readDocument(page) }))
    // only one page can declare the claims of its tokens: the tutorial of access rules
    .filter(({ text }) => !text.program.includes('declare module') && !text.text.includes('declare module'))
    .map(({ page, text: { blocks } }) => ({ page, files: filesOf(blocks) }))
    .concat({ page: TUTORIAL, files: new Map(stepsOf(TUTORIAL).at(-1)!.files) })
    .flatMap(({ page, files }) =>
      [...files].map(([name, code]) => ({ page, name, file: `${folderOf(page)}/${name}`, code }))
    )
    .filter(({ page, name }) => !SKIPPED.includes(`${page} ${name}`))
  t.ok(files.length > 25)
  const { errorsOf } = checkTypes(path.join(root, 'test'),
    Object.fromEntries(files.map(({ file, code }) => [file, `${fromSources(code)}\nexport {}\n`])), options)
  for (const { file, page, name } of files) t.strictSame(errorsOf(file), [], `${page}: ${name}`)
})
