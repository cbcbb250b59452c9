/** Describes everything that the requests of an offer may name: properties, includes, filters, sorts and pages. */
import { readSignedName, takesBodies, type CrudOperation } from '../config/index.ts'
import { publicPath, resolvePath, type EntityModel, type Property, type RelationProperty } from '../model/index.ts'
import type { Aggregate, FacetTerm, GroupNumber, GroupTerm, Whitelist } from '../plan/index.ts'
import { includeTree, type IncludeLevel } from '../schema/index.ts'
import { describeFilters, type DescribedFilter } from './filter-descriptions.ts'
import type { Offer } from './offer.ts'

export interface Description {
  /** The name of the resource, for `fields[<name>]`. */
  readonly name: string
  /** The properties that `fields` may name, by these names. */
  readonly fields: ReadonlyMap<string, Property>
  /** The properties that bodies may set. `undefined` if the operation is not offered. */
  readonly settable: Readonly<Record<'create' | 'update', ReadonlySet<Property> | undefined>>
  /** The children that bodies write with a record. */
  readonly children: readonly DescribedChildren[]
  /** The relations and aggregates at the records of the resource. */
  readonly includes: readonly DescribedInclude[]
  readonly filters: readonly DescribedFilter[]
  readonly sorts: readonly DescribedSort[]
  /** The order of a list without a sort. The key follows. */
  readonly defaultSort: readonly DescribedOrder[]
  /** The facets that a list may have. */
  readonly facets: readonly FacetTerm[]
  /** The groups of aggregates, and the numbers about them. Empty if the operation is not offered. */
  readonly groups: readonly GroupTerm[]
  readonly numbers: readonly GroupNumber[]
  /** The limits of pages of groups. */
  readonly groupPages: Whitelist['groupPagination']
  /** The limits of pages, and whether pages by cursor are possible in the default order. */
  readonly pages: Whitelist['pagination'] & { readonly cursor: boolean }
}

/** A group, or a number about groups. */
export type DescribedTerm = GroupTerm | GroupNumber

/** The children of a relation that bodies write with their parent. */
export interface DescribedChildren {
  readonly relation: RelationProperty
  /** The properties of new children. `undefined` if bodies of that operation may not add any. */
  readonly added: Readonly<Record<'create' | 'update', ReadonlySet<Property> | undefined>>
  /** The properties that may be changed. `undefined` if none may, and if only new records have children. */
  readonly changed: ReadonlySet<Property> | undefined
  /** Whether bodies of updates may remove children. */
  readonly removed: boolean
  /** The names of the parts by which an update names a child. Empty if only new records have children. */
  readonly key: readonly string[]
}

export type DescribedInclude = DescribedRelation | DescribedAggregate

export interface DescribedRelation {
  readonly kind: 'relation'
  /** The full path in `include`. */
  readonly path: string
  readonly relation: RelationProperty
  /** Whether it may be included. Otherwise it only leads to other includes. */
  readonly allowed: boolean
  /** The maximum number of related records of each record, if there is one. */
  readonly limit: number | undefined
  /** The properties that `fields[<path>]` may name, by these names. */
  readonly fields: ReadonlyMap<string, Property>
  /** The includes that start from the related records. */
  readonly includes: readonly DescribedInclude[]
}

interface DescribedAggregate {
  readonly kind: 'aggregate'
  /** The full path in `include`. */
  readonly path: string
  readonly aggregate: Aggregate
}

interface DescribedSort {
  readonly name: string
  /** Whether the bare name is descending. */
  readonly descending: boolean
  /** The path in records of the property that it sorts by. `null` for other orders. */
  readonly field: string | null
  /** Whether it is by relevance: it needs the filter of the same name beside it. */
  readonly relevance: boolean
  /** Whether pages by cursor are possible in this order. */
  readonly cursor: boolean
}

interface DescribedOrder {
  /** As the configuration has it, with its sign. */
  readonly written: string
  /** The path in records of a property. `null` for orders that only the server knows. */
  readonly field: string | null
  /** The name in `sort` that has the same effect. `null` if no name has. */
  readonly name: string | null
  readonly descending: boolean
}

