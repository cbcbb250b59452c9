/** The includes of a resource in the explorer's document: a tree, with the fields of included records. */
import type { DescribedFilter, DescribedInclude, DescribedRelation } from '../catalogue/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import type { Aggregate, FilterTarget } from '../plan/index.ts'
import type { AggregateDescription, IncludeDescription, RelatedList, RelationDescription } from './description.ts'
import { CUSTOM, describeType, showFields, type ReferenceTo } from './show-fields.ts'

/** The other resources that the caller may use. */
export interface Others {
  readonly referenceTo: ReferenceTo
  /** The filters of the resource that lists the records of an entity. */
  readonly listOf: (
    model: EntityModel
  ) => { readonly path: string, readonly filters: readonly DescribedFilter[] } | undefined
}

/** @param model the entity of the records that have the includes */
export function showIncludes (
  includes: readonly DescribedInclude[],
  model: EntityModel,
  others: Others
): readonly IncludeDescription[] {
  return includes.map((include) =>
    include.kind === 'relation'
      ? showRelation(include, model, others)
      : showAggregate(include.path, include.aggregate)
  )
}

function showRelation (
  { path, relation, allowed, limit, fields, includes }: DescribedRelation,
  model: EntityModel,
  others: Others
): RelationDescription {
  const { target, many } = relation
  return {
    kind: 'relation',
    path,
    name: relation.publicName,
    allowed,
    many,
    limit: limit ?? null,
    reference: others.referenceTo(target),
    fields: showFields(target, fields, others.referenceTo),
    includes: showIncludes(includes, target, others),
    list: many ? relatedList(relation, model, others) : null,
  }
}

/** The list that has the related records of one record, and no others. */
function relatedList (relation: RelationProperty, model: EntityModel, { listOf }: Others): RelatedList | null {
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

function showAggregate (path: string, aggregate: Aggregate): AggregateDescription {
  const { function: fn, relation, property, type } = aggregate
  return {
    kind: 'aggregate',
    path,
    name: aggregate.name,
    function: fn,
    relation: relation.publicName,
    property: property?.publicName ?? null,
    value: property?.codec === undefined ? describeType(type) : CUSTOM,
    nullable: fn !== 'count' && fn !== 'exists',
  }
}
