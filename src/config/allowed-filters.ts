/** A filter that compares a property by operators. */
import * as Type from '@sinclair/typebox'
import type { Operator } from '../operators/index.ts'
import { oneOf } from '../base/option-checks.ts'
import {
  AnyOfFilter, CustomFilter, ScopeFilter, TrashedFilter, type Alternative, type CustomFilterCallback, type ScopeOptions,
} from './filter-kinds.ts'
import { BaseFilter, type Sight } from './base-filter.ts'
import {
  checkPath, isOptions, readOptions, type EntryOptions, type InUrl, type NotGiven, type UncheckedEntity,
} from './entry-arguments.ts'
import { listBeforeDefault, readOperator, readOperators } from './operator-arguments.ts'
import type { PathCheck } from './paths.ts'
import {
  FullTextFilter, PartialFilter, SearchFilter, UnaccentSchema, type FullTextOptions, type TextOptions,
} from './text-filters.ts'

/** The type of a value inside JSON. */
export type JsonValueType = 'string' | 'number' | 'boolean'

const FilterOptionsSchema = Type.Object({
  ...UnaccentSchema,
  type: Type.Optional(oneOf<JsonValueType>(['string', 'number', 'boolean'])),
})

interface AllowedFiltersOptions<
  Alias extends string = string,
  Type extends JsonValueType = JsonValueType
> extends EntryOptions<Alias> {
  /** For a path into a JSON column (`settings.theme`): the type of its values. Values of another type never match. */
  readonly type?: Type
  /**
   * Whether texts are compared without accents, by PostgreSQL's extension unaccent or a function of your database:
   * `jose` finds `José`. It works with `ieq`, `like`, `ilike`, `contains`, `starts` and `ends`. Default: false.
   */
  readonly unaccent?: boolean | string
}

/** Requires that the default operator is one of the allowed ones. */
type Holding<Default, Operators> = [Default] extends [Operators] ? unknown
  : 'the allowed operators must hold the default'

/**
 * A filter by operators. The default operator is `eq` if not given, and the only allowed one if no others are given.
 */
export interface OperatorsInUrl<Default, Operators, Type> {
  readonly default: Default
  readonly operators: Operators
  readonly type: Type
}

/**
 * Allows `filter[<field>]=<value>`, compared by the default operator, and `filter[<field>][<operator>]=<value>` for
 * each allowed operator. Other operators are refused.
 *
 * The field is a property of the entity, an owning to-one relation (compared by its key), or a path through relations
 * (`products.price`, `author.name`). Without `allowedOperators`, only the default operator is allowed. Otherwise they
 * must include the default operator. Options are always the last argument. Instances are frozen.
 *
 * A path may lead into a JSON column (`settings.theme`). Its `type` must be declared, unless the column holds an
 * embedded object. An array column accepts `contains` (all items of a list), `overlap` (any item of a list) and
 * `isnull`.
 *
 * Throws `ConfigError` for an invalid name, operator or option.
 *
 * @example
 * new AllowedFilters('name') // eq
 * new AllowedFilters('created_at', 'gte', ['gte', 'lte', 'gt', 'lt'])
 * new AllowedFilters('products.price', 'gte', { alias: 'min_price' })
 * new AllowedFilters('settings.volume', 'gte', ['gte', 'lte'], { type: 'number' })
 * new AllowedFilters('keywords', 'contains', ['contains', 'overlap'])
 */
export class AllowedFilters<
  Field extends string = NotGiven,
  Default extends Operator = NotGiven,
  Operators extends Operator = NotGiven,
  Alias extends string = NotGiven,
  Type extends JsonValueType = NotGiven
