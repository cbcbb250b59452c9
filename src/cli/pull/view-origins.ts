/**
 * Which columns of a table an updatable view shows. PostgreSQL does not say which keys, defaults and references a view
 * has. It keeps the parsed query, though, where each column that is only a reference names its origin.
 */
import { TARGET } from './view-target.ts'

/** A column of a view, by its number, and the column of another relation that it is. */
interface ColumnOrigin {
  readonly number: number
  readonly relation: number
  readonly attribute: number
}

/** A column as the catalogue describes it, in a table or a view. */
interface ViewedColumn {
  readonly number: number
  readonly name: string
  readonly nullable: boolean
  readonly default: string | null
  readonly counts: boolean
  readonly computed: boolean
  readonly generated: unknown
}

/** A table or view that may have origins. */
interface Viewed {
  readonly oid: number
  /** The parsed query of a view, as `pg_rewrite.ev_action` has it. */
  readonly query: string | null
  /** Whether the rows of the view are rows of one table. */
  readonly mirrors: boolean
  readonly columns: readonly ViewedColumn[]
  readonly primaryKey: readonly string[]
  readonly indexes: ReadonlyArray<{ readonly columns: readonly (string | null)[] }>
  readonly foreignKeys: ReadonlyArray<{ readonly columns: readonly string[] }>
}

/** The last members of a target. */
const END_OF_TARGET = new RegExp(String.raw`${TARGET} :resorigtbl (\d+) :resorigcol (\d+) :resjunk false$`)

/** The origins of the columns of a query. Those of subqueries are deeper in the text. */
function originsIn (query: string): readonly ColumnOrigin[] {
  const found: ColumnOrigin[] = []
  let depth = 0
  for (const { 0: token, index } of query.matchAll(/\\.|[{}]/gs)) {
    if (token === '{') depth += 1
    if (token !== '}') continue
    depth -= 1
    // a target of the query itself, which ends in these numbers
    const [, number, , relation, attribute] = depth !== 1
      ? []
      : END_OF_TARGET.exec(query.slice(Math.max(0, index - LONGEST_END), index)) ?? []
    if (relation !== undefined && relation !== '0') {
      found.push({ number: Number(number), relation: Number(relation), attribute: Number(attribute) })
    }
  }
  return found
}

/** Names have at most 63 bytes, and each may be escaped. */
const LONGEST_END = 400

/**
 * A relation with what its columns bring along from their origins: the key, indexes, references, defaults, and whether
 * they can be null. A table is returned as it is.
 *
 * @param byOid all relations
 */
export function withOrigins<Relation extends Viewed> (
  relation: Relation,
  byOid: ReadonlyMap<number, Relation>
): Relation & { readonly unseen: readonly string[] } {
  const origins = relation.query === null || !relation.mirrors ? [] : originsIn(relation.query)
  const base = byOid.get(origins[0]?.relation ?? 0)
  if (base === undefined || origins.some(({ relation }) => relation !== base.oid)) return { ...relation, unseen: [] }
  const source = withOrigins(base, byOid)
  const names = new Map<string, string>()
  const columns = relation.columns.map((column) => {
    const attribute = origins.find(({ number }) => number === column.number)?.attribute
    const origin = source.columns.find(({ number }) => number === attribute)
    if (origin === undefined) return { ...column, computed: true }
    if (!names.has(origin.name)) names.set(origin.name, column.name)
    const { nullable, counts, computed, generated } = origin
    return { ...column, nullable, counts, computed, generated, default: column.default ?? origin.default }
  })
  const seen = (part: string | null): boolean => part !== null && names.has(part)
  const renamed = <Part extends { readonly columns: readonly (string | null)[] }> (parts: readonly Part[]): Part[] =>
    parts.filter((part) => part.columns.every(seen)).map((part) =>
      ({ ...part, columns: part.columns.map((name) => names.get(name!)!) })
    )
  const isRequired = ({ nullable, counts, generated, default: value }: ViewedColumn): boolean =>
    !nullable && !counts && generated === null && value === null
  return {
    ...relation,
    columns,
    primaryKey: source.primaryKey.every(seen) ? source.primaryKey.map((name) => names.get(name)!) : [],
    indexes: renamed(source.indexes),
    foreignKeys: renamed(source.foreignKeys),
    unseen: [
      ...source.unseen,
      ...source.columns.filter((column) => isRequired(column) && !names.has(column.name)).map(({ name }) => name),
    ],
  }
}
