/**
 * Conditions in MikroORM's own words (its filters, a scope, the callback of a custom filter), compiled by its
 * QueryBuilder and put into our statement with their values bound.
 */
import { isRaw, raw, type FilterQuery, type RawQueryFragment } from '@mikro-orm/core'
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import { ConfigError } from '../errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { Slot } from '../plan/index.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'

/** Keeps a value for the statement and says in which slot. */
export type Bind = (value: unknown) => Slot

export type AnyQueryBuilder = QueryBuilder<any, any, any, any, any, any, any>

/** What ends a where clause: with any of it, a query is more than its condition. */
const BEYOND_WHERE = /\b(?:group by|having|order by|limit|offset|union|for update|for share)\b/i

/** A condition in MikroORM's query language, for the rows of an alias. */
export function filterSql (
  em: EntityManager,
  model: EntityModel,
  alias: string,
  where: FilterQuery<any>,
  bind: Bind
): Sql | undefined {
  return foreignSql(em, model, alias, (qb) => qb.where(where), bind)
}

/** What a callback does to a query builder, as a condition for the rows of an alias. */
export function foreignSql (
  em: EntityManager,
  model: EntityModel,
  alias: string,
  narrow: (qb: AnyQueryBuilder) => AnyQueryBuilder,
  bind: Bind
): Sql | undefined {
  const start = `select 1 from ${model.table} as "${alias}"`
  const { sql: text, params } = narrow(builder(em, model, alias).select(raw('1'))).toQuery()
  if (text === start) return undefined
  const condition = text.startsWith(`${start} where `) ? text.slice(start.length + ' where '.length) : undefined
  if (condition !== undefined && !BEYOND_WHERE.test(condition)) return sql`(${bindAll(condition, params, bind)})`

  // joins, limits and so on: the condition is to be among the rows that the query finds
  const key = model.primaryKey.flatMap((part) => part.columns)
  const columns = (of: string) => join(key.map(({ column }) => name(of, column)))
  const found = narrow(
    builder(em, model, alias).select(raw(key.map(({ column }) => name(alias, column).pieces[0]).join(', ')))
  ).toQuery()
  const left = key.length === 1 ? columns(alias) : sql`(${columns(alias)})`
  return sql`${left} in (${bindAll(found.sql, found.params, bind)})`
}

/**
 * The query builder that a callback has returned.
 *
 * @param what the callback, as the subject of a sentence
 * @throws {ConfigError} for anything else
 */
export function builderOf (returned: unknown, what: string): AnyQueryBuilder {
  if (typeof (returned as AnyQueryBuilder | null | undefined)?.toQuery === 'function') {
    return returned as AnyQueryBuilder
  }
  const isAsync = typeof (returned as PromiseLike<unknown> | null | undefined)?.then === 'function'
  // its own failure is nobody's any more, and would end the process
  if (isAsync) Promise.allSettled([returned])
  throw new ConfigError(
    `${what} must return the query builder${isAsync ? ' itself, not a promise: it must not be async' : ''}.`
  )
}

export const builder = (em: EntityManager, model: EntityModel, alias: string): AnyQueryBuilder =>
  em.createQueryBuilder(model.entity as never, alias) as unknown as AnyQueryBuilder

/** A literal or a quoted name, in which a question mark is itself; an escaped one; or one that stands for a value. */
export const QUESTION_MARKS = /\bE'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\\\?|\?/gi

/**
 * MikroORM's text has `?` for a value and `\?` for a question mark. Where it has put values into the text itself, as
 * it does with `qb.andWhere(raw(...))`, they are literals, which may hold either.
 */
export function bindAll (text: string, params: readonly unknown[], bind: Bind): Sql {
  // without values to put in, every question mark is one of the application's own: an operator of jsonb
  if (params.length === 0) return trusted(text.replace(QUESTION_MARKS, (token) => token === '\\?' ? '?' : token))
  const pieces: Sql[] = []
  let start = 0
  let used = 0
  for (const { 0: token, index } of text.matchAll(QUESTION_MARKS)) {
    if (token !== '?' && token !== '\\?') continue
    pieces.push(trusted(text.slice(start, index)), token === '?' ? value(params[used++], bind) : trusted('?'))
    start = index + token.length
  }
  if (used !== params.length) throw new Error(`MikroORM's query has ${used} placeholders and ${params.length} values`)
  return join([...pieces, trusted(text.slice(start))], '')
}

function value (param: unknown, bind: Bind): Sql {
  if (isRaw(param)) {
    const { sql: text, params } = param as RawQueryFragment
    return bindAll(text, params, bind)
  }
  if (Array.isArray(param)) return join(param.map((item) => value(item, bind)))
  if (param instanceof Date) return sql`${bind(param.toISOString())}`
  if (typeof param === 'number' || typeof param === 'bigint') {
    return sql`${bind(String(param))}${trusted(castOf(param))}`
  }
  if (param !== null && typeof param === 'object' && !ArrayBuffer.isView(param)) {
    return sql`${bind(JSON.stringify(param))}`
  }
  return sql`${bind(param)}`
}

/**
 * The type that a number has as a literal, which is how MikroORM would send it. A parameter has the type of what it is
 * compared with instead, and an integer column would refuse 1.5 for what is a question with an answer.
 */
function castOf (value: number | bigint): string {
  const number = Number(value)
  if (number === (number | 0)) return ''
  return Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 63 ? '::bigint' : '::numeric'
}
