/**
 * Asks a server once which tables have rows that may change after a statement has returned them: those with triggers
 * that run after it, those with rules, views, and tables of other servers.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Row } from '../sql/index.ts'
import { NAME_OF_TABLE, withoutSchema } from './distribution.ts'
import type { BoundStatement } from './pg/statement.ts'

/** Bits of `pg_trigger.tgtype`: insert 4, update 16; before 2, instead of 64. Triggers of foreign keys are internal. */
const LATE = 'not tgisinternal and tgtype & 20 <> 0 and tgtype & 66 = 0'

/** A trigger of a partition also changes rows of its table. */
export const LATE_TRIGGERS: BoundStatement = {
  text: `with recursive "late" ("oid") as (select tgrelid from pg_trigger where ${LATE} union ` +
    "select oid from pg_class where relkind in ('v', 'f') or relhasrules union " +
    'select inhparent from pg_inherits join "late" on inhrelid = "late"."oid") ' +
    `select ${NAME_OF_TABLE} as "table" from "late" join pg_class t on t.oid = "late"."oid" ` +
    "join pg_namespace n on n.oid = t.relnamespace where n.nspname not in ('pg_catalog', 'information_schema')",
  values: [],
  readOnly: true,
}

/** The tables of each server, by driver. Their names are quoted. The schema is left out if the search path has it. */
const tables = new WeakMap<object, ReadonlySet<string>>()

export const areLateTriggersKnown = (em: EntityManager): boolean => tables.has(em.getDriver())

/** Notes the answer of a server. */
export function noteLateTriggers (em: EntityManager, rows: readonly Row[]): void {
  tables.set(em.getDriver(), new Set(rows.map(({ table }) => table as string)))
}

/**
 * Whether rows of a table may change after a statement has returned them.
 *
 * @param table its quoted name, with or without its schema
 */
export function changesLate (em: EntityManager, table: string): boolean {
  const known = tables.get(em.getDriver())
  return known === undefined || known.has(table) || known.has(withoutSchema(table))
}
