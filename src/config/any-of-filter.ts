/** A filter that combines several filters with OR. */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import type { AllowedFilters } from './allowed-filters.ts'
import { BaseFilter } from './base-filter.ts'
import { readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-options.ts'
import { checkUrlName } from './names.ts'
import type { PartialFilter } from './partial-filter.ts'
import type { PathCheck } from './paths.ts'

/** A member of the OR group, which is a filter by operators. */
export type Alternative = AllowedFilters | PartialFilter

/** The class of `AllowedFilters.anyOf`. Frozen. */
export class AnyOfFilter<
  Field extends string = NotGiven,
  Name extends string = NotGiven,
  Alias extends string = NotGiven
> extends BaseFilter {
  /** @internal Only a type: tells whether an entity has the fields. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'filter'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'anyOf'
  /** The filter's name, which is not a property. */
  readonly field: string
  readonly alias: string | undefined
  readonly filters: readonly Alternative[]

  constructor (name: Name, filters: readonly Alternative[], options?: EntryOptions<Alias>) {
    super()
    checkUrlName('AllowedFilters.anyOf', 'name', name)
    const what = `AllowedFilters.anyOf '${name}'`
    if (!Array.isArray(filters) || filters.length < 2) {
      throw new ConfigError(`${what}: the filters must be an array of at least two, got ${shown(filters)}`)
    }
    const wrong = filters.findIndex((filter: unknown) => !isAlternative(filter))
    if (wrong !== -1) {
      throw new ConfigError(
        `${what}: filters[${wrong}] is ${shown(filters[wrong])}; write AllowedFilters.exact('name')`
      )
    }
    const useless = filters.find((filter) => filter.defaultValue !== undefined || filter.ignoredValues.length > 0)
    if (useless !== undefined) {
      throw new ConfigError(`${what}: a default or ignored values belong to the group, not to '${useless.field}' in it`)
    }
    this.field = name
    this.filters = Object.freeze([...filters])
    this.alias = readOptions(what, options, ['alias']).alias
    Object.freeze(this)
  }
}

/** Compares kinds instead of classes, because importing the class of filters by operators would be an import cycle. */
function isAlternative (filter: unknown): filter is Alternative {
  return filter instanceof BaseFilter && ['operators', 'partial'].includes((filter as Alternative).kind)
}
