/**
 * Databases on a Citus cluster, for tests. `CITUS_URL` names a database of the coordinator in which the extension
 * exists and the workers are added. Each test file gets a new database on all nodes.
 */
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The reason why tests on a cluster cannot run here. */
export const skip: string | false = process.env.CITUS_URL
  ? false
  : 'no CITUS_URL: the URL of a database on the coordinator of a Citus cluster'

export interface ClusterDatabase {
  readonly url: string
  readonly drop: () => Promise<void>
}

/** Creates an empty database on all nodes of the cluster at CITUS_URL. */
export const createClusterDatabase = (): Promise<ClusterDatabase> => alone(create)

/** Does work while no other test changes the nodes. */
async function alone<Result> (work: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: process.env.CITUS_URL! })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(20261122)')
    return await work()
  } finally {
    await client.end()
  }
}

async function create (): Promise<ClusterDatabase> {
  const coordinator = process.env.CITUS_URL!
  const nodes = await execute(coordinator,
    "select nodename, nodeport, groupid from pg_dist_node where noderole = 'primary' order by groupid")
  const name = `crud_kit_test_${randomBytes(6).toString('hex')}`
  const { hostname, port } = new URL(coordinator)
  const workers = nodes.filter(({ groupid }) => groupid !== 0)
  const servers = [coordinator, ...workers.map(({ nodename, nodeport }) => on(coordinator, nodename, nodeport))]
  for (const server of servers) {
    await execute(server, `create database ${name}`)
    await execute(databaseOn(server, name), 'create extension citus')
  }
  const url = databaseOn(coordinator, name)
  await execute(url, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`)
  for (const { nodename, nodeport } of workers) {
    await execute(url, `select citus_add_node('${nodename}', ${nodeport})`)
  }
  return {
    url,
    drop: () =>
      alone(async () => {
        for (const server of servers) await execute(server, `drop database if exists ${name} with (force)`)
      }),
  }
}

function on (server: string, host: string, port: number): string {
  const url = new URL(server)
  url.hostname = host
  url.port = String(port)
  return url.href
}

function databaseOn (server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

export async function execute (connectionString: string, ...statements: readonly string[]): Promise<any[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    let rows: any[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/**
 * Opens an ORM on a database and creates the tables: first without foreign keys, then `distribute` runs, then the
 * foreign keys follow, which tables that are not co-located cannot have.
 */
export async function openWithTables (
  url: string,
  entities: NonNullable<Options['entities']>,
  distribute: readonly string[] = [],
  foreignKeys = true
): Promise<MikroORM> {
  const orm = await MikroORM.init({ entities, clientUrl: url, pool: { min: 0, max: 5 } })
  const statements = (await orm.schema.getCreateSchemaSQL()).split(';\n').map((one) => one.trim())
    .filter((one) => one !== '')
  const isForeignKey = (statement: string): boolean => / add constraint .* foreign key /.test(statement)
  await execute(url, ...statements.filter((one) => !isForeignKey(one)), ...distribute,
    ...foreignKeys ? statements.filter(isForeignKey) : [])
  return orm
}
