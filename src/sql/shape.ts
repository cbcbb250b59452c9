/**
 * The shape of a plan: everything that its SQL depends on, and nothing else. Plans of one resource with the same shape
 * have the same statement and differ only in the bound values.
 */
import { formOf, OPERATOR_NAMES, OPERATORS, type OperatorEntry, type OperatorForm } from '../operators/index.ts'
import {
  isCustomTerm,
  isDeep,
  type AnyWritePlan,
  type Assignment,
  type Condition,
  type GetPlan,
  type InsertPlan,
  type PlannedInclude,
  type KeysetPlan,
  type ListPlan,
  type OrderTerm,
  type Plan,
  type RecordsPlan,
  type Selection,
  type UpdatePlan,
  type CustomTerm,
  type Window,
} from '../plan/index.ts'
import { firstTypeOf } from './comparison.ts'

const ids = new WeakMap<object, number>()
let lastId = 0

/** A number that identifies an object of the model or the whitelist. It is short and unique. */
export function idOf (object: object): number {
  let id = ids.get(object)
  if (id === undefined) ids.set(object, id = ++lastId)
  return id
}

/** The text of a statement contains the number of rows that it counts. */
const countShape = ({ count }: Window): string =>
  count === 'exact' ? 'n' : typeof count === 'object' ? `n${count.upTo}` : ''

/**
 * The key of a plan's statement. Custom filters and sorts have no shape, because their callbacks may depend on
 * anything.
 */
export function shapeOf (plan: Plan): string {
  const base = `${plan.kind}|${idOf(plan.model)}|${plan.deleted}|${conditionsShape(plan.conditions)}${
    filtersShape(plan)
  }`
  switch (plan.kind) {
    case 'list':
      return `${base}|${limitsShape(plan)}${orderShape(plan.order)}|${selectionShape(plan.selection)}|${
        countShape(plan.window)
      }${isDeep(plan.window) ? 'k' : ''}${plan.gathered === true ? 'g' : ''}`
    case 'keyset':
      return `${base}|${limitsShape(plan)}${orderShape(plan.order)}|${selectionShape(plan.selection)}|${
        plan.usual ? `=${plan.limit}${fixedShape(plan)}` : plan.fetchSlot
      }+${plan.spare}${placeShape(plan)}`
    case 'stream':
      return `${base}|${orderShape(plan.order)}|${plan.reads === 'keys' ? 'keys' : selectionShape(plan.selection)}`
    case 'records':
    case 'get':
      return `${base}|${limitsShape(plan)}${selectionShape(plan.selection)}`
    case 'count':
    case 'estimate':
    case 'exists':
      return base
  }
}

/** The shape of limits. They are an object of the whitelist, which is identified by its number. */
function limitsShape ({ limits, weighed }: ListPlan | KeysetPlan | GetPlan | RecordsPlan): string {
  return limits === undefined ? '' : `${idOf(limits)}${weighed === true ? '!' : ''}<`
}

/**
 * The key of the statement of a write. A resource has one selection for writes. Inserts of several rows have a
 * statement for each list of slots.
 */
export function writeShapeOf (plan: AnyWritePlan): string {
  let shape = `${plan.kind}|${idOf(plan.selection)}${filtersShape(plan)}|`
  for (const { target, columns, slots } of plan.references) {
    shape += `${idOf(target)}:${columns.join()}:${slots.join()}&`
  }
  if (plan.kind === 'insert') {
    for (const { column, property } of plan.columns) shape += `|${columnShape(property, column)}`
    if (!plan.returnsKey) shape += '|keyless'
    return `${shape}${insideShape(plan)}|${
      plan.recordset === undefined ? plan.rows.map((row) => row.join()).join(';') : 'json'
    }`
  }
  shape += `|${plan.deleted}|${plan.versions ?? ''}|${conditionsShape(plan.conditions)}`
  if (plan.kind === 'update') {
    for (const { column, property, slot } of plan.assignments) shape += `|${columnShape(property, column)}=${slot}`
    shape += insideShape(plan)
  }
  return shape
}

/** The shape of the conditions on written rows. */
const insideShape = ({ inside }: InsertPlan | UpdatePlan): string =>
  inside === undefined ? '' : `|>${conditionsShape(inside)}`

