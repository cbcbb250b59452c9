/** Describes the includes of a whitelist as a tree, with the fields of included records. */
import type { DescribedFilter } from '../catalogue/index.ts'
import type { AggregateEntry, FilterTarget, RelationEntry, Whitelist } from '../plan/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { relationEntries } from '../schema/index.ts'
import type { AggregateDescription, IncludeDescription, RelatedList, RelationDescription } from './description.ts'
import { CUSTOM, describeFields, describeType, type ReferenceTo } from './values.ts'

/** The filters of the resource that lists the records of an entity, for this caller. */
export type ListOf = (
  model: EntityModel
) => { readonly path: string, readonly filters: readonly DescribedFilter[] } | undefined

export function describeIncludes (
  whitelist: Whitelist,
  referenceTo: ReferenceTo,
  listOf: ListOf
): readonly IncludeDescription[] {
  const relations = relationEntries(whitelist)
  const aggregates = [...whitelist.includes.values()].filter((entry) => entry.kind === 'aggregate')
  const below = (parent: RelationEntry | undefined, model: EntityModel): IncludeDescription[] => [
    ...relations.filter((entry) => entry.parent === parent).map((entry): RelationDescription => ({
      ...describeRelation(entry, model, referenceTo, listOf),
      allowed: whitelist.includes.get(entry.name) === entry,
      includes: below(entry, entry.relation.target),
    })),
    ...aggregates.filter((entry) => entry.parent === parent).map(describeAggregate),
  ]
  return below(undefined, whitelist.model)
}

function describeRelation (
  { name, relation, fields, rules }: RelationEntry,
  model: EntityModel,
  referenceTo: ReferenceTo,
  listOf: ListOf
): Omit<RelationDescription, 'allowed' | 'includes'> {
  return {
    kind: 'relation',
    path: name,
    name: relation.publicName,
    many: relation.many,
    limit: rules?.limit ?? null,
    reference: referenceTo(relation.target),
    fields: describeFields({ model: relation.target, selectable: fields }, referenceTo),
    list: relation.many ? relatedList(relation, model, listOf) : null,
  }
}

/** The list that has the related records of one record, and no others. */
function relatedList (relation: RelationProperty, model: EntityModel, listOf: ListOf): RelatedList | null {
  const list = listOf(relation.target)
  const field = keyField(relation, model)
  if (list === undefined || field === undefined) return null
  for (const { target, inputs } of list.filters) {
    const equal = inputs.find(({ operator }) => operator === 'eq')
    if (target === undefined || equal === undefined || !leadsBack(target, relation)) continue
    return { resource: list.path, parameter: equal.parameter, field }
  }
  return null
}

/** The property of a record that its related records refer to. `undefined` for composite keys. */
function keyField ({ join: { columns } }: RelationProperty, { properties }: EntityModel): string | undefined {
  if (columns.length !== 1) return undefined
  return [...properties.values()].find((property) =>
    property.kind === 'scalar' && property.column === columns[0] && !property.hidden
  )?.publicName
}

/** Whether a filter of the related records compares the key of the record that they are related to. */
function leadsBack ({ relations, operand }: FilterTarget, relation: RelationProperty): boolean {
  const [back, ...more] = relations
  if (back === undefined) return operand.kind === 'relation' && isReverse(operand, relation)
  return more.length === 0 && isReverse(back, relation) && operand.kind === 'scalar' &&
    operand.column === relation.join.columns[0]
}

/** Whether two relations join the same columns from both sides. */
function isReverse ({ join: back }: RelationProperty, { join }: RelationProperty): boolean {
  if (back.kind === 'pivot' && join.kind === 'pivot') {
    return back.table === join.table && same(back.pivotColumns, join.pivotTargetColumns) &&
      same(back.pivotTargetColumns, join.pivotColumns)
  }
  return back.kind === 'owner' && join.kind === 'inverse' && same(back.columns, join.targetColumns) &&
    same(back.targetColumns, join.columns)
}

const same = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((column, index) => column === others[index])

function describeAggregate ({ name, aggregate }: AggregateEntry): AggregateDescription {
  const { function: fn, relation, property, type } = aggregate
  return {
    kind: 'aggregate',
    path: name,
    name: aggregate.name,
    function: fn,
    relation: relation.publicName,
    property: property?.publicName ?? null,
    value: property?.codec === undefined ? describeType(type) : CUSTOM,
    nullable: fn !== 'count' && fn !== 'exists',
  }
}
