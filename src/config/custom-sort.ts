/** A sort whose meaning is defined by a function of the application. */
import type { QueryBuilder } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import type { CustomFilterContext, NarrowedQueryBuilder } from './custom-filter.ts'
import { readOptions, type InUrl, type NotGiven, type UncheckedEntity } from './entry-options.ts'
import { checkUrlName } from './names.ts'
import { readDirection, type AllowedSortOptions, type SortDirection } from './sort-options.ts'

/**
 * Adds an order to a query: `(qb, direction) => qb.orderBy(...)`. It is synchronous, because it only describes a query
 * that has not been sent yet. The alias of the entity is `e0`.
 */
export type CustomSortCallback<Entity extends object = UncheckedEntity> = (
  qb: QueryBuilder<Entity>,
  direction: SortDirection,
  context: CustomFilterContext
) => NarrowedQueryBuilder

/** The class of `AllowedSort.custom`. Frozen. */
export class CustomSort<
  Entity extends object = UncheckedEntity,
  Name extends string = NotGiven,
  Alias extends string = NotGiven
> {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'custom'
  /** The sort's name, which need not be a property. */
  readonly field: string
  readonly direction: SortDirection
  readonly alias: string | undefined
  readonly callback: CustomSortCallback<Entity>

  constructor (
    name: Name,
    callback: CustomSortCallback<Entity>,
    options: AllowedSortOptions<Alias> | undefined
  ) {
    checkUrlName('AllowedSort.custom', 'name', name)
    const what = `AllowedSort.custom '${name}'`
    if (typeof callback !== 'function') {
      throw new ConfigError(`${what}: the callback must be a function, got ${shown(callback)}`)
    }
    const { alias, direction = 'asc' } = readOptions(what, options, ['alias', 'direction'])
    this.field = name
    this.callback = callback
    this.direction = readDirection(what, direction)
    this.alias = alias
    Object.freeze(this)
  }
}
