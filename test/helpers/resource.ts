/** Resources of tests, whose whitelists are names where the usual entry is meant. */
import {
  AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase, QueryBuilderConfig,
  type QueryBuilderOptions,
} from '../../src/index.ts'

/** An entry, or a name in its place. */
type Entry = string | object

/**
 * The options of a whitelist, with names in place of entries. A name among filters allows `eq`. An object among them
 * has names with the operators that each allows, the default first.
 */
export interface Names extends Omit<QueryBuilderOptions<any>, `allowed${string}`> {
  readonly allowedFilters?: readonly (Entry | Readonly<Record<string, readonly string[]>>)[]
  readonly allowedSorts?: readonly Entry[]
  readonly allowedFields?: readonly Entry[]
  readonly allowedIncludes?: readonly Entry[]
  readonly allowedFacets?: readonly Entry[]
  readonly allowedGroups?: readonly Entry[]
  readonly allowedAggregates?: readonly object[]
}

const ENTRIES: Readonly<Record<string, new(name: string) => object>> = {
  allowedSorts: AllowedSort, allowedFields: AllowedField, allowedIncludes: AllowedInclude, allowedFacets: AllowedFacet,
  allowedGroups: AllowedGroup,
}

function filtersOf (entry: any): readonly object[] {
  if (typeof entry === 'string') return [new AllowedFilters(entry)]
  if (Object.getPrototypeOf(entry) !== Object.prototype) return [entry]
  return Object.entries(entry as Record<string, string[]>).map(([name, operators]) =>
    new (AllowedFilters as any)(name, operators[0], operators)
  )
}

/**
 * A whitelist.
 *
 * @example whitelist({ allowedFilters: ['name', { price: ['gte', 'lt'] }], allowedSorts: ['name'] })
 */
export function whitelist (names: Names): QueryBuilderConfig<any> {
  const options: Record<string, any> = { ...names }
  for (const [list, Class] of Object.entries(ENTRIES)) {
    options[list] = options[list]?.map((entry: Entry) => typeof entry === 'string' ? new Class(entry) : entry)
  }
  options['allowedFilters'] = options['allowedFilters']?.flatMap(filtersOf)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return new QueryBuilderConfig<any>(Object.fromEntries(given))
}

/** A resource of an entity. Bodies may set all properties, unless `options` say otherwise. */
export function resource (model: any, names: Names = {}, options: object = {}): CrudBase<any> {
  return new CrudBase<any>({ model, writable: 'all', queryConfig: whitelist(names), ...options })
}
