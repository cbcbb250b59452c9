/** The indexes that a database has, from its catalogue. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { run } from './session.ts'

/** An index, without what it leaves out: a partial one is taken for whole. */
export interface ExistingIndex {
  /** Its table, quoted: with its schema, and alone where that is found without one. */
  readonly tables: readonly string[]
  /** Access method: `btree`, `gin`, ... */
  readonly method: string
  /** Columns as PostgreSQL quotes them, or expressions. */
  readonly keys: readonly string[]
}

const quote = (column: string): string => `'"' || replace(${column}, '"', '""') || '"'`

/** `$1`: names of tables, without their schemas. */
const STATEMENT = `select coalesce(json_agg(json_build_object(
  'tables', array[${quote('n.nspname')} || '.' || ${quote('t.relname')}, case when pg_table_is_visible(t.oid) then ${quote('t.relname')} end],
  'method', m.amname,
  'keys', array(select pg_get_indexdef(i.indexrelid, k, false) from generate_series(1, i.indnkeyatts) as k)
)), '[]')::text as "indexes"
from pg_index i
join pg_class t on t.oid = i.indrelid
join pg_namespace n on n.oid = t.relnamespace
join pg_class x on x.oid = i.indexrelid
join pg_am m on m.oid = x.relam
where i.indisvalid and t.relname = any($1)`

/** The indexes of some tables, in one statement. */
export async function readIndexes (em: EntityManager, tableNames: readonly string[]): Promise<readonly ExistingIndex[]> {
  const [row] = await run(em, { text: STATEMENT, values: [tableNames] })
  return JSON.parse(row!['indexes'] as string) as ExistingIndex[]
}
