/** Asks a server once which tables have triggers, and other means by which more happens than a statement says. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Row } from '../sql/index.ts'
import type { BoundStatement } from './pg/statement.ts'
import { NAME_OF_TABLE, withoutSchema } from './table-names.ts'

/** Bits of `pg_trigger.tgtype`: 2 before, 4 insert, 16 update, 64 instead of. Triggers of foreign keys are internal. */
const WRITTEN = 'not tgisinternal and tgtype & 20 <> 0'
const LATE = 'tgtype & 66 = 0'

/**
 * The tables with triggers, rules or policies, views, and tables of other servers. The triggers of a partition are also
 * those of its table.
 */
export const TRIGGERS: BoundStatement = {
  text: `with recursive "found" ("oid", "late") as (select tgrelid, ${LATE} from pg_trigger where ${WRITTEN} union ` +
    "select oid, relhasrules or relkind in ('v', 'f') from pg_class " +
    "where relhasrules or relkind in ('v', 'f') or relrowsecurity union " +
    'select inhparent, "late" from pg_inherits join "found" on inhrelid = "found"."oid") ' +
    `select ${NAME_OF_TABLE} as "table", bool_or("late")::text as "late" from "found" ` +
    'join pg_class t on t.oid = "found"."oid" join pg_namespace n on n.oid = t.relnamespace ' +
    "where n.nspname not in ('pg_catalog', 'information_schema') group by 1",
  values: [],
  readOnly: true,
}

/**
 * The tables of each server, by driver, and whether their rows may change after a statement has returned them. Their
 * names are quoted. The schema is left out if the search path has it.
 */
const tables = new WeakMap<object, ReadonlyMap<string, boolean>>()

export const areTriggersKnown = (em: EntityManager): boolean => tables.has(em.getDriver())

/** Notes the answer of a server. */
export function noteTriggers (em: EntityManager, rows: readonly Row[]): void {
  tables.set(em.getDriver(), new Map(rows.map(({ table, late }) => [table as string, late === 'true'])))
}

/**
 * Whether rows of a table may change after a statement has returned them.
 *
 * @param table its quoted name, with or without its schema
 */
export function changesLate (em: EntityManager, table: string): boolean {
  return lateIn(em, table) === true
}

/** Whether a table has no triggers, rules and policies, and is no view. */
export function isPlainTable (em: EntityManager, table: string): boolean {
  return lateIn(em, table) === undefined
}

function lateIn (em: EntityManager, table: string): boolean | undefined {
  const known = tables.get(em.getDriver())
  // until the server has been asked, anything may happen
  return known === undefined ? true : known.get(table) ?? known.get(withoutSchema(table))
}
