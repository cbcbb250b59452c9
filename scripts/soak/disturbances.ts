/** Disturbs the database under load, with one disturbance after the other. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakDatabase } from './database.ts'
import { upTo } from './random.ts'

/** Milliseconds between two disturbances. */
const PAUSE = 4_000

type Disturbance = (database: SoakDatabase) => Promise<void>

/** The disturbances by name, in the order in which they are repeated. */
const DISTURBANCES: ReadonlyArray<readonly [name: string, disturb: Disturbance]> = [
  ['backends killed', killBackends],
  ['fast restarts', (database) => database.restart('SIGINT', upTo(1_500))],
  ['full pools', fillPool],
  ['backends killed', killBackends],
  ['immediate restarts', (database) => database.restart('SIGQUIT', upTo(1_500))],
]

/** Terminates some connections of the tested server. */
async function killBackends (database: SoakDatabase): Promise<void> {
  const client = await database.connect()
  await client.query(
    "with victims as (select pid from pg_stat_activity where application_name = 'soak' order by random() limit 4) " +
      'select pg_terminate_backend(pid) from victims'
  )
  await client.end()
}

/** Makes all statements wait for a lock, until the pool has no free connection. */
async function fillPool (database: SoakDatabase): Promise<void> {
  const client = await database.connect()
  await client.query('begin')
  await client.query('lock table product, account, reading in access exclusive mode')
  await sleep(4_000)
  await client.query('rollback')
  await client.end()
}

/** Disturbs until the signal. Returns how often each disturbance has happened. */
export async function disturb (database: SoakDatabase, until: AbortSignal): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let at = 0; ; at++) {
    await sleep(PAUSE, undefined, { signal: until }).catch(() => {})
    if (until.aborted) return counts
    const [name, disturbance] = DISTURBANCES[at % DISTURBANCES.length]!
    await disturbance(database)
    counts[name] = (counts[name] ?? 0) + 1
  }
}
