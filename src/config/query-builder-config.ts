/** The whitelist of a resource: everything that a client may ask for, and the defaults. */
import { ConfigError } from '../base/errors.ts'
import type { AggregateFunction, AggregateInclude, AllowedInclude } from './allowed-include.ts'
import type { AllowedAggregate, CountAggregate } from './allowed-aggregate.ts'
import type { AllowedFacet } from './allowed-facet.ts'
import type { AllowedField } from './allowed-field.ts'
import type { AllowedGroup, DateGroup } from './allowed-group.ts'
import type { AllowedSort, CustomSort, CustomSortCallback } from './allowed-sort.ts'
import type { Filter, FilterOf } from './filter-kinds.ts'
import { checkPath, type Known, type UncheckedEntity } from './entry-arguments.ts'
import type { PathHint } from './paths.ts'
import { readSignedName } from './signed-name.ts'
import { checkWhitelist, readPagination, type CommonWhitelistOptions, type Pagination } from './whitelist-options.ts'

/** An entry of `allowedSorts`. */
export type Sort<Entity extends object = UncheckedEntity> = AllowedSort<string> | CustomSort<Entity>
/** An entry of `allowedFields`. */
export type Field = AllowedField<string>
/** An entry of `allowedIncludes`, told apart by `kind`. */
export type Include = AllowedInclude<string, string> | AggregateInclude<string>
/** An entry of `allowedFacets`. */
export type Facet = AllowedFacet<string>
/** An entry of `allowedGroups`, told apart by `kind`. */
export type GroupEntry = AllowedGroup<string> | DateGroup<string>
/** An entry of `allowedAggregates`, told apart by `kind`. */
export type GroupAggregate = AllowedAggregate<string> | CountAggregate

/** The type of `allowedSorts` for an entity. */
type SortOf<Entity extends object> = {
  readonly kind: 'custom',
  readonly field: string,
  readonly callback: CustomSortCallback<Entity>,
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'fields',
  readonly fields: ReadonlyArray<PathHint<Entity, 'sort'>>,
}

/** The type of `allowedFields` for an entity. */
type FieldOf<Entity extends object> = {
  readonly '~names': Known<Entity>,
  readonly kind: 'property',
  readonly field: PathHint<Entity, 'field'>,
}

/** The type of `allowedIncludes` for an entity. */
type IncludeOf<Entity extends object> = {
  readonly '~names': Known<Entity>,
  readonly kind: 'relation',
  readonly path: PathHint<Entity, 'include'>,
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'aggregate',
  readonly function: AggregateFunction,
  readonly path: PathHint<Entity, 'include' | 'aggregate'>,
}

/** The type of `allowedFacets` for an entity. */
type FacetOf<Entity extends object> = {
  readonly '~names': Known<Entity>,
  readonly kind: 'facet',
  readonly field: PathHint<Entity, 'group'>,
}

/** The type of `allowedGroups` for an entity. */
type GroupOf<Entity extends object> = {
  readonly '~names': Known<Entity>,
  readonly kind: 'values' | 'dates',
  readonly field: PathHint<Entity, 'group'>,
}

/** The type of `allowedAggregates` for an entity. */
type GroupAggregateOf<Entity extends object> = {
  readonly kind: 'count',
} | {
  readonly '~names': Known<Entity>,
  readonly kind: 'property',
  readonly field: PathHint<Entity, 'sort'>,
}