/** The shape of a column, for a property that may have several. */
function columnShape (property: Assignment['property'], column: string): string {
  return property.kind === 'scalar' ? String(idOf(property)) : `${idOf(property)}.${column}`
}

/** The shape of the entity filters of a plan. */
function filtersShape ({ filters }: Pick<Plan, 'filters'>): string {
  let shape = ''
  if (filters !== undefined) {
    for (const [model, conditions] of filters) shape += `|${idOf(model)}{${conditionsShape(conditions)}}`
  }
  return shape
}

function conditionsShape (conditions: readonly Condition[]): string {
  let shape = ''
  for (const condition of conditions) shape += `${conditionShape(condition)};`
  return shape
}

/**
 * Operators with the same SQL share a shape: `starts` and `ilike` differ only in the bound pattern. An operator may
 * have another form on arrays or ranges, with other SQL. Each form has the name of the first operator with its SQL.
 */
const SQL_NAMES = new Map<OperatorForm, string>()
for (const operator of OPERATOR_NAMES) {
  const entry: OperatorEntry = OPERATORS[operator]
  for (const [index, form] of [entry, entry.onArray, entry.onRange].entries()) {
    if (form === undefined) continue
    const same = [...SQL_NAMES].find(([other]) => other.value === form.value && other.sql === form.sql)
    SQL_NAMES.set(form, same?.[1] ?? `${operator}${index || ''}`)
  }
}

const sqlName = ({ operator, operand }: Extract<Condition, { kind: 'compare' }>): string =>
  SQL_NAMES.get(formOf(operator, firstTypeOf(operand)))!

function conditionShape (condition: Condition): string {
  switch (condition.kind) {
    case 'compare':
      return `${idOf(condition.operand)}${sqlName(condition)}${condition.slots.join()}`
    case 'null':
      return `${idOf(condition.operand)}${condition.negated ? '?!' : '?'}`
    case 'key':
      return `${idOf(condition.column)}#${condition.slot}`
    case 'related':
      return `${idOf(condition.relation)}(${conditionsShape(condition.conditions)})`
    case 'any':
      return `|(${conditionsShape(condition.conditions)})`
    case 'all':
      return `&(${conditionsShape(condition.conditions)})`
    case 'not':
      return `!(${conditionsShape(condition.conditions)})`
  }
}

/** The shape of a term. Callers never ask for the shape of a custom sort. */
function termShape (term: OrderTerm | CustomTerm): string {
  if (isCustomTerm(term)) throw new TypeError('a custom sort has no shape')
  const { relations, operand, column, descending } = term
  return `${relations.map(idOf).join('.')}.${idOf(operand)}${column === undefined ? '' : `.${idOf(column)}`}${
    descending ? '-' : '+'
  }`
}

/** The shape of a place. It tells which values are null, because they decide the conditions. */
function placeShape ({ place, witness }: KeysetPlan): string {
  return place === undefined
    ? ''
    : `${place.side}${place.inclusive ? '=' : ''}${witness ? '!' : ''}${place.slots.join()}`
}

/** The values that the text of a statement contains. */
const fixedShape = ({ fixed }: KeysetPlan): string =>
  fixed === undefined ? '' : `!${JSON.stringify([...fixed.values()])}`

/** The shapes of selections and orders that plans share, computed on first use. */
const selectionShapes = new WeakMap<Selection, string>()
const orderShapes = new WeakMap<object, string>()

function selectionShape (selection: Selection): string {
  let shape = selectionShapes.get(selection)
  if (shape === undefined) selectionShapes.set(selection, shape = makeSelectionShape(selection))
  return shape
}

function orderShape (order: ReadonlyArray<OrderTerm | CustomTerm>): string {
  let shape = orderShapes.get(order)
  if (shape === undefined) orderShapes.set(order, shape = order.map(termShape).join())
  return shape
}

function makeSelectionShape ({ properties, includes, aggregates }: Selection): string {
  return `${properties.map(idOf).join()}[${includes.map(includeShape).join()}|${aggregates.map(idOf).join()}]`
}

/**
 * Rules and aggregates are objects of the whitelist. Their numbers identify all that they say, including conditions.
 */
function includeShape ({ relation, selection, rules }: PlannedInclude): string {
  return `${idOf(relation)}${rules === undefined ? '' : `!${idOf(rules)}`}{${selectionShape(selection)}}`
}
