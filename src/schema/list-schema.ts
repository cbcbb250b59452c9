/** The JSON Schema of a page of records. */
import { Type, type TSchema } from '@sinclair/typebox'
import { STYLES } from '../base/page-styles.ts'
import type { Pagination } from '../config/index.ts'

export interface ListOptions {
  /** Whether totals are given, exactly or as a minimum. Default: they may be null. */
  readonly totals?: boolean | 'bounded'
}

/** Which totals the lists of a whitelist have. */
export function totalsOf ({ count }: Pick<Pagination, 'count'>): ListOptions['totals'] {
  return typeof count === 'object' ? 'bounded' : count !== 'none'
}

/** Schema of a list's answer. The request decides between pages by number, by offset and by cursor. */
export function listSchema (record: TSchema, { totals }: ListOptions = {}): TSchema {
  const count = (description: string): TSchema =>
    totals === true || totals === 'bounded'
      ? Type.Integer({ minimum: 0, description })
      : totals === false
        ? Type.Null()
        : Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })
  const total = {
    total: count('Records in all pages.'),
    ...totals === 'bounded' && {
      total_is_minimum: Type.Boolean({ description: 'Whether there are more records than `total`.' }),
    },
  }
  const members = {
    place: Type.Integer(),
    size: Type.Integer(),
    pages: count('0 when there are no records.'),
    cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'The value of `cursor` for that page; null if there is no such page.',
    }),
  }
  return Type.Union(STYLES.map(({ title, hasTotal, answer }) =>
    Type.Object({
      items: Type.Array(record),
      ...hasTotal && total,
      ...Object.fromEntries(Object.entries(answer).map(([name, member]) => [name, members[member]])),
      has_next: Type.Boolean(),
      has_prev: Type.Boolean(),
    }, { title })
  ))
}
