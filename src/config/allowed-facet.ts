/** The facets that clients may ask for beside a list. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { refusedAs, shown, withDefault } from '../base/option-checks.ts'
import { checkPath, readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-arguments.ts'
import type { PathCheck } from './paths.ts'

/** The largest number of values of a facet. */
export const MAX_FACET_VALUES = 1_000

const FacetOptionsSchema = Type.Object({
  /** Largest number of values, the most frequent ones, from 1 to 1 000. Default: 20. */
  limit: withDefault(
    refusedAs(
      Type.Integer({ minimum: 1, maximum: MAX_FACET_VALUES }),
      (value) => `limit must be a whole number from 1 to ${MAX_FACET_VALUES}, got ${shown(value)}`
    ),
    20
  ),
})

/** The options of `new AllowedFacet`. */
export interface FacetOptions<Alias extends string = string>
  extends EntryOptions<Alias>, Readonly<Static<typeof FacetOptionsSchema>> {}

/**
 * Allows `facets=<field>` in lists: the values of a property and the number of records with each, the most frequent
 * first. The field is a property, a to-one relation (its key), or a path through to-one relations. Frozen.
 *
 * The counts take the filters of the list into account, except those that compare only the property of the facet and
 * stand beside the others. So they say how many records each other value would have.
 *
 * Throws `ConfigError` for an invalid name or option.
 *
 * @example
 * new AllowedFacet('status')
 * new AllowedFacet('category.name', { limit: 10 })
 */
export class AllowedFacet<Field extends string = NotGiven, Alias extends string = NotGiven> {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'group'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias>

  /** The kind of the entry. */
  readonly kind = 'facet'
  /** The path of the property. */
  readonly field: Field
  /** The largest number of values. */
  readonly limit: number
  /** The name in URLs and answers, if it is not the path. */
  readonly alias: string | undefined

  constructor (field: Field, options?: FacetOptions<Alias>) {
    checkPath('AllowedFacet', field)
    const { alias, limit } = readOptions(`AllowedFacet '${field}'`, options, FacetOptionsSchema)
    this.field = field
    this.limit = limit
    this.alias = alias
    Object.freeze(this)
  }
}
