/**
 * `npm run soak`: runs a real server on a real PostgreSQL under load, with clients that disconnect, restarts of the
 * database, killed connections and full pools. At the end, checks that nothing was lost, duplicated or left open. It
 * takes 10 minutes, or with `-- --minutes 1` one.
 */
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { busySessions, checkData } from './checks.ts'
import { Client } from './client.ts'
import { startDatabase } from './database.ts'
import { disturb } from './disturbances.ts'
import { Ledger } from './ledger.ts'
import { Load, type Worker } from './load.ts'
import { abort, readSlowly, sendHalf } from './nuisances.ts'
import { read, stream } from './readers.ts'
import { growth, paragraph, printTable, type Result } from './report.ts'
import { EXIT_TIMEOUT, startServer, type ServerProcess } from './server-process.ts'
import { changeOwn, createMany, increment, transfer } from './writers.ts'

const MINUTE = 60_000
/** Largest growth of the heap since the first minute, as a ratio. */
const MAX_GROWTH = 0.1
/** Active resources of a process that communicates with its parent, and with a terminal or pipe. */
const OWN_RESOURCES = ['PipeWrap', 'TTYWrap']

/** The workers, and how many of each run at the same time. */
const WORKERS: ReadonlyArray<readonly [worker: Worker, count: number]> = [
  [changeOwn, 6],
  [createMany, 2],
  [increment, 4],
  [transfer, 4],
  [read, 4],
  [stream, 2],
  [abort, 4],
  [readSlowly, 2],
  [sendHalf, 2],
]

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0; it is ${values.minutes}`)

/** Waits until no statement runs any more. Those of disconnected clients are cancelled. */
async function settled (server: ServerProcess): Promise<string | undefined> {
  const end = performance.now() + 10_000
  for (;;) {
    const { total, idle, waiting } = await server.ask('pool')
    if (idle === total && waiting === 0) return undefined
    if (performance.now() > end) return `of ${total} connections ${idle} are idle, and ${waiting} requests wait for one`
    await sleep(50)
  }
}

async function run (): Promise<Result> {
  const failures: string[] = []
  const fail = (sentence: string | undefined): void => {
    if (sentence !== undefined) failures.push(sentence)
  }
  const database = await startDatabase()
  let server: ServerProcess | undefined
  try {
    server = await startServer(database.url)
    const load = new Load(new Client(server.port), new Ledger())
    for (const [worker, count] of WORKERS) load.start(worker, count)
    const stop = new AbortController()
    const disturbed = disturb(database, stop.signal)
    // awaited later, so its rejection must be handled until then
    disturbed.catch(() => {})
    const warmUp = Math.min(MINUTE, minutes * MINUTE / 2)
    await sleep(warmUp)
    const { ask } = server
    const warm = await load.quietly(() => ask('memory'))
    await sleep(minutes * MINUTE - warmUp)
    stop.abort()
    const disturbances = await disturbed
    await load.stop()
    fail(await settled(server))
    load.client.close()
    const final = await server.ask('memory')
    const observer = await database.connect()
    for (const session of await busySessions(observer)) fail(`a session is ${session}`)
    for (const complaint of await checkData(observer, load.ledger)) fail(complaint)
    await observer.end()
    for (const surprise of load.surprises) fail(surprise)
    const more = load.surprising - load.surprises.length
    if (more > 0) fail(`... and ${more} more unexpected answers`)
    const grown = growth({ warm, final })
    if (grown > MAX_GROWTH) fail(`the heap has grown by ${Math.round(100 * grown)} % since the server was warm`)
    const { inTime, resources, exitMillis } = await server.close()
    if (!inTime) fail('app.close() has not ended')
    const left = resources.filter((name) => !OWN_RESOURCES.includes(name))
    if (left.length > 0) fail(`after the server was closed there are still ${left.join(', ')}`)
    if (exitMillis === undefined) fail(`the process has not ended within ${EXIT_TIMEOUT} ms after it was closed`)
    if (failures.length > 0) failures.push(...server.log.map((line) => `log: ${line.slice(0, 500)}`))
    return {
      minutes,
      tallies: load.tallies,
      disturbances,
      writes: load.ledger.count(),
      warm,
      final,
      exitMillis,
      failures,
    }
  } finally {
    server?.kill()
    await database.stop()
  }
}

console.log(`soaking for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`)
const result = await run()
printTable(result)
if (result.failures.length === 0) {
  console.log(`\nFor docs/operating/operations.md:\n\n${paragraph(result, new Date())}`)
} else {
  console.error(`\n${result.failures.length} failures:\n${result.failures.slice(0, 40).join('\n')}`)
  process.exitCode = 1
}
