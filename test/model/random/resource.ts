/** A whitelist of the random tests as a whitelist of the product. */
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  QueryBuilderConfig,
} from '../../../src/index.ts'
import type {
  Facet, Filter, GroupEntry, Include, NumberEntry, OperatorFilter, PartialFilter, Whitelist,
} from '../reference/description.ts'
import { models } from './database.ts'

type Options = Record<string, unknown>

function property (filter: OperatorFilter | PartialFilter): any {
  const options: Options = { ...filter.alias && { alias: filter.alias } }
  if (filter.kind === 'partial') return AllowedFilters.partial(filter.path, options)
  if (filter.jsonType) options['type'] = filter.jsonType
  return new AllowedFilters(filter.path, filter.operators[0], filter.operators, options)
}

function allowedFilter (filter: Filter): any {
  switch (filter.kind) {
    case 'trashed':
      return AllowedFilters.trashed()
    case 'search':
      return AllowedFilters.search(filter.alias, filter.paths)
    case 'anyOf':
      return AllowedFilters.anyOf(filter.alias, filter.filters.map(property))
    default: {
      const made = property(filter)
      const ignoring = filter.ignore ? made.ignore(...filter.ignore) : made
      return filter.default === undefined ? ignoring : ignoring.default(filter.default)
    }
  }
}

function allowedInclude (include: Include): any {
  const where = include.where && { where: { [include.where.property]: include.where.equals } }
  if (include.kind === 'aggregate') return AllowedInclude[include.function](include.path, { ...where })
  const { alias, limit, sort } = include
  const options: Options = { ...alias && { alias }, ...limit && { limit }, ...sort && { sort }, ...where }
  return new AllowedInclude(include.path, options)
}

const allowedFacet = ({ path, alias, limit }: Facet): any =>
  new AllowedFacet(path, { ...alias && { alias }, ...limit && { limit } })

function allowedGroup ({ path, alias, periods }: GroupEntry): any {
  const options: Options = { ...alias && { alias } }
  if (periods === undefined) return new AllowedGroup(path, options)
  const { units, timeZone } = periods
  return AllowedGroup.date(path, [...units] as ['day'], { ...options, ...timeZone && { timeZone } })
}

function allowedNumber ({ path, alias, functions }: NumberEntry): any {
  const options: Options = { ...alias && { alias } }
  return path === undefined ? AllowedAggregate.count(options) : new AllowedAggregate(path, functions, options)
}

export function crudOf (whitelist: Whitelist): CrudBase {
  return new CrudBase({
    model: models.get(whitelist.entity),
    queryConfig: new QueryBuilderConfig<any>({
      allowedFilters: whitelist.filters.map(allowedFilter),
      allowedSorts: whitelist.sorts.map(({ paths, alias, direction }) =>
        new AllowedSort(...paths as [string], { direction, ...alias && { alias } } as never)
      ),
      allowedFields: whitelist.fields.map(({ path, alias }) => new AllowedField(path, alias ? { alias } : {})),
      allowedIncludes: whitelist.includes.map(allowedInclude),
      allowedFacets: whitelist.facets.map(allowedFacet),
      allowedGroups: whitelist.groups.map(allowedGroup),
      allowedAggregates: whitelist.numbers.map(allowedNumber),
      defaultSort: whitelist.defaultSort,
      ignoreInvalidErrors: whitelist.ignoreInvalid,
      pagination: {
        defaultPerPage: whitelist.perPage, maxPerPage: whitelist.maxPerPage, maxOffset: whitelist.maxOffset,
        count: whitelist.count, countParameter: whitelist.countParameter,
      },
    }),
  })
}
