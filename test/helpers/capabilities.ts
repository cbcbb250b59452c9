/**
 * What the server at DATABASE_URL can and lets us do. A test that needs more than a database of its own asks first, and
 * is skipped with the reason: against a managed, pooled or distributed server the rest still is a check of compatibility.
 */
import pg from 'pg'

/** Statements, in a transaction that is rolled back, without whose success a test can't run. */
const PROBES = {
  createRole: 'create role crud_kit_probe',
  setDeadlockTimeout: "set local deadlock_timeout = '1s'",
  exclusionConstraint: 'create temporary table crud_kit_probe (a integer, exclude using btree (a with =))',
  triggers:
    'create function pg_temp.crud_kit_probe() returns trigger language plpgsql as $$ begin return new; end $$; create temporary table crud_kit_probe (a integer); create trigger crud_kit_probe before insert on crud_kit_probe for each row execute function pg_temp.crud_kit_probe()',
  locksView: 'select 1 from pg_locks',
  /** Of its own role's sessions at least: tests wait until a query is seen to run. */
  activityView:
    "select 1 / (count(*))::int from pg_stat_activity where pid = pg_backend_pid() and query like '%pg_stat_activity%'",
  cancelBackend: 'select pg_cancel_backend(0)',
} as const

export type Capability = keyof typeof PROBES

const found = new Map<Capability, Promise<string | false>>()

/**
 * Why a test that needs these can't run on the server, for tap's `skip`; `false` where it can. Each is tried once.
 *
 * @example
 * t.test('a deadlock', { skip: await lacks('setDeadlockTimeout') }, ...)
 */
export async function lacks (...needed: readonly Capability[]): Promise<string | false> {
  if (!process.env.DATABASE_URL) return 'no DATABASE_URL: npm test starts a server'
  for (const capability of needed) {
    let reason = found.get(capability)
    if (reason === undefined) found.set(capability, reason = probe(capability))
    if (await reason !== false) return await reason
  }
  return false
}

async function probe (capability: Capability): Promise<string | false> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(PROBES[capability])
    return false
  } catch (error) {
    return `the server has no ${capability}: ${(error as Error).message}`
  } finally {
    // what was tried is taken back with the transaction
    await client.end()
  }
}
