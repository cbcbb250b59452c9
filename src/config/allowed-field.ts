/** A property that a client may select. */
import { checkPath, readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-arguments.ts'
import type { PathCheck } from './paths.ts'

/**
 * Allows `fields=<field>`, and for a path, `fields[<include>]=<field>`. The field is a property of the entity, a to-one
 * relation (shown as its key), or a path to a property of an included relation (`products.id`). Frozen.
 *
 * Throws `ConfigError` for an invalid name or option.
 *
 * @example
 * new AllowedField('name')
 * new AllowedField('products.id')
 */
export class AllowedField<Field extends string = NotGiven, Alias extends string = NotGiven> {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'field'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias>

  /** The kind of the entry. */
  readonly kind = 'property'
  /** The path of the property. */
  readonly field: Field
  /** The name in URLs, if it is not the path. */
  readonly alias: string | undefined

  constructor (field: Field, options?: EntryOptions<Alias>) {
    checkPath('AllowedField', field)
    this.field = field
    this.alias = readOptions(`AllowedField '${field}'`, options).alias
    Object.freeze(this)
  }
}
