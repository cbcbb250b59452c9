/** A filter whose meaning is defined by a function of the application. */
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import { BaseFilter } from './base-filter.ts'
import { readOptions, type EntryOptions, type InUrl, type NotGiven, type UncheckedEntity } from './entry-options.ts'
import { checkUrlName } from './names.ts'

/**
 * The unchanged value of a filter: the text of the parameter, or a list of texts if it is repeated. It is `any`, so
 * that callbacks for the usual case can write `value.toUpperCase()`. If a callback throws because of a repeated
 * parameter, the request is refused, see `src/sql/foreign.ts`.
 */
export type CustomFilterValue = any

/** The information that a callback gets besides the value: its EntityManager, and the caller's `context`. */
export interface CustomFilterContext {
  /** The request of `request.em`, if the query runs on that, on a fork of it or in a transaction of it. */
  readonly request?: FastifyRequest
  /** The EntityManager on which the query runs. */
  readonly em?: EntityManager
  readonly [key: string]: unknown
}

/** Any query builder of MikroORM, with any joins. */
export type NarrowedQueryBuilder = Pick<QueryBuilder<any>, '__subquery' | 'getFormattedQuery'>

/**
 * Adds a condition to a query: `(qb, value, context) => qb.andWhere(...)`. It is synchronous, because it only describes
 * a query that has not been sent yet.
 */
export type CustomFilterCallback<Entity extends object = UncheckedEntity> = (
  qb: QueryBuilder<Entity>,
  value: CustomFilterValue,
  context: CustomFilterContext
) => NarrowedQueryBuilder

/** The class of `AllowedFilters.custom`. Frozen. */
export class CustomFilter<
  Entity extends object = UncheckedEntity,
  Name extends string = NotGiven,
  Alias extends string = NotGiven
> extends BaseFilter {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'custom'
  /** The filter's name, which need not be a property. */
  readonly field: string
  readonly alias: string | undefined
  readonly callback: CustomFilterCallback<Entity>

  constructor (name: Name, callback: CustomFilterCallback<Entity>, options?: EntryOptions<Alias>) {
    super()
    checkUrlName('AllowedFilters.custom', 'name', name)
    const what = `AllowedFilters.custom '${name}'`
    if (typeof callback !== 'function') {
      throw new ConfigError(`${what}: the callback must be a function, got ${shown(callback)}`)
    }
    this.field = name
    this.callback = callback
    this.alias = readOptions(what, options, ['alias']).alias
    Object.freeze(this)
  }
}
