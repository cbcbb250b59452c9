/**
 * Asks a server which columns the rules of its tables read: checks, and types with rules (domains). An error names only
 * the rule.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Row } from '../sql/index.ts'
import type { ServerError } from './errors/driver-errors.ts'
import type { BoundStatement } from './pg/statement.ts'
import { NAME_OF_TABLE, withoutSchema } from './table-names.ts'

/** The checks and the domains of each table, with the columns that they read. */
export const RULES: BoundStatement = {
  text: `select ${NAME_OF_TABLE} as "table", "kind", "rule", json_agg(a.attname)::text as "columns" from (` +
    'select conrelid as "relation", \'check\' as "kind", conname::text as "rule", unnest(conkey) as "column" ' +
    "from pg_constraint where contype = 'c' and conrelid <> 0 union all " +
    "select attrelid, 'domain', typname::text, attnum from pg_attribute join pg_type d on d.oid = atttypid " +
    "where typtype = 'd' and attnum > 0" +
    ') found join pg_class t on t.oid = "relation" join pg_namespace n on n.oid = t.relnamespace ' +
    'join pg_attribute a on a.attrelid = t.oid and a.attnum = "column" and not a.attisdropped ' +
    "where n.nspname not in ('pg_catalog', 'information_schema') group by 1, 2, 3",
  values: [],
  readOnly: true,
}

/** Columns by the kind and name of a rule. */
type Rules = ReadonlyMap<string, readonly string[]>

/** The rules of the tables of each server, by driver. Names of tables as in `NAME_OF_TABLE`. */
const tables = new WeakMap<object, ReadonlyMap<string, Rules>>()

/** Notes the answer of a server. */
export function noteRules (em: EntityManager, rows: readonly Row[]): void {
  const known = new Map<string, Map<string, readonly string[]>>()
  for (const { table, kind, rule, columns } of rows) {
    const rules = known.get(table as string) ?? new Map<string, readonly string[]>()
    known.set(table as string, rules.set(`${kind as string} ${rule as string}`, JSON.parse(columns as string)))
  }
  tables.set(em.getDriver(), known)
}

/** The suffix that a distributed server gives to the names of shards and their constraints. */
const SHARD = /_\d+$/

/**
 * The columns that a violated rule reads, or `undefined` if the rule is not known.
 *
 * @param table its quoted name, with or without its schema
 */
export function columnsOfRule (
  em: EntityManager,
  table: string,
  { constraint = '', dataType }: ServerError
): readonly string[] | undefined {
  const known = tables.get(em.getDriver())
  const rules = known?.get(table) ?? known?.get(withoutSchema(table))
  if (dataType === undefined) {
    return rules?.get(`check ${constraint}`) ?? rules?.get(`check ${constraint.replace(SHARD, '')}`)
  }
  const columns = rules?.get(`domain ${dataType}`)
  // the error does not say which column of the type has the value
  return columns?.length === 1 ? columns : undefined
}
