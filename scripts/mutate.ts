/**
 * `npm run mutate`: makes small mistakes in a copy of the source, one at a time, and reports whether the random tests
 * find each.
 *
 * test/model/mutations.ts lists the mistakes. Numbers or words as arguments select some of them. The exit status is 1
 * if a mistake is not found within a minute, or can't be made because the source has changed.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { mutations, type Mutation } from '../test/model/mutations.ts'

const TIME_LIMIT = 60_000
/** The random tests print this if an answer differs. A crash does not count as a find. */
const FOUND = /Property failed after \d+ tests/

const root = path.join(import.meta.dirname, '..')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fastify-crud-kit-mutate-'))
process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))

/** Copies the files that the tests need. Dependencies are shared. */
function copyTree (): void {
  for (const name of ['src', 'plugins', 'test', 'scripts', 'package.json', 'tsconfig.json']) {
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  }
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
}

interface Outcome {
  readonly status: number | null
  readonly output: string
  readonly seconds: number
}

async function runTest (test: Mutation['test'], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const start = performance.now()
  const file = path.join(folder, 'test/model', `${test}.test.ts`)
  // tap's own time limit must be longer than the one of this script
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { ...env, TAP_TIMEOUT: '600', TAP_BAIL: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT)
  const status = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve)
  )
  clearTimeout(timer)
  return { status, output, seconds: (performance.now() - start) / 1000 }
}

/** Makes a mistake in the source, and returns a function that reverts it. */
function mutate ({ file, from, to }: Mutation): () => void {
  const target = path.join(folder, file)
  const text = fs.readFileSync(target, 'utf8')
  const times = text.split(from).length - 1
  if (times !== 1) throw new Error(`${file} has this text ${times} times, not once: ${from}`)
  fs.writeFileSync(target, text.replace(from, () => to))
  return () => fs.writeFileSync(target, text)
}

/** Whether the mistake was found. */
async function attempt (mutation: Mutation, env: NodeJS.ProcessEnv): Promise<boolean> {
  const undo = mutate(mutation)
  try {
    const { status, output, seconds } = await runTest(mutation.test, env)
    const found = status !== 0 && FOUND.test(output)
    const why = found
      ? 'found'
      : status === null
        ? 'NOT FOUND in time'
        : status === 0
          ? 'NOT FOUND'
          : `NO FIND, but a failure:\n${output.slice(-2000)}`
    console.log(`${why} (${seconds.toFixed(0)} s): ${mutation.breaks}`)
    return found
  } finally {
    undo()
  }
}

const chosen = mutations.filter(({ breaks }, index) =>
  process.argv.length === 2 || process.argv.slice(2).some((arg) => arg === String(index + 1) || breaks.includes(arg))
)
copyTree()
const { preparePglite } = await import('../test/helpers/prepared-databases.ts')
const databases = path.join(folder, 'databases')
fs.mkdirSync(databases)
const env: NodeJS.ProcessEnv = { ...process.env, ...await preparePglite(databases) }
// uses only PGlite
delete env['DATABASE_URL']
let missed = 0
for (const mutation of chosen) if (!await attempt(mutation, env)) missed++
console.log(`${chosen.length - missed} of ${chosen.length} found`)
process.exitCode = missed === 0 ? 0 : 1
