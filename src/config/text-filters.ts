/** The filters for texts: by a pattern, by a part in one of several properties, and by words. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { PARTIAL_NAMES } from '../operators/index.ts'
import { refusedAs, shown, withDefault } from '../base/option-checks.ts'
import { BaseFilter, changed, type Sight } from './base-filter.ts'
import {
  checkPath, checkUrlName, readOptions, refuseRepeated, type EntryOptions, type InUrl, type NotGiven,
} from './entry-arguments.ts'
import type { PathCheck } from './paths.ts'

/** A name as SQL writes it without quotes, perhaps with its schema. */
const SQL_NAME = '^[^\\W\\d]\\w*(?:\\.[^\\W\\d]\\w*)?$'

/** How texts are compared without their accents. */
export const UnaccentSchema = {
  /**
   * Whether accents are ignored, by PostgreSQL's extension unaccent: `jose` finds `José`. The name of a function of
   * your database takes its place, for example an immutable one, of which an index can be made. Default: false.
   */
  unaccent: withDefault(
    refusedAs(
      Type.Union([Type.Boolean(), Type.String({ pattern: SQL_NAME })]),
      (value) => `unaccent must be true, or the name of a function, got ${shown(value)}`
    ),
    false
  ),
}

const TextOptionsSchema = Type.Object(UnaccentSchema)

export interface TextOptions<Alias extends string = string>
  extends EntryOptions<Alias>, Partial<Readonly<Static<typeof TextOptionsSchema>>> {}

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
  /** How accents are ignored. */
  readonly unaccent: boolean | string

  constructor (field: Field, options?: TextOptions<Alias>) {
    super()
    checkPath('AllowedFilters.partial', field)
    const { alias, unaccent } = readOptions(`AllowedFilters.partial '${field}'`, options, TextOptionsSchema)
    this.field = field
    this.alias = alias
    this.unaccent = unaccent
    Object.freeze(this)
  }

  /** @internal */
  override '~seenBy' ({ sees }: Sight): this | undefined {
    return sees(this.field) ? this : undefined
  }
}

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
  /** How accents are ignored. */
  readonly unaccent: boolean | string

  constructor (name: Name, fields: readonly Field[], options?: TextOptions<Alias>) {
    super()
    checkUrlName('AllowedFilters.search', 'name', name)
    const what = `AllowedFilters.search '${name}'`
    checkFields(what, fields)
    this.field = name
    this.fields = Object.freeze([...fields])
    const { alias, unaccent } = readOptions(what, options, TextOptionsSchema)
    this.alias = alias
    this.unaccent = unaccent
    Object.freeze(this)
  }

  /** @internal */
  override '~seenBy' ({ sees, isFree }: Sight): this | undefined {
    const fields = this.fields.filter((field) => sees(field))
    return isFree(this.field) && fields.length > 0 ? (changed<SearchFilter>(this, { fields }) as this) : undefined
  }
}

const FullTextOptionsSchema = Type.Object({
  ...UnaccentSchema,
  /** The configuration of text search in PostgreSQL, which knows a language. Default: `simple`. */
  config: withDefault(
    refusedAs(
      Type.String({ pattern: SQL_NAME }),
      (value) => `config must be the name of a text search configuration, such as 'english', got ${shown(value)}`
    ),
    'simple'
  ),
  /** The property of type tsvector that stores the words of the fields. */
  property: Type.Optional(
    refusedAs(Type.String(), (value) => `property must be the name of a property of type tsvector, got ${shown(value)}`)
  ),
})

export interface FullTextOptions<Alias extends string = string>
  extends EntryOptions<Alias>, Partial<Readonly<Static<typeof FullTextOptionsSchema>>> {}

/** The class of `AllowedFilters.fullText`. Frozen. */
export class FullTextFilter<
  Field extends string = NotGiven,
  Name extends string = NotGiven,
  Alias extends string = NotGiven
> extends BaseFilter {
  /** @internal Only a type: tells whether an entity has the fields. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'text'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'fullText'
  /** The filter's name, which is not a property. */
  readonly field: string
  readonly alias: string | undefined
  /** The properties to search, including paths of to-one relations. */
  readonly fields: readonly Field[]
  /** The configuration of text search. */
  readonly config: string
  /** The property that stores the words of the fields, if one is named. */
  readonly property: string | undefined
  /** How accents are ignored. */
  readonly unaccent: boolean | string

  constructor (name: Name, fields: readonly Field[], options?: FullTextOptions<Alias>) {
    super()
    checkUrlName('AllowedFilters.fullText', 'name', name)
    const what = `AllowedFilters.fullText '${name}'`
    checkFields(what, fields)
    const { alias, config, property, unaccent } = readOptions(what, options, FullTextOptionsSchema)
    this.field = name
    this.fields = Object.freeze([...fields])
    this.alias = alias
    this.config = config
    this.property = property
    this.unaccent = unaccent
    Object.freeze(this)
  }

  /** @internal A role that does not see all of the fields searches the others, and not the stored words. */
  override '~seenBy' ({ sees, isFree }: Sight): this | undefined {
    const fields = this.fields.filter((field) => sees(field))
    if (!isFree(this.field) || fields.length === 0) return undefined
    const property = fields.length === this.fields.length ? this.property : undefined
    return changed<FullTextFilter>(this, { fields, property }) as this
  }
}

/** Refuses anything but a list of different properties. */
function checkFields (what: string, fields: readonly string[]): void {
  if (!Array.isArray(fields) || fields.length === 0) {
    throw new ConfigError(`${what}: the fields must be an array of at least one property, got ${shown(fields)}`)
  }
  for (const field of fields) checkPath(what, field)
  refuseRepeated(what, fields)
}
