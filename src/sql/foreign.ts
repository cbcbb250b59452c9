/**
 * Compiles conditions in MikroORM's query language (its filters, a scope, the callback of a custom filter) with its
 * QueryBuilder. They become a part of our statement, and their values are bound.
 */
import { isRaw, raw, type FilterQuery, type RawQueryFragment } from '@mikro-orm/core'
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import { joiningSubclasses, withOwnAlias } from '../borrowed/mikro-orm-joins.ts'
import { ConfigError } from '../base/errors.ts'
import { ignoreRejection, isPromise } from '../base/or-promise.ts'
import { classValuesOf, keyColumnNames, type EntityModel } from '../model/index.ts'
import type { Slot } from '../plan/index.ts'
import { tuple } from './columns.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'

/** Adds a value to the statement and returns its slot. */
export type Bind = (value: unknown) => Slot

/**
 * A query builder of any entity with any clauses. `any`: its type arguments change with each call, and those of the
 * callbacks of an application are unknown.
 */
export type AnyQueryBuilder = QueryBuilder<any, any, any, any, any, any, any>

/** Clauses that may follow a where clause. A query that has one of them is more than a condition. */
const BEYOND_WHERE = /\b(?:group by|having|order by|limit|offset|union|for update|for share)\b/i

/** A condition in MikroORM's query language, for the rows of an alias. The class of the entity is not known here. */
export function filterSql (
  em: EntityManager,
  model: EntityModel,
  alias: string,
  where: FilterQuery<any>,
  bind: Bind
): Sql | undefined {
  return foreignSql(em, model, alias, (qb) => qb.where(where), bind)
}

/**
 * The same condition for the row of an alias that is not in its table yet, because the statement is writing it. The
 * condition must not read the table.
 */
export function filterOfRow (
  em: EntityManager,
  model: EntityModel,
  alias: string,
  where: FilterQuery<any>,
  bind: Bind
): Sql | undefined {
  const start = beginningOf(model, alias)
  const { sql: text, params } = builder(em, model, alias).where(where).select(raw('1')).toQuery()
  if (text === start) return undefined
  const condition = conditionIn(text, start)
  if (condition !== undefined) return sql`(${bindAll(condition, params, bind)})`
  if (!text.startsWith(start)) throw new TypeError(`MikroORM's query does not start with the rows of ${model.name}`)
  const row = sql`(select ${name(alias)}.*) as ${name(alias)}`
  return sql`exists (select 1 from ${row}${bindAll(text.slice(start.length), params, bind)})`
}

/** The conditions that a callback adds to a query builder, for the rows of an alias. */
export function foreignSql (
  em: EntityManager,
  model: EntityModel,
  alias: string,
  narrow: (qb: AnyQueryBuilder) => AnyQueryBuilder,
  bind: Bind
): Sql | undefined {
  const start = beginningOf(model, alias)
  const { sql: text, params } = narrow(builder(em, model, alias).select(raw('1'))).toQuery()
  if (text === start) return undefined
  const condition = conditionIn(text, start)
  if (condition !== undefined) return sql`(${bindAll(condition, params, bind)})`

  // the query has joins, limits or the like: the condition is that its rows include this one
  const key = keyColumnNames(model)
  const selected = raw(key.map((column) => name(alias, column).pieces[0]).join(', '))
  const found = narrow(builder(em, model, alias).select(selected)).toQuery()
  return sql`${tuple(alias, key)} in (${bindAll(found.sql, found.params, bind)})`
}

/** The beginning of MikroORM's query for the rows of an alias. */
export const beginningOf = ({ table }: EntityModel, alias: string): string => `select 1 from ${table} as "${alias}"`

/** The condition of a query that has nothing but a condition. */
function conditionIn (query: string, start: string): string | undefined {
  if (!query.startsWith(`${start} where `)) return undefined
  const condition = query.slice(start.length + ' where '.length)
  return BEYOND_WHERE.test(condition) ? undefined : condition
}

/**
 * The query builder that a callback has returned.
 *
 * @param what the callback, as the subject of a sentence
 * @throws {ConfigError} when the callback has returned anything else
 */
export function builderOf (returned: unknown, what: string): AnyQueryBuilder {
  if (typeof (returned as AnyQueryBuilder | null | undefined)?.toQuery === 'function') {
    return returned as AnyQueryBuilder
  }
  const isAsync = isPromise(returned)
  ignoreRejection(returned)
  throw new ConfigError(
    `${what} must return the query builder${isAsync ? ' itself, not a promise: it must not be async' : ''}.`
  )
}

export function builder (em: EntityManager, model: EntityModel, alias: string): AnyQueryBuilder {
  const qb = em.createQueryBuilder(model.entity as never, alias) as unknown as AnyQueryBuilder
  return joiningSubclasses(withOwnAlias(qb), (meta) => classValuesOf(meta, em.getMetadata()))
}

/** Matches literals and quoted names (a question mark inside them is plain text), escaped question marks, and `?`. */
export const QUESTION_MARKS = /\bE'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\\\?|\?/gi

/**
 * Binds the values of a text from MikroORM, which has `?` for a value and `\?` for a question mark. In some cases
 * MikroORM puts values into the text itself, as it does with `qb.andWhere(raw(...))`. Such literals may contain either.
 */
export function bindAll (text: string, params: readonly unknown[], bind: Bind): Sql {
  // a text without values has no placeholders: each question mark is an operator of jsonb, written by the application
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
 * The cast to the type that a number has as a literal. MikroORM would send it as a literal. A parameter has the type of
 * its comparison's other side instead, so an integer column would reject 1.5 although the comparison has an answer.
 */
function castOf (value: number | bigint): string {
  const number = Number(value)
  if (number === (number | 0)) return ''
  return Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 63 ? '::bigint' : '::numeric'
}
