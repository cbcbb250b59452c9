/** The warning about tables that do not exist, with the two ways to make them. */
import type { EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import { schemaOf } from '../resource/index.ts'
import { run } from '../run/index.ts'

/** How long the start of a server waits for its database to tell which tables exist. */
const PATIENCE = 2_000

/** `$1`: quoted names of tables. Names without a schema are looked up as statements do it, in the search path. */
const STATEMENT = 'select name from unnest($1::text[]) as name where to_regclass(name) is null'

/** A table of an entity. */
interface Table {
  readonly entity: string
  /** Its quoted name, with the schema if it has one. */
  readonly table: string
}

/**
 * Logs the tables of entities that the database lacks. A server without a logger emits a warning of the process
 * instead, because it would answer each request for these entities with a 500 and say nothing. It never rejects: if the
 * database cannot be asked, there is no warning.
 */
export async function warnOfMissingTables (log: FastifyBaseLogger, em: EntityManager): Promise<void> {
  const asked = missingTables(em).catch((error: unknown) => {
    log.debug(error, 'no advice about tables')
    return []
  })
  const missing = await Promise.race([asked, setTimeout(PATIENCE, [], { ref: false })])
  if (missing.length === 0) return
  const message = warning(missing)
  // Fastify's logger has no level if logging is off
  if (log.level === undefined) process.emitWarning(message, { code: 'FST_CRUD_MISSING_TABLES' })
  else log.warn({ missing }, message)
}

/** The tables of all entities of an ORM that the database lacks. Sends one statement. */
async function missingTables (em: EntityManager): Promise<readonly Table[]> {
  const tables = tablesOf(em)
  const rows = await run(em.fork(), { text: STATEMENT, values: [tables.map(({ table }) => table)] })
  const missing = new Set(rows.map(({ name }) => name))
  return tables.filter(({ table }) => missing.has(table))
}

function tablesOf (em: EntityManager): readonly Table[] {
  const schema = schemaOf(em)
  const tables = new Map<string, Table>()
  for (const meta of em.getMetadata().getAll().values()) {
    if (!hasTable(meta)) continue
    const own = meta.schema === '*' || !meta.schema ? schema : meta.schema
    const table = [own, meta.tableName].filter((name) => name !== undefined)
      .map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
    if (!tables.has(table)) tables.set(table, { entity: meta.className, table })
  }
  return [...tables.values()]
}

/** Whether an entity has a table or view of its own. The classes of one table have that of their root. */
const hasTable = ({ abstract, embeddable, virtual, root, class: own }: EntityMetadata): boolean =>
  abstract !== true && embeddable !== true && virtual !== true &&
  (root.inheritanceType !== 'sti' || root.class === own)

function warning (missing: readonly Table[]): string {
  const names = missing.map(({ entity, table }) => `${table} of ${entity}`).join(', ')
  return `The database has no table ${names}: requests for such entities get a 500. Make the tables with migrations ` +
    "(await orm.migrator.up()), or let the server add them when it starts: crudKit's option " +
    "database: { ..., schema: 'create' }, or await orm.schema.create() for an ORM of your own."
}
