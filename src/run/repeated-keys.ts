/** Remembers in which tables of a server one key may belong to several rows. */
import type { EntityManager } from '@mikro-orm/postgresql'

/** Quoted names of tables, by driver. */
const tables = new WeakMap<object, ReadonlySet<string>>()

/** Notes the tables and views whose keys the server does not keep unique. */
export function noteRepeatedKeys (em: EntityManager, names: readonly string[]): void {
  tables.set(em.getDriver(), new Set(names))
}

/** Whether one key of a table may belong to several rows. `false` until the server has been asked. */
export function mayRepeatKeys (em: EntityManager, table: string): boolean {
  return tables.get(em.getDriver())?.has(table) === true
}
