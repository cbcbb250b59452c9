/**
 * The kinds of filters: the classes that the static methods of `AllowedFilters` make, and the types of all
 * of them.
 */
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { ConfigError } from '../base/errors.ts'
import { PARTIAL_NAMES, type Operator } from '../operators/index.ts'
import { refusedAs, shown, withDefault } from '../base/option-checks.ts'
import type { AllowedFilters } from './allowed-filters.ts'
import { BaseFilter, changed, type Sight } from './base-filter.ts'
import {
  checkFunction, checkPath, checkUrlName, readOptions, type EntryOptions, type InUrl, type Known, type NotGiven,
  type UncheckedEntity,
} from './entry-arguments.ts'
import type { PathCheck, PathHint } from './paths.ts'

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
    checkFunction(what, callback)
    this.field = name
    this.callback = callback
    this.alias = readOptions(what, options).alias
    Object.freeze(this)
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

  /** @internal What a property stores is not used for a role that does not see all of the fields. */
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
  const repeated = fields.find((field, index) => fields.indexOf(field) !== index)
  if (repeated !== undefined) throw new ConfigError(`${what}: '${repeated}' is named twice`)
}

/** The class of `AllowedFilters.trashed`. Frozen. */
export class TrashedFilter<Alias extends string = NotGiven> extends BaseFilter {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<'trashed', Alias>

  readonly kind = 'trashed'
  readonly field = 'trashed'
  readonly alias: string | undefined

  constructor (options?: EntryOptions<Alias>) {
    super()
    this.alias = readOptions('AllowedFilters.trashed', options).alias
    Object.freeze(this)
  }

  /** @internal */
  override '~seenBy' ({ seesDeletion }: Sight): this | undefined {
    return seesDeletion ? this : undefined
  }
}

const ScopeOptionsSchema = Type.Object({
  /** Name of the MikroORM filter. Default: the name of this filter. */
  filter: Type.Optional(
    refusedAs(Type.String(), (value) => `filter must be the name of a MikroORM filter, got ${shown(value)}`)
  ),
  params: Type.Optional(
    refusedAs(
      Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({})),
      (value) => `params must be an object, got ${shown(value)}`
    )
  ),
})

export interface ScopeOptions<Field extends string = string, Alias extends string = string>
  extends EntryOptions<Alias>, Readonly<Pick<Static<typeof ScopeOptionsSchema>, 'filter'>> {
  /**
   * The filter's parameters, in the order of the values in the URL. Each names a property of the entity, and its value
   * has the type of that property. Default: no parameters; then the URL has `true` or `false`.
   */
  readonly params?: Readonly<Record<string, Field>>
}

/** The class of `AllowedFilters.scope`. Frozen. */
export class ScopeFilter<
  Field extends string = NotGiven,
  Name extends string = NotGiven,
  Alias extends string = NotGiven,
  Params = NotGiven
> extends BaseFilter {
  /** @internal Only a type: tells whether an entity has the properties. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'filter'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias, Params>

  readonly kind = 'scope'
  /** The filter's name in the URL, which is not a property. */
  readonly field: string
  readonly alias: string | undefined
  /** Name of the MikroORM filter. */
  readonly filter: string
  readonly params: Readonly<Record<string, Field>>

  constructor (name: Name, options?: ScopeOptions<Field, Alias>) {
    super()
    checkUrlName('AllowedFilters.scope', 'name', name)
    const what = `AllowedFilters.scope '${name}'`
    const { alias, filter = name, params = {} } = readOptions(what, options, ScopeOptionsSchema)
    for (const [param, property] of Object.entries(params)) checkPath(`${what}: the parameter '${param}'`, property)
    this.field = name
    this.filter = filter
    this.params = Object.freeze({ ...params }) as Readonly<Record<string, Field>>
    this.alias = alias
    Object.freeze(this)
  }

  /** @internal */
  override '~seenBy' (sight: Sight): this | undefined {
    return Object.values(this.params).every((path) => sight.sees(path)) ? super['~seenBy'](sight) : undefined
  }
}

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
    this.alias = readOptions(what, options).alias
    Object.freeze(this)
  }

  /** @internal */
  override '~seenBy' ({ sees, isFree }: Sight): this | undefined {
    const filters = this.filters.filter(({ field }) => sees(field))
    return isFree(this.field) && filters.length > 0 ? (changed<AnyOfFilter>(this, { filters }) as this) : undefined
  }
}

/** Compares kinds instead of classes, because importing the class of filters by operators would be an import cycle. */
function isAlternative (filter: unknown): filter is Alternative {
  return filter instanceof BaseFilter && ['operators', 'partial'].includes((filter as Alternative).kind)
}

/** An entry of `allowedFilters`, told apart by `kind`. */
export type Filter<Entity extends object = UncheckedEntity> =
  | AllowedFilters<string>
  | PartialFilter<string>
  | CustomFilter<Entity>
  | SearchFilter<string>
  | FullTextFilter<string>
  | TrashedFilter
  | ScopeFilter<string>
  | AnyOfFilter<string>

/** The type of `allowedFilters` for an entity: filters on its properties, and callbacks for its query builder. */
export type FilterOf<Entity extends object> = {
  readonly kind: 'custom',
  readonly field: string,
  readonly callback: CustomFilterCallback<Entity>,
} | {
  readonly kind: 'trashed',
  readonly field: 'trashed',
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'operators' | 'partial',
  readonly field: PathHint<Entity, 'filter'>,
  readonly operators: readonly Operator[],
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'search',
  readonly fields: ReadonlyArray<PathHint<Entity, 'filter'>>,
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'fullText',
  readonly fields: ReadonlyArray<PathHint<Entity, 'text'>>,
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'anyOf',
  readonly filters: readonly unknown[],
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'scope',
  readonly params: Readonly<Record<string, PathHint<Entity, 'filter'>>>,
}

/** The values of `kind`. */
export const FILTER_KINDS: ReadonlyArray<Filter['kind']> = [
  'operators', 'partial', 'custom', 'search', 'fullText', 'trashed', 'scope', 'anyOf',
]
