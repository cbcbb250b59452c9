/** A filter that searches for a text in a property. */
import { PARTIAL_NAMES } from '../operators/index.ts'
import { BaseFilter } from './base-filter.ts'
import { readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-options.ts'
import { checkPath } from './names.ts'
import type { PathCheck } from './paths.ts'

/** The class of `AllowedFilters.partial`. Frozen. */
export class PartialFilter<Field extends string = NotGiven, Alias extends string = NotGiven> extends BaseFilter {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'filter'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias>

  readonly kind = 'partial'
  readonly field: Field
  readonly alias: string | undefined
  readonly defaultOperator = 'like'
  readonly operators = PARTIAL_NAMES

  constructor (field: Field, options?: EntryOptions<Alias>) {
    super()
    checkPath('AllowedFilters.partial', field)
    this.field = field
    this.alias = readOptions(`AllowedFilters.partial '${field}'`, options, ['alias']).alias
    Object.freeze(this)
  }
}
