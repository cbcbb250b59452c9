/** The databases of the benchmark, with the tables and rows of example/distributed. All are on the same machine. */
import { MikroORM } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import { entities } from '../../example/distributed/entities.ts'
import { seed } from '../../example/distributed/seed.ts'
import { createClusterDatabase, execute, type ClusterDatabase } from '../../test/citus/cluster.ts'

export type Layout = 'cluster' | 'one server' | 'partitioned'

export interface FilledDatabase extends ClusterDatabase {
  readonly layout: Layout
  readonly tenants: number
}

/** Tasks of each tenant. More tasks in total are more tenants. */
export const TASKS_OF_TENANT = 2_000
const PARTITIONS = 32
const TABLES = ['projects', 'labels', 'tasks', 'task_labels']

/** Creates a database with its tables, rows and statistics. */
export async function createFilled (layout: Layout, tasks: number): Promise<FilledDatabase> {
  const database = await (layout === 'cluster' ? createClusterDatabase() : createPlainDatabase())
  const tenants = tasks / TASKS_OF_TENANT
  const orm = await MikroORM.init({ entities, clientUrl: database.url, pool: { min: 0, max: 1 } })
  try {
    const statements = (await orm.schema.getCreateSchemaSQL()).split(';\n').map((one) => one.trim())
    const tables = statements.filter((one) => one !== '' && !one.includes(' foreign key '))
    const foreignKeys = statements.filter((one) => one.includes(' foreign key '))
    await execute(
      database.url,
      ...layout === 'partitioned' ? tables.flatMap(partitioned) : tables,
      ...layout === 'cluster' ? DISTRIBUTE : []
    )
    await seed(orm.em.fork(), { tenants, projects: 100, tasks: TASKS_OF_TENANT, labels: 20 })
    await execute(database.url, ...foreignKeys, 'vacuum analyze')
  } finally {
    await orm.close(true)
  }
  return { ...database, layout, tenants }
}

const DISTRIBUTE = [
  "select create_distributed_table('tenants', 'id')",
  ...TABLES.map((table) => `select create_distributed_table('${table}', 'tenant_id', colocate_with => 'tenants')`),
]

/** A table of the tenant as a partitioned table, and its partitions. */
function partitioned (statement: string): string[] {
  const table = /^create table "(\w+)"/.exec(statement)?.[1]
  if (table === undefined || !TABLES.includes(table)) return [statement]
  const partitions = Array.from(
    { length: PARTITIONS },
    (_, n) => `create table ${table}_${n} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${n})`
  )
  return [`${statement} partition by hash (tenant_id)`, ...partitions]
}

/** A database without the extension on the server of the coordinator: the same PostgreSQL with the same settings. */
async function createPlainDatabase (): Promise<ClusterDatabase> {
  const coordinator = process.env.CITUS_URL!
  const name = `crud_kit_bench_${randomBytes(4).toString('hex')}`
  await execute(coordinator, `create database ${name}`)
  const url = new URL(coordinator)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: async () => {
      await execute(coordinator, `drop database if exists ${name} with (force)`)
    },
  }
}
