/**
 * Translates the conditions of a request, such as a scope `{ tenant: 5 }`, into conditions of its plan. Their structure
 * is part of the plan's shape, and their values are bound. A translation has exactly the same meaning as the SQL that
 * MikroORM compiles for the condition. If a condition has no translation, MikroORM compiles it for each request.
 */
import { madeOnce } from '../base/made-once.ts'
import type { ComparePart, RelationKeyPart, Comparison as Compared, Where, WherePart } from '../conditions/index.ts'
import {
  columnsOf, arrayLiteral, wireTypeOf, type EntityModel, type Property, type SqlValue, type ValueType,
} from '../model/index.ts'
import type { ComparisonOperator } from '../operators/index.ts'
import type { Condition, EntityConditions, Operand, Slot } from './condition-types.ts'
import type { Plan } from './any-plan.ts'
import { together } from './filters/index.ts'
import type { FixedValue, KeysetPlan, ReadPlan } from './plan-types.ts'
import { Values } from './values.ts'

/** Maximum number of comparisons in one condition, because each number of comparisons is a separate shape. */
const MAX_COMPARISONS = 50

/**
 * Returns the plan with the conditions of its request, or `undefined` if one of them has no translation.
 *
 * @param scope a condition on the rows of the plan's entity. It is not applied to plans that insert rows.
 * @param filters conditions on the rows of entities, wherever the plan reads them. `fixed`: whether the configuration
 * contains them, so that they are the same in all requests
 * @param inside a condition that the statement of a write checks on the rows that it has written
 * @example
 * withConditions(plan, readCondition({ tenant: 5 }, plan.model), new Map())
 */
export function withConditions<AnyPlan extends Plan> (
  plan: AnyPlan,
  scope: Where | undefined,
  filters: ReadonlyMap<EntityModel, Where> & { readonly fixed?: boolean },
  inside?: Where
): AnyPlan | undefined {
  if (scope === undefined && filters.size === 0 && inside === undefined) return plan
  const values = new Values(plan.values)
  const own = scope === undefined ? NONE : translate(scope, plan.model, values)
  const ofRequest = values.list.length
  const ofEntities = own && translateAll(filters, values)
  if (own === undefined || ofEntities === undefined) return undefined
  const added: Added = { filters: ofEntities, values: values.list }
  if (filters.fixed === true && plan.kind === 'keyset') added.fixed = fixedFrom(ofRequest, values.list)
  if (own.length > 0 && 'conditions' in plan) added.conditions = [...plan.conditions, ...own]
  if (inside !== undefined) {
    const checked = translate(inside, plan.model, values)
    if (checked === undefined) return undefined
    added.inside = checked
  }
  return { ...plan, ...added }
}

/** The members of a plan that change with the conditions of its request. */
interface Added {
  readonly filters: EntityConditions
  readonly values: readonly unknown[]
  fixed?: KeysetPlan['fixed']
  conditions?: readonly Condition[]
  inside?: readonly Condition[]
}

/**
 * Moves the parts of a scope that have a translation into a plan. The rest is left to MikroORM.
 *
 * @example
 * withTranslated(plan, readCondition({ tenant: 5, owner: { name: 'Ann' } }, plan.model)).rest // { owner: .. }
 */
export function withTranslated<AnyPlan extends ReadPlan> (
  plan: AnyPlan,
  scope: Where
): { readonly plan: AnyPlan, readonly rest: Where } {
  const values = new Values(plan.values)
  const conditions: Condition[] = []
  const rest: WherePart[] = []
  for (const part of scope) {
    const translated = translate([part], plan.model, values)
    if (translated === undefined) rest.push(part)
    else conditions.push(...translated)
  }
  return { plan: { ...plan, conditions: [...plan.conditions, ...conditions], values: values.list }, rest }
}

const NONE: readonly Condition[] = []

/** The values from a slot on, or `undefined` if SQL text cannot contain one of them. */
function fixedFrom (start: Slot, values: readonly unknown[]): KeysetPlan['fixed'] {
  const fixed = new Map<Slot, FixedValue>()
  for (let slot = start; slot < values.length; slot++) {
    const value = values[slot]
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
    fixed.set(slot, value)
  }
  return fixed
}

function translateAll (filters: ReadonlyMap<EntityModel, Where>, values: Values): EntityConditions | undefined {
  const translated = new Map<EntityModel, readonly Condition[]>()
  for (const [model, where] of filters) {
    const conditions = translate(where, model, values)
    if (conditions === undefined) return undefined
    if (conditions.length > 0) translated.set(model, conditions)
  }
  return translated
}

function translate (where: Where, model: EntityModel, values: Values): readonly Condition[] | undefined {
  return new Translation(comparandsOf(model), values).all(where)
}

const OPERATORS: ReadonlyMap<string, ComparisonOperator> = new Map([
  ['$eq', 'eq'],
  ['$ne', 'ne'],
  ['$gt', 'gt'],
  ['$gte', 'gte'],
  ['$lt', 'lt'],
  ['$lte', 'lte'],
])

/** Translates one condition. The methods return `undefined` for parts without a translation. */
class Translation {
  readonly #comparands: Comparands
  readonly #values: Values
  #remaining = MAX_COMPARISONS

  constructor (comparands: Comparands, values: Values) {
    this.#comparands = comparands
    this.#values = values
  }

  /** Translates all parts of a condition. */
  all (where: Where): Condition[] | undefined {
    const conditions: Condition[] = []
    for (const part of where) {
      const translated = this.#part(part)
      if (translated === undefined) return undefined
      conditions.push(...translated)
    }
    return conditions
  }

