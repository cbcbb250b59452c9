/**
 * The kinds of filters: the classes that the static methods of `AllowedFilters` make, and the types of all
 * of them.
 */
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { ConfigError } from '../base/errors.ts'
import type { Operator } from '../operators/index.ts'
import { refusedAs, shown } from '../base/option-checks.ts'
import type { AllowedFilters } from './allowed-filters.ts'
import { BaseFilter, changed, type Sight } from './base-filter.ts'
import {
  checkFunction, checkPath, checkUrlName, readOptions, type EntryOptions, type InUrl, type Known, type NotGiven,
  type UncheckedEntity,
} from './entry-arguments.ts'
import type { PathCheck, PathHint } from './paths.ts'
import { PartialFilter, type FullTextFilter, type SearchFilter } from './text-filters.ts'

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
export type CustomFilterCallback<
  // "in out": those of two entities do not fit each other. The compiler would find this out from all members of
  // MikroORM's query builders, which takes seconds if nothing else compares them
  in out Entity extends object = UncheckedEntity
> = (
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
   * has the type of that property. Default: no parameters, so the URL has `true` or `false`.
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
