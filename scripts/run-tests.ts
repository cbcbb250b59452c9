/**
 * The test run: databases to copy, one throw-away PostgreSQL (unless DATABASE_URL names a server), tap.
 *
 * Tests find in their environment: `PGLITE_TEMPLATE`, a folder to copy instead of creating a database (0.1 s instead of
 * 2 s), and `PGLITE_FIXTURES`, one with the fixtures; `DATABASE_URL`, a server on which they create databases of their
 * own, and `POSTGRES_FIXTURES`, one to copy there; `PG_BIN`, for the tests that start servers. Node keeps what
 * it compiles in `NODE_COMPILE_CACHE`, since each file is a process that loads the same modules.
 *
 * With `--coverage` (`npm run coverage`) tap measures coverage and reports it, which takes half as long again.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findPostgres, startPostgres, type PostgresServer } from './postgres.ts'
import { countAssertions, isNews, needsBuild, startTap, type TapRun } from './tap.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fastify-crud-kit-test-'))
const env: NodeJS.ProcessEnv = { ...process.env }
let server: PostgresServer | undefined
let tap: TapRun | undefined

let stoppedBy: number | undefined

// tap first: what it runs uses the server. Then the run ends as it always does, cleaning up
for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) {
  process.on(signal, () => {
    stoppedBy ??= status
    tap?.process.kill('SIGTERM')
  })
}

async function cleanUp () {
  await server?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}

async function prepare () {
  const { preparePglite, preparePostgres } = await import('../test/helpers/prepared-databases.ts')
  await Promise.all([
    preparePglite(folder).then((found) => Object.assign(env, found)),
    provideServer().then(async () => {
      // on a server of somebody else there are no databases to copy: it may not know how to, and would keep them
      if (server) Object.assign(env, await preparePostgres(server.url))
    }),
  ])
}

async function provideServer () {
  if (env.DATABASE_URL) return
  if (await findPostgres()) {
    // a session's time zone must not show in any answer: this one has a quarter of an hour in it
    server = await startPostgres({ settings: { timezone: 'Asia/Kathmandu' } })
    env.DATABASE_URL = server.url
    env.PG_BIN = server.bin
  } else if (env.CI) {
    throw new Error('no PostgreSQL: its binaries are not installed, and DATABASE_URL is not set')
  } else {
    console.error('# no PostgreSQL binaries found: only PGlite is tested')
  }
}

/** Runs tap with `args` and returns the exit status. */
async function run (args: readonly string[]): Promise<number> {
  const files = args.filter((arg) => arg !== '--coverage')
  const coverage = files.length < args.length
  // what is compiled lazily from the cache is not counted as exactly
  if (!coverage) env.NODE_COMPILE_CACHE = path.join(folder, 'compiled')
  const options = coverage ? files : ['--disable-coverage', ...files]
  await prepare()
  if (needsBuild() && !stoppedBy) {
    tap = startTap(['build'], env)
    const status = await tap.done
    if (status !== 0) return status
  }
  if (stoppedBy) return stoppedBy
  const [status, text] = await (process.stdout.isTTY ? runOnTerminal(options) : runInPipe(options))
  const { passed, failed, skipped } = countAssertions(text)
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
  return status
}

/** tap draws its own report. */
async function runOnTerminal (args: readonly string[]): Promise<[status: number, text: string]> {
  const output = path.join(folder, 'output.tap')
  tap = startTap([`--output-file=${output}`, ...args], env)
  const status = await tap.done
  return [status, fs.existsSync(output) ? fs.readFileSync(output, 'utf8') : '']
}

/** A line for each file, and all there is to say about failures. */
async function runInPipe (args: readonly string[]): Promise<[status: number, text: string]> {
  let summary = ''
  tap = startTap(['--reporter=tap', ...args], env, (line) => {
    if (isNews(line)) console.log(line)
    if (line.startsWith('# {')) summary = line
  })
  return [await tap.done, summary]
}

/** tap takes files and globs: a folder means the tests below it. */
function expandFolder (arg: string): string[] {
  return fs.statSync(arg, { throwIfNoEntry: false })?.isDirectory() ? fs.globSync(`${arg}/**/*.test.ts`) : [arg]
}

let status = 1
try {
  status = await run(process.argv.slice(2).flatMap(expandFolder))
} finally {
  await cleanUp()
}
process.exit(stoppedBy ?? status)
