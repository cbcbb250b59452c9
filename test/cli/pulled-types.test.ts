/** The files that `pull` writes are the same on both databases, and have no type errors in a strict project. */
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { readDatabase } from '../../src/cli/pull/read-database.ts'
import { filesFor } from '../../src/cli/pull/pull.ts'
import { IdempotencyRecord } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { readDocument } from '../helpers/document.ts'
import { PUBLISHED } from '../helpers/published.ts'
import { checkTypes, fromSources } from '../helpers/type-check.ts'

// a type checker on a busy machine
t.setTimeout(600_000)

const root = path.resolve(import.meta.dirname, '../..')
const { compilerOptions } = JSON.parse(readDocument('docs/start/getting-started.md').block('json tsconfig.json')) as {
  readonly compilerOptions: object,
}
const { options } = ts.convertCompilerOptionsFromJson({
  ...compilerOptions, noUncheckedIndexedAccess: true, noUnusedLocals: true, exactOptionalPropertyTypes: true,
}, root)

let written: string | undefined

forEachDatabase(t, { entities: [IdempotencyRecord], tables: PUBLISHED }, async (t, { name, orm }) => {
  const all = { schemas: [], take: [] }
  const facts = await orm.em.fork().transactional(async (em) => await readDatabase(em, all))
  const { files, notes } = filesFor(facts, all)
  // a server before PostgreSQL 18 has no virtual columns
  const comparable = JSON.stringify({ files, notes }).replaceAll(") virtual'", ") stored'")
  written ??= comparable
  t.equal(comparable, written, 'the files of the other database')
  if (name === 'pglite') return
  const app = readDocument('docs/start/command-line.md').block('ts server.ts')
  const named = { 'app.ts': app, ...Object.fromEntries(files.map(({ path, text }) => [path, text])) }
  const texts = Object.entries(named).map(([name, text]) =>
    [name, fromSources(text).replaceAll('../../src/', `${name.includes('/') ? '../' : ''}../../src/`)] as const
  )
  const { errorsOf } = checkTypes(path.join(root, 'test/pulled'), Object.fromEntries(texts), options)
  for (const [name] of texts) t.strictSame(errorsOf(name), [], name)
})
