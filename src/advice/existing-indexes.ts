/** Reads a database's indexes from its catalogue. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { run } from '../run/index.ts'

/** An index. A partial index counts like one on all rows. */
export interface ExistingIndex {
  /** Its table, quoted: with the schema, and also without it if the search path finds the table. */
  readonly tables: readonly string[]
  /** Access method: `btree`, `gin`, ... */
  readonly method: string
  /** Columns as PostgreSQL quotes them, or expressions. */
  readonly keys: readonly string[]
}

const quote = (column: string): string => `'"' || replace(${column}, '"', '""') || '"'`

/** The names of a table in SQL: with the schema, and also without it if the search path finds the table. */
const NAMES = `array[${quote('n.nspname')} || '.' || ${quote('t.relname')}, case when pg_table_is_visible(t.oid) then ${
  quote('t.relname')
} end]`

/** `$1`: names of tables, without their schemas. */
const STATEMENT = `select coalesce(json_agg(json_build_object(
  'tables', ${NAMES},
  'method', m.amname,
  'keys', array(select pg_get_indexdef(i.indexrelid, k, false) from generate_series(1, i.indnkeyatts) as k)
)), '[]')::text as "indexes", (
  select coalesce(json_agg(name), '[]')::text
  from pg_class t join pg_namespace n on n.oid = t.relnamespace, unnest(${NAMES}) as name
  where t.relkind in ('r', 'p', 'm') and t.relname = any($1) and name is not null
) as "indexable", exists (select 1 from pg_available_extensions where name = 'pg_trgm')::text as "trigrams"
from pg_index i
join pg_class t on t.oid = i.indrelid
join pg_namespace n on n.oid = t.relnamespace
join pg_class x on x.oid = i.indexrelid
join pg_am m on m.oid = x.relam
where i.indisvalid and t.relname = any($1)`

/** The catalogue's data about some tables. */
export interface TableIndexes {
  readonly indexes: readonly ExistingIndex[]
  /** Quoted names of tables that exist and can have indexes, unlike views and foreign tables. */
  readonly indexable: readonly string[]
  /** Whether texts can be indexed by their trigrams, because the extension is available (if not yet created). */
  readonly trigrams: boolean
}

/** The indexes of some tables, in one statement. */
export async function readIndexes (em: EntityManager, tableNames: readonly string[]): Promise<TableIndexes> {
  const [row] = await run(em, { text: STATEMENT, values: [tableNames] })
  return {
    indexes: JSON.parse(row!['indexes'] as string),
    indexable: JSON.parse(row!['indexable'] as string),
    trigrams: row!['trigrams'] === 'true',
  }
}
