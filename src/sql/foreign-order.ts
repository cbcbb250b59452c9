/**
 * Compiles an order that is written for MikroORM (the callback of a custom sort) with its QueryBuilder. The order
 * becomes a term of our statement, and its values are bound.
 */
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import { keyColumns, type EntityModel } from '../model/index.ts'
import { keyName } from './columns.ts'
import { beginningOf, bindAll, builder, builderOf, QUESTION_MARKS, type AnyQueryBuilder, type Bind } from './foreign.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'
import type { OrderExpression } from './order-expression.ts'

/** The order that a callback adds: expressions of the row, or a rank from a separate query. */
export type ForeignOrder =
  | { readonly kind: 'expressions', readonly expressions: readonly OrderExpression[] }
  /** A query that returns keys (`@key0`, ...) and their `@rank`. */
  | { readonly kind: 'rank', readonly query: Sql }

export const RANK = '@rank'

/** Clauses outside of parentheses. A query with any of them except `order by` does more than order rows. */
const CLAUSES = 'order by|group by|having|limit|offset|union|for update|for share|for no key'
const CLAUSE = new RegExp(`^(?:${CLAUSES})$`, 'i')
const TOKEN = new RegExp(`${QUESTION_MARKS.source}|[(),]|\\b(?:${CLAUSES})\\b`, 'gi')

/**
 * Compiles the order that a callback adds, for the rows of an alias.
 *
 * @param what name of the sort for messages, such as "AllowedSort.custom 'popularity'"
 * @throws {ConfigError} when the callback adds no order, or more than an order and joins
 */
export function foreignOrder (
  em: EntityManager,
  model: EntityModel,
  alias: string,
  order: (qb: AnyQueryBuilder) => unknown,
  bind: Bind,
  what: string
): ForeignOrder {
  const returned = order(builder(em, model, alias).select(raw('1')))
  const { sql: text, params } = builderOf(returned, `${what}: the callback`).toQuery()
  const { at, items, used, beyond } = splitOrder(text, params.length > 0)
  if (at === undefined) throw new ConfigError(`${what}: the callback has added no order.`)
  if (beyond !== undefined) {
    throw new ConfigError(`${what}: the callback may join and order; '${beyond}' has no meaning for a sort.`)
  }

  if (text.slice(0, at) === `${beginningOf(model, alias)} `) {
    let first = 0
    const expressions = items.map(({ text: item, count }): OrderExpression => {
      const [, value = '', direction = ''] =
        /^(.*?)((?:\s+(?:asc|desc))?(?:\s+nulls\s+(?:first|last))?)\s*$/is.exec(item) ?? []
      const mine = params.slice(first, first += count)
      return { value: bindAll(value.trim(), mine, bind), direction: trusted(direction.toLowerCase()) }
    })
    return { kind: 'expressions', expressions }
  }

  // joins may return a row several times, of which the first decides. Rows that they do not return come last
  const keys = keyColumns(model).map(({ column }, index) =>
    `${String(name(alias, column).pieces[0])} as "${keyName(index)}"`
  )
  const over = sql`rank() over (order by ${
    bindAll(items.map((item) => item.text).join(','), params.slice(used), bind)
  })`
  const rows = bindAll(text.slice('select 1 '.length, at), params.slice(0, used), bind)
  const names = join(keys.map((_, index) => name(keyName(index))))
  const query = sql`select ${names}, min(${name(RANK)}) as ${name(RANK)} from (select ${
    trusted(keys.join(', '))
  }, ${over} as ${name(RANK)} ${rows}) as "@ranked" group by ${names}`
  return { kind: 'rank', query }
}

interface SplitOrder {
  /** The position of `order by`. */
  readonly at: number | undefined
  /** The items of the order, with the number of values in each. */
  readonly items: readonly { readonly text: string, readonly count: number }[]
  /** The number of values before the order. */
  readonly used: number
  /** A clause that is not an order. */
  readonly beyond: string | undefined
}

/** Finds the order of a query's text: the clause outside of all parentheses, literals and quoted names. */
function splitOrder (text: string, hasValues: boolean): SplitOrder {
  const items: { text: string, count: number }[] = []
  let at: number | undefined
  let beyond: string | undefined
  let [depth, used, count, start] = [0, 0, 0, 0]
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (token === '?' && hasValues) count++
    else if (depth === 0 && token === ',' && at !== undefined) {
      items.push({ text: text.slice(start, index), count })
      start = index + 1
      count = 0
    } else if (depth === 0 && CLAUSE.test(token)) {
      if (token.toLowerCase() !== 'order by' || at !== undefined) {
        beyond ??= token.toLowerCase()
      } else {
        at = index
        used = count
        count = 0
        start = index + token.length
      }
    }
  }
  if (at !== undefined) items.push({ text: text.slice(start), count })
  return { at, items, used, beyond }
}
