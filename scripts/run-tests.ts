/**
 * Runs tap in the environment of tests (test-environment.ts). Node stores compiled code in `NODE_COMPILE_CACHE`,
 * because each test file is a process that loads the same modules.
 *
 * Without files it runs all tests but the slow ones (slow-tests.ts), with `--slow` only those.
 * With `--coverage` (`npm run coverage`) tap measures and reports coverage, which takes half as long again.
 */
import fs from 'node:fs'
import path from 'node:path'
import { SLOW } from './slow-tests.ts'
import { countAssertions, isNews, needsBuild, startTap, type TapRun } from './tap.ts'
import { newTestEnvironment } from './test-environment.ts'
import { groupFiles, groupSlowFiles } from './test-groups.ts'

const { folder, env, prepare, cleanUp } = newTestEnvironment()
/** Where the programs of groups are: in the project, because tap stores the output of a test by its relative path. */
const programs = path.join('.tap', 'groups', path.basename(folder))
let tap: TapRun | undefined

let stoppedBy: number | undefined

// stops tap first, because its tests use the server; then the run ends as usual and cleans up
for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) {
  process.on(signal, () => {
    stoppedBy ??= status
    tap?.process.kill('SIGTERM')
  })
}

/**
 * Lets tap ignore the files that a process loads, which it needs for coverage only. For each file, it would read the
 * file again and look for source maps, which is half of the start of a program that a test runs. tap sets its variable
 * for each process, so that a process must set it again.
 */
const NO_FILES = '--import=data:text/javascript,process.env._TAPJS_PROCESSINFO_EXCLUDE_=String(/./)'

/** Runs tap with `args` and returns its exit status. */
async function run (args: readonly string[]): Promise<number> {
  const files = args.filter((arg) => arg !== '--coverage')
  const coverage = files.length < args.length
  // code from the cache is compiled lazily, which makes coverage less exact
  if (!coverage) {
    env.NODE_COMPILE_CACHE = path.join(folder, 'compiled')
    env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ''} ${NO_FILES}`
  }
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

/** Lets tap draw its own report. */
async function runOnTerminal (args: readonly string[]): Promise<[status: number, text: string]> {
  const output = path.join(folder, 'output.tap')
  tap = startTap([`--output-file=${output}`, ...args], env)
  const status = await tap.done
  return [status, fs.existsSync(output) ? fs.readFileSync(output, 'utf8') : '']
}

/** Prints a line for each file, and the details of failures. */
async function runInPipe (args: readonly string[]): Promise<[status: number, text: string]> {
  let summary = ''
  tap = startTap(['--reporter=tap', ...args], env, (line) => {
    if (isNews(line)) console.log(line)
    if (line.startsWith('# {')) summary = line
  })
  return [await tap.done, summary]
}

/** Expands folders to the tests in them, of which some share a process. A file that is named runs alone. */
function expandFolders (args: readonly string[]): string[] {
  const isFolder = (arg: string) => fs.statSync(arg, { throwIfNoEntry: false })?.isDirectory() ?? false
  const inFolders = args.filter(isFolder).flatMap((arg) => fs.globSync(`${path.normalize(arg)}/**/*.test.ts`).sort())
  return [...args.filter((arg) => !isFolder(arg)), ...groupFiles(inFolders, programs)]
}

const SWITCHES: readonly string[] = ['--slow', '--coverage']

/** Adds the files that are meant if the command line names none. */
function withFiles (args: readonly string[]): string[] {
  const rest = args.filter((arg) => arg !== '--slow')
  if (args.includes('--slow')) return [...rest, ...groupSlowFiles(programs)]
  if (args.some((arg) => !SWITCHES.includes(arg))) return expandFolders(rest)
  const files = fs.globSync('test/**/*.test.ts').filter((file) => !SLOW.includes(file)).sort()
  return [...rest, ...groupFiles(files, programs)]
}

let status = 1
try {
  status = await run(withFiles(process.argv.slice(2)))
} finally {
  fs.rmSync(programs, { recursive: true, force: true })
  await cleanUp()
}
process.exit(stoppedBy ?? status)
