/**
 * Asks a server once whether it distributes tables over several nodes, and how. The answer chooses the dialect of
 * statements (`src/sql/dialect.ts`).
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { OrPromise } from '../base/or-promise.ts'
import { wait, type Steps } from '../base/steps.ts'
import { CITUS, POSTGRESQL, type Dialect, type Row } from '../sql/index.ts'
import { isPglite } from './pg/client.ts'
import type { BoundStatement } from './pg/statement.ts'
import { NAME_OF_TABLE, withoutSchema } from './table-names.ts'

/**
 * How the rows of a table are placed: by a column, or copied to every node. Tables of one group are co-located, so rows
 * with the same value in these columns are on the same node.
 */
export type TableDistribution =
  | {
    /** Whether the rows are distributed by a column, or copied to every node. */
    readonly kind: 'distributed',
    /** The column. */
    readonly column: string,
    /** The group of co-located tables. */
    readonly group: number,
  }
  | { readonly kind: 'reference' }

/** The column of a distributed table, and its group. */
export type DistributedTable = Extract<TableDistribution, { kind: 'distributed' }>

/** A server that distributes tables. */
export interface Distribution {
  /** The extension that distributes tables. */
  readonly extension: 'citus'
  /** The version of the extension. */
  readonly version: string
  /** The distributed and copied tables, by quoted name. The schema is left out if the search path has it. */
  readonly tables: Readonly<Record<string, TableDistribution>>
}

const CITUS_VERSION: BoundStatement = {
  text: 'select extversion as "version" from pg_extension where extname = \'citus\'',
  values: [],
  readOnly: true,
}

const TABLES: BoundStatement = {
  text: `select ${NAME_OF_TABLE} as "table", p.partmethod::text as "method", case when p.partmethod = 'h' then ` +
    'column_to_column_name(p.logicalrelid, p.partkey) end as "column", p.colocationid as "group" ' +
    'from pg_dist_partition p ' +
    'join pg_class t on t.oid = p.logicalrelid join pg_namespace n on n.oid = t.relnamespace ' +
    "where p.partmethod = 'h' or p.repmodel = 't' order by 1",
  values: [],
  readOnly: true,
}

/** The answers of servers, by driver. Null for a server that does not distribute tables. */
const answers = new WeakMap<object, Distribution | null>()

/** How the server of an EntityManager distributes tables; `undefined` if it does not, or has not been asked yet. */
export function distributionOf (em: EntityManager): Distribution | undefined {
  return answers.get(em.getDriver()) ?? undefined
}

/** The decisions about statements and steps of writes that fit the server. */
export const dialectOf = (em: EntityManager): Dialect => distributionOf(em) === undefined ? POSTGRESQL : CITUS

/** Whether an insert may return its rows in another order, because they are on several nodes. */
export function mayReorder (em: EntityManager, table: string): boolean {
  if (dialectOf(em).returnsInOrder) return false
  return tableIn(distributionOf(em)!, table)?.kind !== 'reference'
}

/** Whether the server has been asked. PGlite is never asked. */
export function isDistributionKnown (em: EntityManager): boolean {
  return answers.has(em.getDriver()) || isPglite(em)
}

/** Sends a statement, and returns its rows. */
type Send = (statement: BoundStatement) => OrPromise<readonly Row[]>

/** Asks the server of an EntityManager, unless it has been asked. */
export function * askDistribution (em: EntityManager, send: Send): Steps<void> {
  if (!isDistributionKnown(em)) yield * askDistributionAgain(em, send)
}

/** Asks the server of an EntityManager. Migrations may have distributed tables since it was asked. */
export function * askDistributionAgain (em: EntityManager, send: Send): Steps<void> {
  if (isPglite(em)) return
  const [extension] = yield * wait(send(CITUS_VERSION))
  if (extension === undefined) {
    answers.set(em.getDriver(), null)
    return
  }
  const tables: Record<string, TableDistribution> = {}
  for (const { table, method, column, group } of yield * wait(send(TABLES))) {
    tables[table as string] = method === 'h'
      ? { kind: 'distributed', column: column as string, group: Number(group) }
      : { kind: 'reference' }
  }
  answers.set(em.getDriver(), { extension: 'citus', version: extension['version'] as string, tables })
}

/** How the rows of a table are distributed, by its quoted name. `undefined` if they are not. */
export function distributedTable (distribution: Distribution, table: string): DistributedTable | undefined {
  const found = tableIn(distribution, table)
  return found?.kind === 'distributed' ? found : undefined
}

/** A table in a distribution, by its quoted name. The schema is left out if the search path has it. */
function tableIn ({ tables }: Distribution, table: string): TableDistribution | undefined {
  return tables[table] ?? tables[withoutSchema(table)]
}