/** The options of `QueryBuilderConfig`. An empty or missing list allows nothing. */
export interface QueryBuilderOptions<Entity extends object = UncheckedEntity> extends CommonWhitelistOptions {
  /** @internal Only a type: the entity of the configuration. */
  readonly '~entity'?: (entity: Entity) => void
  /**
   * The filters, such as `AllowedFilters.exact('name')` or `new AllowedFilters('price', 'gte', ['gte', 'lte'])`.
   * Default: none.
   */
  readonly allowedFilters?: ReadonlyArray<FilterOf<Entity>>
  /** The sorts, such as `new AllowedSort('name', 'price')`. Default: none. */
  readonly allowedSorts?: ReadonlyArray<SortOf<Entity>>
  /** The properties that `fields` may name, such as `new AllowedField('name')`. Default: none. */
  readonly allowedFields?: ReadonlyArray<FieldOf<Entity>>
  /**
   * The relations and aggregates that `include` may name, such as `new AllowedInclude('author')` or
   * `AllowedInclude.count('books')`. Default: none.
   */
  readonly allowedIncludes?: ReadonlyArray<IncludeOf<Entity>>
  /** The facets that `facets` may name beside a list, such as `new AllowedFacet('status')`. Default: none. */
  readonly allowedFacets?: ReadonlyArray<FacetOf<Entity>>
  /**
   * The groups that aggregates may have, such as `new AllowedGroup('status')` or
   * `AllowedGroup.date('created_at', ['month'])`. Default: none.
   */
  readonly allowedGroups?: ReadonlyArray<GroupOf<Entity>>
  /**
   * The numbers that aggregates may have, such as `AllowedAggregate.count()` or
   * `new AllowedAggregate('price', ['sum', 'avg'])`. Default: none.
   */
  readonly allowedAggregates?: ReadonlyArray<GroupAggregateOf<Entity>>
  /**
   * The order of a list if the URL has no sort. Each item is a property or the URL name of an allowed sort, with `-`
   * for descending.
   */
  readonly defaultSort?: ReadonlyArray<PathHint<Entity, 'sort'>>
}

/** Options with their inferred literals. Options from a type argument become `any`, which fits all others. */
type Literals<Entity extends object, Options> = [QueryBuilderOptions<Entity>] extends [Options] ? any : Options

/** Refuses unknown options. An inferred type argument would otherwise accept them. */
export type OnlyOptions<Options> = {
  readonly [Name in Exclude<keyof Options, keyof QueryBuilderOptions | `~${string}`>]: never
}

/**
 * The filters, sorts, fields and includes that clients may use. Everything else is refused. If the entity's type is
 * given, an unknown property is a type error. In any case it is an error at start-up, when the CRUD class is bound to
 * its ORM.
 *
 * The result is deeply frozen, has all defaults filled in, and shares nothing with the options. You can use it as
 * options of another configuration: `new QueryBuilderConfig({ ...base, defaultSort: ['name'] })`.
 *
 * Throws `ConfigError` for an unknown option, a value of the wrong type, two entries with the same name in the URL, a
 * default page larger than the largest one, and a malformed or repeated default sort.
 *
 * @example
 * new QueryBuilderConfig<Category>({
 *   allowedFilters: [AllowedFilters.exact('name'), new AllowedFilters('products.price', 'gte', ['gte', 'lte'])],
 *   allowedSorts: [new AllowedSort('name')],
 *   allowedFields: [new AllowedField('id'), new AllowedField('name')],
 *   allowedIncludes: [new AllowedInclude('products')],
 *   defaultSort: ['-created_at'],
 * })
 */
export class QueryBuilderConfig<
  Entity extends object = UncheckedEntity,
  const Options extends QueryBuilderOptions<Entity> = QueryBuilderOptions<Entity>
