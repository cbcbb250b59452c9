/** A filter whose meaning is a function of the application. */
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { ConfigError } from '../errors.ts'
import { shown } from '../options.ts'
import { BaseFilter } from './base-filter.ts'
import { readOptions, type EntryOptions, type InUrl } from './entry-options.ts'
import { checkUrlName } from './names.ts'

/**
 * A filter's value as it came: the text of one parameter, or the texts of a repeated one. It has no narrower type, so
 * that a callback for the usual case reads `value.toUpperCase()`; a callback that throws on the texts of a repeated
 * parameter refuses them, see `src/sql/foreign.ts`.
 */
export type CustomFilterValue = any

/** What a callback may look at besides the value: where it runs, and what the caller passed as `context`. */
export interface CustomFilterContext {
  readonly request?: FastifyRequest
  readonly em?: EntityManager
  readonly [key: string]: unknown
}

/** Any of MikroORM's builders, joined to whatever it may be. */
export type NarrowedQueryBuilder = Pick<QueryBuilder<any>, '__subquery' | 'getFormattedQuery'>

/**
 * Narrows a query by a value: `(qb, value, context) => qb.andWhere(...)`. Synchronous: it describes a query, and
 * nothing has been sent when it runs.
 */
export type CustomFilterCallback<Entity extends object = any> = (
  qb: QueryBuilder<Entity>,
  value: CustomFilterValue,
  context: CustomFilterContext
) => NarrowedQueryBuilder

/** What `AllowedFilters.custom` makes. Frozen. */
export class CustomFilter<
  Entity extends object = any,
  Name extends string = any,
  Alias extends string = any
> extends BaseFilter {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'custom'
  /** The filter's name; not necessarily a property's. */
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
