/**
 * Decides which indexes requests would use and the database lacks, and warns of them: in one line for each index, with
 * the statement that creates it.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import type { Whitelist } from '../plan/index.ts'
import { isUnaccentKnown, quotedInSql, run, schemaOfUnaccent } from '../run/index.ts'
import type { AdvisedResource } from './advised-resource.ts'
import { ownerColumns, type OwnerColumns } from './owners.ts'
import { createIndex, firstColumn, wantedIndexes, type WantedIndex } from './wanted-indexes.ts'

const SENTENCE = 'There is no index behind some filters, sorts and includes. Create the indexes with migrations, and ' +
  'declare them in the entities, too (.index() or indexes: [...]):'

const LIMITED = "The server does not see which columns functions in 'rows' and 'scope' compare, and roles may " +
  'compare different ones. Let each index begin with the column that limits the rows it is for.'

/** A line that can be pasted into a migration. */
export const indexLineOf = ({ sql, uses, guess }: MissingIndex): string =>
  `${sql}; -- ${uses.join(', ')}${guess === undefined ? '' : `; for rows that ${guess} limits`}`

/** Looks for missing indexes and logs them. It never rejects, since a server also works without advice. */
export async function warnOfMissingIndexes (
  log: FastifyBaseLogger,
  em: EntityManager,
  resources: readonly AdvisedResource[]
): Promise<void> {
  try {
    const missing = await missingIndexesOf(em, resources)
    if (missing.length > 0) {
      const isGuessed = missing.some(({ guess }) => guess !== undefined)
      log.warn({ missing }, [SENTENCE, ...missing.map(indexLineOf), ...isGuessed ? [LIMITED] : []].join('\n'))
    }
    log.debug('looked for missing indexes: %d', missing.length)
  } catch (error) {
    log.debug(error, 'no advice about indexes')
  }
}

/** The indexes that the lists of some resources would use, and that the database lacks. Sends one statement. */
export async function missingIndexesOf (
  em: EntityManager,
  resources: readonly AdvisedResource[]
): Promise<readonly MissingIndex[]> {
  const listed = resources.filter(({ operations }) => operations.includes('list'))
  const roles = new Set(resources.flatMap(({ roles = [] }) => roles.map(({ role }) => role)))
  const scoped = resources.filter((resource) => resource.scoped).map(({ resource }) => resource.model)
  const owners = ownerColumns([...roles], scoped)
  return await missingIndexes(em.fork(), listed.map(({ resource }) => resource.whitelist), owners)
}

/** An index to create. */
export interface MissingIndex {
  /** The parameters that would use it, as clients write them: `filter[name]`, `sort=name`. */
  readonly uses: readonly string[]
  /** The statement that creates it. */
  readonly sql: string
  /** The first column, quoted, if some requests may see the rows that another column limits. */
  readonly guess?: string
}

/**
 * The missing indexes for the filters, sorts and includes of whitelists. Tables that do not
 * exist or cannot have indexes are left out, and extensions that the database does not offer. Sends one statement.
 *
 * @param owners the columns that requests probably compare with one value, so that an index may begin with one of them,
 *   and begins with the likely one if it is new
 */
export async function missingIndexes (
  em: EntityManager,
  whitelists: readonly Whitelist[],
  owners: OwnerColumns
): Promise<readonly MissingIndex[]> {
  const wanted = whitelists.flatMap((whitelist) => wantedIndexes(whitelist))
  if (wanted.length === 0) return []
  const { indexes, indexable, trigrams } = await readIndexes(em, [
    ...new Set(wanted.map(({ table }) => tableName(table))),
  ])
  const schema = isUnaccentKnown(em) ? schemaOfUnaccent(em) : 'public'
  const missing = new Map<string, { readonly uses: Set<string>, readonly guess?: string }>()
  for (const index of wanted) {
    if (index.kind === 'trigrams' && !trigrams) continue
    if (!indexable.includes(index.table) || indexes.some((one) => serves(one, index, owners))) continue
    const owner = owners.get(index.table)
    const first = firstColumn(index, owner?.likely)
    const sql = createIndex(index, first, schema)
    const known = missing.get(sql) ??
      { uses: new Set(), ...first !== undefined && owner?.isGuess === true && { guess: first } }
    known.uses.add(index.use)
    missing.set(sql, known)
  }
  return [...missing].map(([sql, { uses, ...guess }]) => ({ uses: [...uses], sql, ...guess }))
}

/** The last part of a quoted name, unquoted. */
function tableName (quoted: string): string {
  return /"((?:[^"]|"")*)"$/.exec(quoted)![1]!.replaceAll('""', '"')
}

function serves (
  { tables, method, keys }: ExistingIndex,
  { table, kind, key }: WantedIndex,
  owners: OwnerColumns
): boolean {
  if (!tables.includes(table)) return false
  if (kind === 'order') {
    if (method !== 'btree' && method !== 'hash') return false
    if (same(keys[0]!, key)) return true
    const [first, second] = keys
    return second !== undefined && same(second, key) &&
      owners.get(table)?.columns.some((column) => same(first!, column)) === true
  }
  // operator classes are not compared: extensions may add classes that serve the same filters
  return method !== 'btree' && method !== 'hash' && keys.some((one) => same(one, key))
}

/**
 * Compares keys loosely, since PostgreSQL omits quotes that names do not need and rewrites expressions. A false match
 * only suppresses a warning.
 */
const same = (existing: string, key: string): boolean => normal(existing) === normal(key)

const CAST = /::(?:[a-z]+(?: varying| precision| with(?:out)? time zone)?|"[^"]+")(?:\[\])?/g
const normal = (text: string): string =>
  text.replace(CAST, '').replace(/[\s()"]/g, '').toLowerCase().replace('elsenull', '')

/** An index. A partial index counts like one on all rows. */
interface ExistingIndex {
  /** Its table, quoted: with the schema, and also without it if the search path finds the table. */
  readonly tables: readonly string[]
  /** Access method: `btree`, `gin`, ... */
  readonly method: string
  /** Columns as PostgreSQL quotes them, or expressions. */
  readonly keys: readonly string[]
}

/** The names of a table in SQL: with the schema, and also without it if the search path finds the table. */
const NAMES = `array[${quotedInSql('n.nspname')} || '.' || ${quotedInSql('t.relname')}, ` +
  `case when pg_table_is_visible(t.oid) then ${quotedInSql('t.relname')} end]`

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
interface TableIndexes {
  readonly indexes: readonly ExistingIndex[]
  /** Quoted names of tables that exist and can have indexes, unlike views and foreign tables. */
  readonly indexable: readonly string[]
  /** Whether texts can be indexed by their trigrams, because the extension is available (if not yet created). */
  readonly trigrams: boolean
}

/** The indexes of some tables, in one statement. */
async function readIndexes (em: EntityManager, tableNames: readonly string[]): Promise<TableIndexes> {
  const [row] = await run(em, { text: STATEMENT, values: [tableNames] })
  return {
    indexes: JSON.parse(row!['indexes'] as string),
    indexable: JSON.parse(row!['indexable'] as string),
    trigrams: row!['trigrams'] === 'true',
  }
}
