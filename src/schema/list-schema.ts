/** The JSON Schema of a page of records. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import { STYLES } from '../base/page-styles.ts'
import type { Pagination } from '../config/index.ts'

interface ListOptions {
  /** Whether totals are given, exactly or as a minimum. */
  readonly totals: boolean | 'bounded'
  /** Whether requests may leave the totals out. Default: false. */
  readonly optional?: boolean
  /** Schema of the facets, if a request may ask for some. */
  readonly facets?: TSchema | undefined
  /** The styles of pages. Default: all. */
  readonly styles?: typeof STYLES
}

/** Which totals the lists of a whitelist have. */
export function totalsOf ({ count, countParameter }: Pick<Pagination, 'count' | 'countParameter'>): ListOptions {
  return { totals: typeof count === 'object' ? 'bounded' : count !== 'none', optional: countParameter }
}

/** Schema of a list's answer. The request decides between pages by number, by offset and by cursor. */
export function listSchema (
  record: TSchema,
  { totals, optional = false, facets, styles = STYLES }: ListOptions
): TSchema {
  const count = (description: string): TSchema =>
    totals === false
      ? Type.Null()
      : optional
        ? Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })
        : Type.Integer({ minimum: 0, description })
  const isMinimum = Type.Boolean({ description: 'Whether there are more records than `total`.' })
  const total = {
    total: count('Records in all pages.'),
    ...totals === 'bounded' && { total_is_minimum: optional ? Type.Optional(isMinimum) : isMinimum },
  }
  const members = {
    place: Type.Integer(),
    size: Type.Integer(),
    pages: count('0 when there are no records.'),
    cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'The value of `cursor` for that page; null if there is no such page.',
    }),
  }
  return Type.Union(styles.map(({ title, hasTotal, answer }) =>
    Type.Object({
      items: Type.Array(record),
      ...hasTotal && total,
      ...Object.fromEntries(Object.entries(answer).map(([name, member]) => [name, members[member]])),
      has_next: Type.Boolean(),
      has_prev: Type.Boolean(),
      ...facets !== undefined && { facets: Type.Optional(facets) },
    }, { title })
  ))
}
