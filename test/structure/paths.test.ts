/** Files that documents and comments name exist. A wrong path is the first sign of outdated text. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { pathsInComments, pathsInPage, type NamedPath } from './named-paths.ts'

const root = path.join(import.meta.dirname, '../..')
const list = (...patterns: string[]): string[] =>
  fs.globSync(patterns, { cwd: root, exclude: (name) => name === 'node_modules' }).sort()
const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8')

/** Files of the reader's application, which documents and their tests mention. */
const READERS = new Set(['app.ts'])

/** Paths that exist neither in the repository nor in the folder of the file that names them. */
function missing (file: string, named: readonly NamedPath[]): string[] {
  return named
    .filter(({ path: name }) =>
      !READERS.has(name) &&
      ![root, path.join(root, path.dirname(file))].some((at) => fs.existsSync(path.join(at, name)))
    )
    .map(({ path, line }) => `${file}:${line} names ${path}`)
}

t.test('paths in documents exist', async (t) => {
  // the changelog names files as they were
  const pages = list('*.md', 'docs/**/*.md', 'bench/*.md').filter((page) => page !== 'CHANGELOG.md')
  t.ok(pages.includes('README.md') && pages.includes('docs/architecture.md'))
  const named = pages.map((page) => [page, pathsInPage(read(page))] as const)
  t.ok(named.flatMap(([, paths]) => paths).length > 50, 'paths are found')
  t.strictSame(named.flatMap(([page, paths]) => missing(page, paths)), [])
})

t.test('the page of decisions lists every record by its title', async (t) => {
  const listed = [...read('docs/decisions/README.md').matchAll(/^\d+\. \[(.+)\]\((.+)\)$/gm)].map((
    [, title, file]
  ) => [file, title])
  const records = list('docs/decisions/*.md').map((file) => path.basename(file)).filter((file) => file !== 'README.md')
  t.strictSame(listed.sort(),
    records.map((file) => [file, /^# (.+)$/m.exec(read(`docs/decisions/${file}`))?.[1]]).sort())
})

t.test('in comments', async (t) => {
  const files = list('{src,plugins,test,example,scripts,bench}/**/*.{ts,mjs}')
  t.ok(files.includes('src/index.ts') && files.includes('bench/run.ts'))
  const named = files.map((file) => [file, pathsInComments(read(file))] as const)
  t.ok(named.flatMap(([, paths]) => paths).length > 20, 'paths are found')
  t.strictSame(named.flatMap(([file, paths]) => missing(file, paths)), [])
})

t.test('paths are recognised', async (t) => {
  t.strictSame(
    pathsInPage('`src/a.ts` and [b](b.md#x), https://x.org/src/c.ts, pg/src/d.ts\n```ts\n// src/e.ts\n```\nsrc/plan/.'),
    [{ path: 'b.md', line: 1 }, { path: 'src/a.ts', line: 1 }, { path: 'src/plan/', line: 5 }]
  )
  t.strictSame(
    pathsInComments(
      "const a = 'x.ts' // see key.ts\n/**\n * test/plan/key.test.ts, a.ts, *.test.ts\n */\nf(`// y.ts`)"
    ),
    [{ path: 'key.ts', line: 1 }, { path: 'test/plan/key.test.ts', line: 3 }]
  )
})