export function describeOffer (offer: Offer): Description {
  const { whitelist, operations, writable } = offer
  const sorts = describeSorts(offer)
  const aggregates = operations.includes('aggregate')
  return {
    name: [...whitelist.names][0]!,
    fields: whitelist.fields,
    settable: {
      create: takesBodies(operations, 'create') ? writable.create?.properties : undefined,
      update: takesBodies(operations, 'update') ? writable.update?.properties : undefined,
    },
    children: describeChildren(offer),
    includes: describeIncludes(includeTree(whitelist), whitelist),
    filters: describeFilters(whitelist),
    sorts,
    defaultSort: describeDefaultSort(offer, sorts),
    facets: operations.includes('list') ? [...whitelist.facets.values()] : [],
    groups: aggregates ? [...whitelist.groups.values()] : [],
    numbers: aggregates ? [...whitelist.numbers.values()] : [],
    groupPages: whitelist.groupPagination,
    pages: { ...whitelist.pagination, cursor: whitelist.defaultOrder.every(({ target }) => 'operand' in target) },
  }
}

/** What the caller may not do with children is left out, and so are children with which it may do nothing. */
function describeChildren ({ operations, writable, mayWriteChild }: Offer): DescribedChildren[] {
  const of = (kind: 'create' | 'update') => takesBodies(operations, kind) ? writable[kind]?.children : undefined
  const [created, updated] = [of('create'), of('update')]
  const names = new Set([...created?.keys() ?? [], ...updated?.keys() ?? []])
  return [...names].flatMap((name) => {
    const [forNew, forOld] = [created?.get(name), updated?.get(name)]
    const { relation } = (forNew ?? forOld)!
    const may = (operation: CrudOperation): boolean => mayWriteChild(relation.target, operation)
    const added = may('create')
      ? { create: forNew?.create?.properties, update: forOld?.create?.properties }
      : { create: undefined, update: undefined }
    const changed = may('update') ? forOld?.update?.properties : undefined
    const removed = forOld !== undefined && may('delete')
    if (!added.create && !added.update && !changed && !removed) return []
    return { relation, added, changed, removed, key: forOld?.key.map(({ publicName }) => publicName) ?? [] }
  })
}

function describeIncludes (
  { relations, aggregates }: IncludeLevel,
  { includes: allowed }: Pick<Whitelist, 'includes'>
): readonly DescribedInclude[] {
  return [
    ...relations.map(({ entry, ...below }): DescribedRelation => ({
      kind: 'relation',
      path: entry.name,
      relation: entry.relation,
      allowed: allowed.get(entry.name) === entry,
      limit: entry.rules?.limit,
      fields: entry.fields,
      includes: describeIncludes(below, { includes: allowed }),
    })),
    ...aggregates.map(({ name, aggregate }): DescribedAggregate => ({ kind: 'aggregate', path: name, aggregate })),
  ]
}

/** All includes of a tree, each before those that start from it. */
export function eachInclude (includes: readonly DescribedInclude[]): readonly DescribedInclude[] {
  return includes.flatMap((include) =>
    include.kind === 'aggregate' ? [include] : [include, ...eachInclude(include.includes)]
  )
}

/** Whether requests may name an include. Some are only on the way to others. */
export const isAllowed = (include: DescribedInclude): boolean => include.kind === 'aggregate' || include.allowed

function describeSorts ({ whitelist: { sorts, model }, config: { allowedSorts } }: Offer): DescribedSort[] {
  // an alias hides the property that the sort orders by
  const aliased = new Map(
    allowedSorts.flatMap((sort) =>
      sort.kind === 'fields' && sort.alias !== undefined ? [[sort.alias, sort.fields] as const] : []
    )
  )
  return [...sorts.values()].map(({ name, descending, targets }) => {
    const [field] = aliased.get(name) ?? [undefined]
    const [first, ...more] = targets
    const relevance = 'operand' in first! && first.operand.kind === 'relevance'
    const plain = more.length === 0 && !relevance && 'operand' in first!
    const number = plain && first.operand.kind === 'number' ? first.operand : undefined
    return {
      name,
      descending,
      field: number?.name ?? (plain ? field === undefined ? name : publicPathOf(field, model) : null),
      relevance,
      cursor: targets.every((target) => 'operand' in target),
    }
  })
}

function describeDefaultSort ({ config, model, whitelist }: Offer, sorts: readonly DescribedSort[]): DescribedOrder[] {
  const numbers = new Set(
    [...whitelist.includes.values()].flatMap((entry) =>
      entry.kind === 'aggregate' && entry.parent === undefined ? [entry.aggregate.name] : []
    )
  )
  return config.defaultSort.map((written) => {
    const { name, descending } = readSignedName(written)
    const sort = sorts.find((sort) => sort.name === name)
    if (sort === undefined) {
      const field = numbers.has(name) ? name : publicPathOf(name, model)
      return { written, field, name: null, descending: descending === true }
    }
    return { written, field: sort.field, name, descending: descending ?? sort.descending }
  })
}

const publicPathOf = (path: string, model: EntityModel): string => publicPath(resolvePath(model, path, path))
