/** A filter that searches for a text in several properties. */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import { BaseFilter } from './base-filter.ts'
import { readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-options.ts'
import { checkPath, checkUrlName } from './names.ts'
import type { PathCheck } from './paths.ts'

/** The class of `AllowedFilters.search`. Frozen. */
export class SearchFilter<
  Field extends string = NotGiven,
  Name extends string = NotGiven,
  Alias extends string = NotGiven
> extends BaseFilter {
  /** @internal Only a type: tells whether an entity has the fields. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'filter'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'search'
  /** The filter's name, which is not a property. */
  readonly field: string
  readonly alias: string | undefined
  /** The properties to search, including paths of relations. */
  readonly fields: readonly Field[]

  constructor (name: Name, fields: readonly Field[], options?: EntryOptions<Alias>) {
    super()
    checkUrlName('AllowedFilters.search', 'name', name)
    const what = `AllowedFilters.search '${name}'`
    if (!Array.isArray(fields) || fields.length === 0) {
      throw new ConfigError(`${what}: the fields must be an array of at least one property, got ${shown(fields)}`)
    }
    for (const field of fields) checkPath(what, field)
    const repeated = fields.find((field, index) => fields.indexOf(field) !== index)
    if (repeated !== undefined) throw new ConfigError(`${what}: '${repeated}' is named twice`)
    this.field = name
    this.fields = Object.freeze([...fields])
    this.alias = readOptions(what, options, ['alias']).alias
    Object.freeze(this)
  }
}
