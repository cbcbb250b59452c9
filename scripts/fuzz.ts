/**
 * Runs all property tests with different examples than usual, repeatedly, until the time is over or one fails.
 *
 * - `npm run fuzz`: 10 minutes, with a random seed.
 * - `npm run fuzz -- --seconds 60 --seed 123`: a minute, always with the same seeds.
 * - `npm run fuzz -- --seed 123 --rounds 1 test/plan/key.test.ts`: one file, once.
 *
 * Each round uses the next seed. The first round draws as many examples as `npm test`. Each further round draws twice
 * as many as the one before it, up to 16 times as many. `--factor 4` draws 4 times as many in all rounds.
 */
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { fuzzFiles } from './fuzz-files.ts'
import { fuzz } from './fuzz-rounds.ts'
import { needsBuild, startTap } from './tap.ts'
import { newTestEnvironment } from './test-environment.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string' },
    factor: { type: 'string' },
    rounds: { type: 'string', default: 'Infinity' },
  },
})

function numberOf (name: string, text: string, valid: (value: number) => boolean): number {
  const value = Number(text)
  if (text.trim() === '' || !valid(value)) throw new Error(`invalid value of --${name}: ${text}`)
  return value
}

const seconds = numberOf('seconds', values.seconds, (value) => value > 0)
const rounds = numberOf(
  'rounds',
  values.rounds,
  (value) => value === Infinity || (Number.isInteger(value) && value > 0)
)
const factor = values.factor === undefined ? undefined : numberOf('factor', values.factor, (value) => value >= 1)
// the range of fast-check's seeds
const seed = values.seed === undefined
  ? Math.floor(Math.random() * 2 ** 31)
  : numberOf(
    'seed',
    values.seed,
    (value) => (value | 0) === value
  )

const files = positionals.length > 0 ? positionals : fuzzFiles()
const stop = new AbortController()
let stoppedBy: number | undefined
for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) {
  process.on(signal, () => {
    stoppedBy ??= status
    stop.abort()
  })
}

console.log(`${files.length} files, ${seconds} s, seed ${seed}`)
const hasOwnServer = process.env['DATABASE_URL'] === undefined
const { folder, env, prepare, cleanUp } = newTestEnvironment()
let failed = true
try {
  env.NODE_COMPILE_CACHE = path.join(folder, 'compiled')
  await prepare()
  if (needsBuild()) await startTap(['build'], env).done
  const timer = setTimeout(() => stop.abort(), seconds * 1_000)
  // killed tests leave their databases on the server; only a server that this run started is removed with them
  const { failures, runs } = await fuzz(
    {
      files,
      seed,
      rounds,
      factor,
      env,
      until: stop.signal,
      kill: hasOwnServer,
      parallel: os.availableParallelism(),
      log: console.log,
    }
  )
  clearTimeout(timer)
  failed = failures.length > 0
  console.log(`\n${runs} runs of files, ${failures.length} failed`)
  for (const { command } of failures) console.log(`repeat it: ${command}`)
} finally {
  await cleanUp()
}
process.exit(stoppedBy ?? (failed ? 1 : 0))
