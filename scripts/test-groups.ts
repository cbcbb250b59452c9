/**
 * Test files that run in one process, one after the other. A process takes a second to load the packages and to compile
 * PGlite, which is half of the time of most files.
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { SLOW, SLOW_GROUPS } from './slow-tests.ts'

/** Folders of tests that leave nothing behind in their process. Others put a DOM in it, or measure or stop it. */
const SHARING: readonly string[] = [
  'access', 'answer', 'borrowed', 'citus', 'client', 'conditions', 'config', 'entities', 'explorer', 'http', 'model',
  'operators', 'plan', 'query', 'read', 'resource', 'run', 'schema', 'scripts', 'security', 'sql', 'structure', 'write',
].map((name) => path.join('test', name) + path.sep)

/** Tests of these folders that need a process to themselves: they put a DOM in it, or change its environment. */
const ALONE: readonly string[] = [
  'test/explorer/children.test.ts', 'test/explorer/many.test.ts', 'test/explorer/names.test.ts',
  'test/explorer/questions.test.ts', 'test/scripts/fuzz.test.ts',
  'test/structure/property-seeds.test.ts',
]

/**
 * Files that share a process with each other only: those of each list begin with one of its texts. The first ones put
 * the same DOM in their process, and the others are beside files that need a process to themselves, or that are slow.
 */
const TOGETHER: ReadonlyArray<readonly string[]> = [
  ['test/admin/'],
  ['test/cli/check', 'test/cli/command-line', 'test/cli/pull.', 'test/cli/pull-', 'test/cli/terminal'],
  ['test/database/database-factory', 'test/database/pg', 'test/database/statement-timeout'],
  ['test/example/app', 'test/example/distributed', 'test/example/migrations'],
  [
    'test/base/', 'test/database/backoff', 'test/database/database-url', 'test/database/login',
    'test/database/sync-answers', 'test/database/sync-sessions', 'test/database/transaction-nesting',
    'test/database/transactions', 'test/errors', 'test/limits', 'test/option-defaults', 'test/options',
    'test/query-language', 'test/readme', 'test/suggest',
  ],
].map((starts) => starts.map(path.normalize))

/** Enough to save most of the time, and few enough that all processors are busy until the end. */
const FILES_OF_A_GROUP = 24

/**
 * Replaces files that can share a process by programs, which run some of them each.
 *
 * @param folder where the programs are written
 */
export function groupFiles (files: readonly string[], folder: string): string[] {
  const canShare = (file: string) =>
    ![...SLOW, ...ALONE].includes(file) && SHARING.some((start) => file.startsWith(start))
  const groups = TOGETHER.map((starts) => files.filter((file) => starts.some((start) => file.startsWith(start))))
  const sharing = files.filter(canShare)
  fs.mkdirSync(folder, { recursive: true })
  for (let i = 0; i < sharing.length; i += FILES_OF_A_GROUP) groups.push(sharing.slice(i, i + FILES_OF_A_GROUP))
  const programs = groups.filter(({ length }) => length > 0).map((group) =>
    writeProgram(path.join(folder, `${nameOf(group[0]!)}-to-${nameOf(group.at(-1)!)}.test.mjs`), group)
  )
  const grouped = new Set(groups.flat())
  return [...programs, ...files.filter((file) => !grouped.has(file))]
}

/** The same for the slow tests, in the order of their list. */
export function groupSlowFiles (folder: string): string[] {
  fs.mkdirSync(folder, { recursive: true })
  return SLOW_GROUPS.map((group, index) => {
    // tap sorts programs by their names
    const place = String(index + 1).padStart(2, '0')
    return writeProgram(path.join(folder, `${place}-${nameOf(group[0]!)}.test.mjs`), group)
  })
}

/** `http-writes-create` of test/http/writes/create.test.ts. */
const nameOf = (file: string): string => file.split(path.sep).slice(1).join('-').replace('.test.ts', '')

function writeProgram (program: string, names: readonly string[]): string {
  const files = names.map((name) => ({ name, url: pathToFileURL(path.resolve(name)).href }))
  const runner = new URL('./run-in-turn.ts', import.meta.url).href
  fs.writeFileSync(program, `import { runInTurn } from '${runner}'\nawait runInTurn(${JSON.stringify(files)})\n`)
  return program
}