  #part (part: WherePart): Condition[] | undefined {
    switch (part.kind) {
      case 'and':
        return this.#groups(part.members)?.flat()
      case 'or':
        return this.#alternatives(part.members)
      case 'compare':
        return this.#comparisons(part)
      case 'key':
        return this.#key(part)
      case 'not':
        return this.#negation(part.where)
      case 'related':
      case 'embedded':
      case 'sql':
      case 'verbatim':
        return undefined
    }
  }

  /** Translates the members of a group. Empty groups and empty members are left to MikroORM. */
  #groups (members: readonly Where[]): Condition[][] | undefined {
    if (members.length === 0) return undefined
    const groups: Condition[][] = []
    for (const member of members) {
      const conditions = this.all(member)
      if (conditions === undefined || conditions.length === 0) return undefined
      groups.push(conditions)
    }
    return groups
  }

  #alternatives (members: readonly Where[]): Condition[] | undefined {
    const groups = this.#groups(members)
    if (groups === undefined || groups.length === 1) return groups?.flat()
    return [{ kind: 'any', conditions: groups.map(together) }]
  }

  #negation (where: Where): Condition[] | undefined {
    const [conditions] = this.#groups([where]) ?? []
    return conditions && [{ kind: 'not', conditions }]
  }

  #comparisons ({ property, comparisons }: ComparePart): Condition[] | undefined {
    const comparand = this.#comparands.get(property)
    if (comparand === undefined) return undefined
    const conditions: Condition[] = []
    for (const comparison of comparisons) {
      const condition = this.#comparison(comparand, comparison)
      if (condition === undefined) return undefined
      conditions.push(condition)
    }
    return conditions
  }

  /** Translates `{ author: { id: 7 } }`, which has the same meaning as `{ author: 7 }`. */
  #key ({ relation, where: [only, ...more] }: RelationKeyPart): Condition[] | undefined {
    const comparand = this.#comparands.get(relation)
    if (comparand?.keyProperty === undefined || more.length > 0) return undefined
    if (only?.kind !== 'compare' || !only.bare || only.property !== comparand.keyProperty) return undefined
    const [comparison] = only.comparisons
    if (comparison?.operator !== '$eq' || comparison.value === null) return undefined
    const condition = this.#comparison(comparand, comparison)
    return condition && [condition]
  }

  #comparison ({ operand, type }: Comparand, { operator, value }: Compared): Condition | undefined {
    if (this.#remaining-- <= 0) return undefined
    if (operator === '$in' || operator === '$nin') {
      const items = Array.isArray(value) ? toSqlValues(value, type) : undefined
      return items &&
        this.#compare(operator === '$in' ? 'in' : 'nin', operand, arrayLiteral(items))
    }
    const comparison = OPERATORS.get(operator)
    if (comparison === undefined) return undefined
    if (value === null) {
      return comparison === 'eq' || comparison === 'ne'
        ? { kind: 'null', operand, negated: comparison === 'ne' }
        : undefined
    }
    const bound = toSqlValue(value, type)
    return bound === undefined ? undefined : this.#compare(comparison, operand, bound)
  }

  #compare (operator: ComparisonOperator, operand: Operand, value: SqlValue): Condition {
    return { kind: 'compare', operator, operand, slots: [this.#values.add(value)] }
  }
}

function toSqlValues (values: readonly unknown[], type: ValueType): readonly SqlValue[] | undefined {
  const converted = values.map((value) => toSqlValue(value, type))
  return converted.includes(undefined) ? undefined : converted as SqlValue[]
}

/**
 * Converts a value to one that is bound. Returns `undefined` for a value that the column cannot hold. Its comparison
 * may still have a result, as in `{ stars: { $lt: 2.5 } }`, or be an error.
 */
function toSqlValue (value: unknown, type: ValueType): SqlValue | undefined {
  return wireTypeOf(type).fromCondition?.(value, type)
}

/** A column whose comparisons can be translated. */
interface Comparand {
  readonly operand: Operand
  readonly type: ValueType
  /** For a relation, the property of the related record that is its key. */
  readonly keyProperty?: Property
}

type Comparands = ReadonlyMap<Property, Comparand>

/**
 * The columns of an entity. A property whose name is the column of another property, and not its own, is left to
 * MikroORM.
 */
const comparandsOf = madeOnce((model: EntityModel): Comparands => {
  const properties = [...model.properties.values()]
  return new Map(properties.flatMap((property) => {
    const comparand = comparandOf(property)
    const isOther = (other: Property): boolean => other !== property && columnsOf(other).includes(property.name)
    const isMeant = columnsOf(property).includes(property.name) || !properties.some(isOther)
    return comparand !== undefined && isMeant ? [[property, comparand] as const] : []
  }))
})

function comparandOf (property: Property): Comparand | undefined {
  if (property.kind === 'scalar') {
    const { formula, codec, verbatim, type } = property
    return formula === undefined && codec === undefined && verbatim ? { operand: property, type } : undefined
  }
  if (property.kind !== 'relation' || property.many || property.join.kind !== 'owner' || property.key.length !== 1) {
    return undefined
  }
  const { codec, verbatim, type } = property.key[0]!
  if (codec !== undefined || !verbatim) return undefined
  const [part, ...more] = property.target.primaryKey
  const isPrimary = more.length === 0 && part!.property.kind === 'scalar' &&
    part!.property.column === property.join.targetColumns[0]
  return { operand: property, type, ...(isPrimary && { keyProperty: part!.property }) }
}
