/** Decides which indexes requests would use and the database lacks. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Whitelist } from '../plan/index.ts'
import { readIndexes, type ExistingIndex } from './existing-indexes.ts'
import type { OwnerColumns } from './owners.ts'
import { createIndex, wantedIndexes, type WantedIndex } from './wanted-indexes.ts'

/** An index to create. */
export interface MissingIndex {
  /** The parameters that would use it, as clients write them: `filter[name]`, `sort=name`. */
  readonly uses: readonly string[]
  /** The statement that creates it. */
  readonly sql: string
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
  owners: OwnerColumns = new Map()
): Promise<readonly MissingIndex[]> {
  const wanted = whitelists.flatMap((whitelist) => wantedIndexes(whitelist))
  if (wanted.length === 0) return []
  const { indexes, indexable, trigrams } = await readIndexes(em, [
    ...new Set(wanted.map(({ table }) => tableName(table))),
  ])
  const missing = new Map<string, Set<string>>()
  for (const index of wanted) {
    if (index.kind === 'trigrams' && !trigrams) continue
    if (!indexable.includes(index.table) || indexes.some((one) => serves(one, index, owners))) continue
    const sql = createIndex(index, index.own ? owners.get(index.table)?.likely : undefined)
    missing.set(sql, (missing.get(sql) ?? new Set()).add(index.use))
  }
  return [...missing].map(([sql, uses]) => ({ sql, uses: [...uses] }))
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