> {
  /** @internal Only a type: the entity of the configuration. */
  declare readonly '~entity': (entity: Entity) => void
  /** @internal Only a type: the options, with the literals of their entries. */
  declare readonly '~options': Literals<Entity, Options>
  /**
   * @internal Only a type. A mapped type makes the compiler compare configurations by their members, not by their type
   *   arguments, so the `any` of `Literals` takes effect.
   */
  declare readonly '~given': { readonly [Name in keyof Options]?: unknown }

  /** The filters that clients may use. */
  readonly allowedFilters: readonly Filter[]
  /** The sorts that clients may use. */
  readonly allowedSorts: readonly Sort[]
  /** The properties that clients may select. */
  readonly allowedFields: readonly Field[]
  /** The relations and aggregates that clients may include. */
  readonly allowedIncludes: readonly Include[]
  /** The facets that clients may ask for. */
  readonly allowedFacets: readonly Facet[]
  /** The groups that clients may ask for. */
  readonly allowedGroups: readonly GroupEntry[]
  /** The numbers about groups that clients may ask for. */
  readonly allowedAggregates: readonly GroupAggregate[]
  /** The order of requests without `sort`. */
  readonly defaultSort: readonly string[]
  /** Whether names that are not allowed are ignored instead of refused. */
  readonly ignoreInvalidErrors: boolean
  /** The limits and defaults of pages, complete. */
  readonly pagination: Pagination

  constructor (options: Options & OnlyOptions<Options> = {} as Options & OnlyOptions<Options>) {
    checkWhitelist(options)
    // the schema has checked that the entries are instances of the classes
    this.allowedFilters = frozen(options.allowedFilters as readonly Filter[] | undefined)
    this.allowedSorts = frozen(options.allowedSorts as readonly Sort[] | undefined)
    this.allowedFields = frozen(options.allowedFields as readonly Field[] | undefined)
    this.allowedIncludes = frozen(options.allowedIncludes as readonly Include[] | undefined)
    this.allowedFacets = frozen(options.allowedFacets as readonly Facet[] | undefined)
    this.allowedGroups = frozen(options.allowedGroups as readonly GroupEntry[] | undefined)
    this.allowedAggregates = frozen(options.allowedAggregates as readonly GroupAggregate[] | undefined)
    this.defaultSort = frozen(options.defaultSort)
    this.ignoreInvalidErrors = options.ignoreInvalidErrors ?? false
    this.pagination = readPagination(options.pagination)
    refuseSharedNames('allowedFilters', this.allowedFilters, filter => [filter.alias ?? filter.field])
    refuseSharedNames('allowedSorts', this.allowedSorts, sortNames)
    refuseSharedNames('allowedFields', this.allowedFields, field => [field.alias ?? field.field])
    refuseSharedNames('allowedIncludes', this.allowedIncludes, include => [includeKey(include)])
    refuseSharedNames('allowedFacets', this.allowedFacets, facet => [facet.alias ?? facet.field])
    refuseSharedNames('allowedGroups', this.allowedGroups, groupNames)
    refuseSharedNames('allowedAggregates', this.allowedAggregates, aggregateNames)
    checkDefaultSort(this.defaultSort)
    Object.freeze(this)
  }
}

function frozen<T> (items: readonly T[] = []): readonly T[] {
  return Object.freeze([...items])
}

/** A key that must be unique among includes: their place, and the part of their name that needs no entity. */
function includeKey ({ alias, path, ...include }: Include): string {
  const parts = path.split('.')
  const own = include.kind === 'relation' ? 1 : include.function === 'count' || include.function === 'exists' ? 1 : 2
  const name = alias ?? parts.slice(-own).join('.') + (include.kind === 'relation' ? '' : ` ${include.function}`)
  return [...parts.slice(0, -own), name].join('.')
}

/** The names of a sort in URLs. */
export const sortNames = (sort: Sort): readonly string[] =>
  sort.alias !== undefined ? [sort.alias] : sort.kind === 'custom' ? [sort.field] : sort.fields

/** The names of a group in URLs. */
const groupNames = ({ alias, field, ...group }: GroupEntry): readonly string[] =>
  group.kind === 'values' ? [alias ?? field] : group.units.map((unit) => `${alias ?? field}.${unit}`)

/** The names of a number about groups in URLs. */
const aggregateNames = (entry: GroupAggregate): readonly string[] =>
  entry.kind === 'count' ? [entry.alias ?? 'count'] : entry.functions.map((fn) => `${entry.alias ?? entry.field}.${fn}`)

function refuseSharedNames<T> (list: string, entries: readonly T[], urlNames: (entry: T) => readonly string[]): void {
  const owners = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    for (const name of urlNames(entry)) {
      const owner = owners.get(name)
      if (owner !== undefined) {
        throw new ConfigError(
          `QueryBuilderConfig: ${list}[${owner}] and ${list}[${index}] are both '${name}' ` +
            'in the URL; remove one, or give it an alias'
        )
      }
      owners.set(name, index)
    }
  }
}

function checkDefaultSort (items: readonly string[]): void {
  const names = new Set<string>()
  for (const [index, item] of items.entries()) {
    const { name } = readSignedName(item)
    checkPath(`QueryBuilderConfig: defaultSort[${index}]`, name)
    if (names.has(name)) throw new ConfigError(`QueryBuilderConfig: defaultSort names '${name}' twice`)
    names.add(name)
  }
}
