/** Runs rounds of property tests. Each file is a process, and each round has a seed and a number of examples. */
import { spawn } from 'node:child_process'

export interface FuzzOptions {
  readonly files: readonly string[]
  /** Seed of the first round. Each further round uses the next seed. */
  readonly seed: number
  readonly rounds: number
  /** Multiple of the usual number of examples. Default: grows with each round. */
  readonly factor?: number | undefined
  readonly env: NodeJS.ProcessEnv
  /** After this signal, no further files are started. */
  readonly until: AbortSignal
  /** Whether the signal also kills files that are running. */
  readonly kill: boolean
  /** Number of files that run at the same time. */
  readonly parallel: number
  readonly log: (line: string) => void
}

interface FuzzFailure {
  readonly file: string
  readonly seed: number
  readonly factor: number
  /** The command that repeats the failure. */
  readonly command: string
}

const MAX_FACTOR = 16
/** Number of lines shown of a failed file's output. The failures come before the summary. */
const SHOWN = 150
/** Time limit of a file in seconds. A test that hangs is a failure. */
const TIMEOUT = 900

/** fast-check's seeds are 32 bits wide. */
const seedOf = (seed: number, round: number): number => (seed + round) | 0

/**
 * Runs the files until the signal, the number of rounds, or a failure. After a failure, running files are still
 * finished.
 */
export async function fuzz (
  { files, seed: first, rounds, factor: fixed, env, until, kill, parallel, log }: FuzzOptions
): Promise<{ runs: number, failures: FuzzFailure[] }> {
  const failures: FuzzFailure[] = []
  let runs = 0
  let next = 0
  const work = async (): Promise<void> => {
    while (!until.aborted && failures.length === 0 && next < files.length * rounds) {
      const file = files[next % files.length]!
      const round = Math.floor(next++ / files.length)
      const seed = seedOf(first, round)
      const factor = fixed ?? Math.min(2 ** round, MAX_FACTOR)
      const started = performance.now()
      const { status, output, killed } = await run(
        file,
        { ...env, FUZZ_SEED: String(seed), FUZZ_RUNS_FACTOR: String(factor) },
        until,
        kill
      )
      if (killed) continue
      runs++
      const took = ((performance.now() - started) / 1_000).toFixed(1)
      log(`${status === 0 ? 'ok' : 'NOT OK'}  ${file}  seed ${seed}, ${factor} times the examples  ${took} s`)
      if (status === 0) continue
      const command = `npm run fuzz -- --seed ${seed} --factor ${factor} --rounds 1 ${file}`
      failures.push({ file, seed, factor, command })
      const lines = output.split('\n').filter((line) => !/^\s*ok /.test(line)).slice(0, SHOWN)
      log([...lines, `repeat it: ${command}`].join('\n'))
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return { runs, failures }
}

async function run (
  file: string,
  env: NodeJS.ProcessEnv,
  until: AbortSignal,
  kill: boolean
): Promise<{ status: number, output: string, killed: boolean }> {
  return await new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [file],
      { env: { ...env, TAP_TIMEOUT: String(TIMEOUT) }, stdio: ['ignore', 'pipe', 'pipe'] }
    )
    let output = ''
    for (
      const stream of [child.stdout, child.stderr]
    ) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    let killed = false
    const end = (): void => {
      if (!kill) return
      killed = true
      child.kill('SIGKILL')
    }
    until.addEventListener('abort', end)
    child.once('error', reject)
    child.once('close', (code) => {
      until.removeEventListener('abort', end)
      resolve({ status: code ?? 1, output, killed })
    })
  })
}
