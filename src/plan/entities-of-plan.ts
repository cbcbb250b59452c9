/** Finds the entities whose rows a plan reads. Their MikroORM filters must be known before the plan is compiled. */
import { madeOnce } from '../base/made-once.ts'
import { entitiesBehind, readConstant } from '../conditions/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { isCustomTerm } from './order.ts'
import type { Aggregate, Condition, CustomTerm, OrderTerm } from './condition-types.ts'
import type { ManyTarget } from './many.ts'
import type { GroupTerm, ReadPlan, Selection } from './plan-types.ts'

/**
 * Returns the entities whose rows the statement of a plan reads, including those that conditions of relations and
 * includes lead to. It cannot know which entities callbacks of the application read.
 *
 * @example
 * entitiesOf(planList(parseQueryParams('include=author&filter[tags.name]=x'), whitelist)) // Article, Tag, Author
 */
export function entitiesOf (plan: ReadPlan | ManyTarget): readonly EntityModel[] {
  const sorted = 'order' in plan
    ? ofOrder(plan.order)
    : plan.kind === 'aggregate'
      ? ofTerms([...plan.groups, ...plan.numbers])
      : NONE
  const shown = showsRecords(plan) ? ofSelection(plan.selection) : NONE
  // most lists read one table
  const counted = 'facets' in plan && plan.facets !== undefined ? ofTerms(plan.facets.map(({ term }) => term)) : NONE
  if (sorted.size === 0 && shown.size === 0 && counted.size === 0 && !plan.conditions.some(isNested)) {
    return [plan.model]
  }
  const entities = new Set([plan.model])
  for (const condition of plan.conditions) addCondition(condition, entities)
  addAll(sorted, entities)
  addAll(shown, entities)
  addAll(counted, entities)
  return [...entities]
}

const showsRecords = (plan: ReadPlan | ManyTarget): plan is Extract<ReadPlan, { readonly selection: Selection }> =>
  'selection' in plan && !(plan.kind === 'stream' && plan.reads === 'keys')

const isNested = (condition: Condition): boolean =>
  'conditions' in condition || ('operand' in condition && condition.operand.kind === 'number') ||
  (condition.kind === 'match' && condition.document.fields.some(({ relations }) => relations.length > 0))

const NONE: ReadonlySet<EntityModel> = new Set()

type EntitySet = Set<EntityModel>

function addAll (more: Iterable<EntityModel>, entities: EntitySet): void {
  for (const model of more) entities.add(model)
}

function addCondition (condition: Condition, entities: EntitySet): void {
  if (condition.kind === 'related') addRelation(condition.relation, entities)
  if ('operand' in condition && condition.operand.kind === 'number') addNumber(condition.operand.aggregate, entities)
  if (condition.kind === 'match') addAll(ofTerms(condition.document.fields), entities)
  if ('conditions' in condition) {
    for (const inner of condition.conditions) addCondition(inner, entities)
  }
}

function addRelation ({ target, where }: RelationProperty, entities: EntitySet): void {
  entities.add(target)
  addConstant(where, target, entities)
}

/** Adds the entities behind the condition of a relation, an include or an aggregate. */
function addConstant (where: object | undefined, target: EntityModel, entities: EntitySet): void {
  if (where !== undefined) addAll(entitiesBehind(readConstant(where, target)), entities)
}

function addNumber ({ relation, where }: Aggregate, entities: EntitySet): void {
  addRelation(relation, entities)
  addConstant(where, relation.target, entities)
}

const ofOrder = madeOnce((order: ReadonlyArray<OrderTerm | CustomTerm>): ReadonlySet<EntityModel> => {
  const found: EntitySet = new Set()
  addOrder(order, found)
  return found
})

function addOrder (order: ReadonlyArray<OrderTerm | CustomTerm>, entities: EntitySet): void {
  for (const term of order) {
    if (isCustomTerm(term)) continue
    for (const relation of term.relations) addRelation(relation, entities)
    if (term.operand.kind === 'number') addNumber(term.operand.aggregate, entities)
  }
}

function ofTerms (terms: readonly Pick<GroupTerm, 'relations'>[]): ReadonlySet<EntityModel> {
  const found: EntitySet = new Set()
  for (const { relations } of terms) {
    for (const relation of relations) addRelation(relation, found)
  }
  return found
}

const ofSelection = madeOnce((selection: Selection): ReadonlySet<EntityModel> => {
  const found: EntitySet = new Set()
  addSelection(selection, found)
  return found
})

function addSelection ({ includes, aggregates }: Selection, entities: EntitySet): void {
  for (const { relation, rules, selection } of includes) {
    addRelation(relation, entities)
    addConstant(rules?.where, relation.target, entities)
    addOrder(rules?.order ?? [], entities)
    addSelection(selection, entities)
  }
  for (const aggregate of aggregates) addNumber(aggregate, entities)
}
