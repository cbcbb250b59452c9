/** A sort whose meaning is a function of the application. */
import type { QueryBuilder } from '@mikro-orm/postgresql'
import { ConfigError } from '../errors.ts'
import { shown } from '../options.ts'
import type { AllowedSortOptions, SortDirection } from './allowed-sort.ts'
import type { CustomFilterContext, NarrowedQueryBuilder } from './custom-filter.ts'
import { readOptions, type InUrl } from './entry-options.ts'
import { checkUrlName } from './names.ts'

/**
 * Orders a query: `(qb, direction) => qb.orderBy(...)`. Synchronous: it describes a query, and nothing has been sent
 * when it runs. The alias of the entity is `e0`.
 */
export type CustomSortCallback<Entity extends object = any> = (
  qb: QueryBuilder<Entity>,
  direction: SortDirection,
  context: CustomFilterContext
) => NarrowedQueryBuilder

/** What `AllowedSort.custom` makes. Frozen. */
export class CustomSort<Entity extends object = any, Name extends string = any, Alias extends string = any> {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'custom'
  /** The sort's name; not necessarily a property's. */
  readonly field: string
  readonly direction: SortDirection
  readonly alias: string | undefined
  readonly callback: CustomSortCallback<Entity>

  constructor (
    name: Name,
    callback: CustomSortCallback<Entity>,
    options: AllowedSortOptions<Alias> | undefined,
    readDirection: (what: string, direction: unknown) => SortDirection
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
