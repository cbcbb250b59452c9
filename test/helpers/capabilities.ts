/**
 * The capabilities of the server at DATABASE_URL. A test that needs more than its own database asks first, and is
 * skipped with the reason. The other tests still check the compatibility of a managed, pooled or distributed server.
 */
import pg from 'pg'

/** Statements that must succeed for a test to run. They run in a transaction that is rolled back. */
const PROBES = {
  createRole: 'create role crud_kit_probe',
  setDeadlockTimeout: "set local deadlock_timeout = '1s'",
  exclusionConstraint: 'create temporary table crud_kit_probe (a integer, exclude using btree (a with =))',
  triggers:
    'create function pg_temp.crud_kit_probe() returns trigger language plpgsql as $$ begin return new; end $$; ' +
    'create temporary table crud_kit_probe (a integer); create trigger crud_kit_probe before insert on ' +
    'crud_kit_probe for each row execute function pg_temp.crud_kit_probe()',
  extensions: 'create extension pg_trgm; create extension postgres_fdw',
  locksView: 'select 1 from pg_locks',
  /** Shows at least the sessions of its own role. Tests wait until they see a running query there. */
  activityView:
    "select 1 / (count(*))::int from pg_stat_activity where pid = pg_backend_pid() and query like '%pg_stat_activity%'",
  cancelBackend: 'select pg_cancel_backend(0)',
} as const

export type Capability = keyof typeof PROBES

const found = new Map<Capability, Promise<string | false>>()

/**
 * The reason why a test that needs these cannot run on the server, for tap's `skip`, or `false`. Each is tried once.
 *
 * @example t.test('a deadlock', { skip: await lacks('setDeadlockTimeout') }, ...)
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
    // the transaction rolls the attempt back
    await client.end()
  }
}
