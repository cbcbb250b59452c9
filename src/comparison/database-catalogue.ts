/** Reads tables, views and their columns from a database's catalogue. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { RowChange } from '../config/index.ts'
import { run } from '../run/index.ts'

/** A table or a view. */
export interface Relation {
  /** Whether it has rows of its own, and can have indexes. */
  readonly isTable: boolean
  /** Whether it can be read. A materialized view can be read from its first refresh on. */
  readonly populated: boolean
  /** The types of its columns, by name. */
  readonly columns: Readonly<Record<string, StoredType>>
  /** The columns of each unique index that covers all rows. */
  readonly uniques: readonly (readonly string[])[]
  /** Whether a rule replaces or adds statements. */
  readonly hasRules: boolean
  /** The changes that it refuses, if the changed rows are to be returned. */
  readonly refuses: readonly RowChange[]
}

/** The type of a column. Domains are replaced by the types that they are based on. */
export interface StoredType {
  /** As SQL writes the declared type: `character varying(20)`, `uuid[]`. */
  readonly declared: string
  /** The name of the type, or of the elements of an array. */
  readonly name: string
  /** Its `pg_type.typcategory`, such as `N` for all numbers. */
  readonly category: string
  readonly isArray: boolean
}

/** `$1`: quoted names of tables. Names without a schema are looked up as statements do it, in the search path. */
const STATEMENT = `with recursive asked(name, id) as (
  select name, to_regclass(name)::oid from unnest($1::text[]) as name
), typed(relation, attribute, declared, type, "isArray") as (
  select a.attrelid, a.attname::text, format_type(a.atttypid, a.atttypmod), a.atttypid, false
  from asked join pg_attribute a on a.attrelid = asked.id where not a.attisdropped
  union all
  select relation, attribute, declared,
    case when t.typtype = 'd' then t.typbasetype else t.typelem end, "isArray" or t.typtype <> 'd'
  from typed join pg_type t on t.oid = typed.type
  where t.typtype = 'd' or (t.typcategory = 'A' and t.typelem <> 0)
)
select asked.name, json_build_object(
  'isTable', c.relkind in ('r', 'p'),
  'populated', c.relispopulated,
  'columns', (
    select json_object_agg(attribute, json_build_object(
      'declared', declared, 'name', t.typname, 'category', t.typcategory, 'isArray', "isArray"
    )) from typed join pg_type t on t.oid = typed.type
    where relation = c.oid and t.typtype <> 'd' and (t.typcategory <> 'A' or t.typelem = 0)
  ),
  'uniques', array(
    select to_json(array(
      select a.attname::text from generate_series(0, i.indnkeyatts - 1) as k
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[k]
    )) from pg_index i
    where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
  ),
  'hasRules', exists (select 1 from pg_rules r where r.tablename = c.relname and r.schemaname = n.nspname),
  'refuses', array(
    select change from (values ('insert', 8, '3'), ('update', 4, '2'), ('delete', 16, '4')) as e(change, bit, event)
    where pg_relation_is_updatable(c.oid, true) & bit = 0 or (
      exists (select 1 from pg_rewrite w where w.ev_class = c.oid and w.ev_type::text = event and w.is_instead)
      and not exists (
        select 1 from pg_rewrite w
        join pg_rules r on r.rulename = w.rulename and r.tablename = c.relname and r.schemaname = n.nspname
        where w.ev_class = c.oid and w.ev_type::text = event and r.definition ~* '\\yreturning\\y'
      )
    )
  )
)::text as relation
from asked join pg_class c on c.oid = asked.id join pg_namespace n on n.oid = c.relnamespace`

/**
 * The tables and views of a database that exist, by the quoted names under which they were asked for. Sends one
 * statement.
 */
export async function readCatalogue (
  em: EntityManager,
  tables: readonly string[]
): Promise<ReadonlyMap<string, Relation>> {
  const rows = await run(em, { text: STATEMENT, values: [tables], readOnly: true })
  return new Map(rows.map(({ name, relation }) => [name as string, JSON.parse(relation as string) as Relation]))
}