> extends BaseFilter {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'filter'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias, OperatorsInUrl<Default, Operators, Type>>

  /** The kind of the entry. */
  readonly kind = 'operators'
  /** The path of the property. */
  readonly field: Field
  /** The name in URLs, if it is not the path. */
  readonly alias: string | undefined
  /** The type of a value inside JSON. */
  readonly type: JsonValueType | undefined
  /** How accents are ignored. */
  readonly unaccent: boolean | string
  /** The operator of a URL that names none. */
  readonly defaultOperator: Operator
  /** The allowed operators, in the order given. */
  readonly operators: readonly Operator[]

  constructor (field: Field, options?: AllowedFiltersOptions<Alias, Type>)
  constructor (field: Field, defaultOperator?: Default, options?: AllowedFiltersOptions<Alias, Type>)
  constructor (
    field: Field,
    defaultOperator?: Default,
    allowedOperators?: readonly Operators[] & Holding<Default, Operators>,
    options?: AllowedFiltersOptions<Alias, Type>
  )
  constructor (field: Field, ...args: unknown[]) {
    super()
    checkPath('AllowedFilters', field)
    const what = `AllowedFilters '${field}'`
    const options = isOptions(args.at(-1)) ? args.pop() : undefined
    const [defaultOperator = 'eq', allowed, ...rest] = args
    this.field = field
    if (Array.isArray(defaultOperator)) throw listBeforeDefault(what, field, defaultOperator)
    this.defaultOperator = readOperator(what, defaultOperator)
    this.operators = readOperators(what, allowed, this.defaultOperator)
    const { alias, type, unaccent } = readOptions(what, options ?? rest[0], FilterOptionsSchema)
    this.alias = alias
    this.unaccent = unaccent
    this.type = type
    Object.freeze(this)
  }

  /** @internal */
  override '~seenBy' ({ sees }: Sight): this | undefined {
    return sees(this.field) ? this : undefined
  }

  /**
   * Allows `filter[<field>]=<value>` for equality, and no other operator.
   *
   * @example
   * AllowedFilters.exact('name')
   */
  static exact<Field extends string, Alias extends string = NotGiven, Type extends JsonValueType = NotGiven> (
    field: Field,
    options?: AllowedFiltersOptions<Alias, Type>
  ): AllowedFilters<Field, 'eq', 'eq', Alias, Type> {
    return new AllowedFilters<Field, 'eq', 'eq', Alias, Type>(field, options)
  }

  /**
   * Allows `filter[<field>]=<value>` for texts that contain the value, case-sensitive, and
   * `filter[<field>][ilike]=<value>`, which ignores case. A value with an unescaped `%` is used as a pattern, any other
   * value is literal.
   *
   * @example
   * AllowedFilters.partial('description')
   */
  static partial<Field extends string, Alias extends string = NotGiven> (
    field: Field,
    options?: TextOptions<Alias>
  ): PartialFilter<Field, Alias> {
    return new PartialFilter(field, options)
  }

  /**
   * Allows `filter[<name>]=<value>`, whose meaning a callback defines. The name need not be a property. The value is
   * the unchanged text, or a list of texts if the parameter is repeated. The callback adds a condition to the query
   * builder and returns the builder. It is synchronous.
   *
   * @example
   * AllowedFilters.custom('status', (qb, value) => qb.andWhere({ status: String(value).toUpperCase() }))
   */
  static custom<
    Entity extends object = UncheckedEntity,
    Name extends string = NotGiven,
    Alias extends string = NotGiven
  > (
    name: Name,
    callback: CustomFilterCallback<Entity>,
    options?: EntryOptions<Alias>
  ): CustomFilter<Entity, Name, Alias> {
    return new CustomFilter(name, callback, options)
  }

  /**
   * Allows `filter[<name>]=<text>` for records that contain the text in any of the fields, ignoring case. No character
   * has a special meaning. A field of a relation matches if a related record contains the text.
   *
   * @example
   * AllowedFilters.search('q', ['name', 'description', 'tags.name'])
   */
  static search<Field extends string, Name extends string = NotGiven, Alias extends string = NotGiven> (
    name: Name,
    fields: readonly Field[],
    options?: TextOptions<Alias>
  ): SearchFilter<Field, Name, Alias> {
    return new SearchFilter(name, fields, options)
  }

  /**
   * Allows `filter[<name>]=<text>` for records with the words of the text, in any form that the configuration of text
   * search knows: `runs` also finds `running`. Words may stand in different fields. `"in quotes"` finds a phrase, `or`
   * either word, `-word` records without it. A text without any word finds nothing.
   *
   * It also allows `sort=-<name>`, the best matches first, beside the filter. The fields are texts of the record and of
   * to-one relations. A generated column of type tsvector that has the words of exactly these fields is used.
   *
   * Options: `config` is the configuration of text search (default `simple`, which knows no language). `property` names
   * the property of type tsvector that stores the words, if it is not generated from the fields.
   *
   * @example
   * AllowedFilters.fullText('q', ['title', 'body', 'author.name'], { config: 'english' })
   */
  static fullText<Field extends string, Name extends string = NotGiven, Alias extends string = NotGiven> (
    name: Name,
    fields: readonly Field[],
    options?: FullTextOptions<Alias>
  ): FullTextFilter<Field, Name, Alias> {
    return new FullTextFilter(name, fields, options)
  }

  /**
   * Allows `filter[trashed]` with three values: `with` also finds records that are marked as deleted, `only` finds only
   * them, and `without`, the default, finds the others. The entity needs a `deleted_at`.
   *
   * @example
   * AllowedFilters.trashed()
   */
  static trashed<Alias extends string = NotGiven> (options?: EntryOptions<Alias>): TrashedFilter<Alias> {
    return new TrashedFilter(options)
  }

  /**
   * Allows `filter[<name>]=true`, which switches on a MikroORM filter of the entity or of the ORM's options. With
   * `params`, allows `filter[<name>]=<value>,<value>`, which also passes the values to the filter. Each value is
   * converted to the type of the property that `params` names for it: a number, a boolean, or text.
   *
   * It guards nothing: clients choose whether to use it. The rows that a request may use are decided by the option
   * `scope` of a resource, which only shares the name, and by MikroORM filters that are on by default.
   *
   * @example
   * AllowedFilters.scope('published')
   * AllowedFilters.scope('priced', { filter: 'priceBetween', params: { min: 'price', max: 'price' } })
   */
  static scope<
    Field extends string = string,
    Name extends string = NotGiven,
    Alias extends string = NotGiven,
    Params extends object = {}
  > (
    name: Name,
    options?: ScopeOptions<Field, Alias> & { readonly params?: Params }
  ): ScopeFilter<Field, Name, Alias, Params> {
    return new ScopeFilter(name, options)
  }

  /**
   * Allows `filter[<name>]=<value>` for records that match any of the filters, each by its default operator. If the
   * value does not fit the type of a property, the property's filter is skipped. If it fits none, the request is
   * refused.
   *
   * @example
   * AllowedFilters.anyOf('ref', [
   *   AllowedFilters.exact('id'), AllowedFilters.exact('sku'), AllowedFilters.partial('name'),
   * ])
   */
  static anyOf<
    const Filters extends readonly Alternative[],
    Name extends string = NotGiven,
    Alias extends string = NotGiven
  > (
    name: Name,
    filters: Filters,
    options?: EntryOptions<Alias>
  ): AnyOfFilter<Filters[number]['field'], Name, Alias> {
    return new AnyOfFilter(name, filters, options)
  }
}
