/** The record of a table without values, from which `json_populate_record` takes the types of the columns. */
import type { EntityModel } from '../model/index.ts'
import { tableAs } from './columns.ts'
import { name, sql, trusted, type Sql } from './fragment.ts'

/**
 * A record of nulls. It is not null itself: with null, a column that is not given would have to satisfy a domain that
 * forbids null. A table without a schema that shares its name with a type of PostgreSQL is an exception: nothing else
 * names its row type, so a null is read from the table. New records must then give all columns with such domains.
 */
export function nullRecord ({ table, tableName }: EntityModel): Sql {
  const type = trusted(table)
  const alias = '@record'
  if (isTypeName(table, tableName)) return sql`(select ${name(alias)} from ${tableAs(table, alias)} limit 0)`
  return sql`row((null::${type}).*)::${type}`
}

/** Whether the name of a table means a type: PostgreSQL looks for a name without a schema in `pg_catalog` first. */
const isTypeName = (table: string, tableName: string): boolean =>
  table === `"${tableName}"` && (tableName.startsWith('pg_') || PG_CATALOG.has(tableName.replace(/^_/, '')))

/**
 * The types in `pg_catalog` of all versions of PostgreSQL, except those whose names start with `pg_`. The type of an
 * array has the name of its items' type after an underscore.
 */
const PG_CATALOG: ReadonlySet<string> = new Set(`
  aclitem any anyarray anycompatible anycompatiblearray anycompatiblemultirange anycompatiblenonarray
  anycompatiblerange anyelement anyenum anymultirange anynonarray anyrange bit bool box bpchar bytea char cid cidr
  circle cstring date datemultirange daterange event_trigger fdw_handler float4 float8 gtsvector index_am_handler
  inet int2 int2vector int4 int4multirange int4range int8 int8multirange int8range internal interval json jsonb
  jsonpath language_handler line lseg macaddr macaddr8 money name numeric nummultirange numrange oid oidvector path
  point polygon record refcursor regclass regcollation regconfig regdictionary regnamespace regoper regoperator
  regproc regprocedure regrole regtype table_am_handler text tid time timestamp timestamptz timetz trigger
  tsm_handler tsmultirange tsquery tsrange tstzmultirange tstzrange tsvector txid_snapshot unknown uuid varbit
  varchar void xid xid8 xml
`.trim().split(/\s+/))
