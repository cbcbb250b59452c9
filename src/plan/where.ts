/**
 * Plain conditions in MikroORM's words, such as `{ tenant: 5 }`, as conditions of a plan: their structure is part of its
 * shape, their values are bound. What is translated means to the database exactly what MikroORM makes of it; anything
 * else has no translation, and is MikroORM's to compile for each request.
 */
import {
  arrayLiteral,
  wireTypeOf,
  type EntityModel,
  type Property,
  type SqlValue,
  type ValueType,
} from '../model/index.ts'
import type { Comparison, Condition, EntityConditions, Operand, Plan } from './types.ts'
import { Values } from './values.ts'
import type { AnyWritePlan } from './write.ts'

/** Comparisons in one condition, at most: each number of them is a shape of its own. */
const MAX_COMPARISONS = 50

/**
 * The plan with the conditions of its request, or `undefined` when one of them has no translation.
 *
 * @param scope a condition on the plan's own rows; new rows have none
 * @param filters conditions on the rows of entities, wherever they are read
 * @example
 * withConditions(plan, { tenant: 5 }, new Map([[author, { archived: false }]]))
 */
export function withConditions<AnyPlan extends Plan | AnyWritePlan> (
  plan: AnyPlan,
  scope: unknown,
  filters: ReadonlyMap<EntityModel, object>
): AnyPlan | undefined {
  if (scope === undefined && filters.size === 0) return plan
  const values = new Values(plan.values)
  const own = scope === undefined ? [] : translate(scope, plan.model, values)
  const ofEntities = own && translateAll(filters, values)
  if (ofEntities === undefined) return undefined
  return {
    ...plan,
    ...('conditions' in plan && { conditions: [...plan.conditions, ...own!] }),
    filters: ofEntities,
    values: values.list,
  }
}

function translateAll (filters: ReadonlyMap<EntityModel, object>, values: Values): EntityConditions | undefined {
  const translated = new Map<EntityModel, readonly Condition[]>()
  for (const [model, where] of filters) {
    const conditions = translate(where, model, values)
    if (conditions === undefined) return undefined
    if (conditions.length > 0) translated.set(model, conditions)
  }
  return translated
}

function translate (where: unknown, model: EntityModel, values: Values): readonly Condition[] | undefined {
  return new Translation(comparandsOf(model), values).all(where)
}

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ['$eq', '='],
  ['$ne', '<>'],
  ['$gt', '>'],
  ['$gte', '>='],
  ['$lt', '<'],
  ['$lte', '<='],
])

/** The translation of one condition. `undefined` stands for what has none. */
class Translation {
  readonly #comparands: Comparands
  readonly #values: Values
  #left = MAX_COMPARISONS

  constructor (comparands: Comparands, values: Values) {
    this.#comparands = comparands
    this.#values = values
  }

  /** What a condition says, all of which holds. */
  all (where: unknown): Condition[] | undefined {
    if (!isPlain(where)) return undefined
    const conditions: Condition[] = []
    for (const key of Object.keys(where)) {
      const translated = key === '$and' || key === '$or'
        ? this.#group(key, where[key])
        : this.#member(this.#comparands.get(key), where[key])
      if (translated === undefined) return undefined
      conditions.push(...translated)
    }
    return conditions
  }

  /** An empty group, or a member that says nothing, is for MikroORM to make sense of. */
  #group (key: '$and' | '$or', members: unknown): Condition[] | undefined {
    if (!Array.isArray(members) || members.length === 0) return undefined
    const groups: Condition[][] = []
    for (const member of members as readonly unknown[]) {
      const conditions = this.all(member)
      if (conditions === undefined || conditions.length === 0) return undefined
      groups.push(conditions)
    }
    if (key === '$and' || groups.length === 1) return groups.flat()
    return [{
      kind: 'any',
      conditions: groups.map((conditions) => conditions.length === 1 ? conditions[0]! : { kind: 'all', conditions }),
    }]
  }

  /** What is said of one column: a value, a list, operators, or the key of the related record. */
  #member (comparand: Comparand | undefined, value: unknown): Condition[] | undefined {
    if (comparand === undefined) return undefined
    if (Array.isArray(value)) return this.#operators(comparand, [['$in', value]])
    if (!isPlain(value)) return this.#operators(comparand, [['$eq', value]])
    const entries = Object.entries(value)
    const [key, more] = entries
    if (key === undefined) return undefined
    return more === undefined && key[0] === comparand.relatedKey && key[1] !== null
      ? this.#operators(comparand, [['$eq', key[1]]])
      : this.#operators(comparand, entries)
  }

  #operators (
    comparand: Comparand,
    entries: ReadonlyArray<readonly [operator: string, value: unknown]>
  ): Condition[] | undefined {
    const conditions: Condition[] = []
    for (const [operator, value] of entries) {
      const condition = this.#left-- > 0 ? this.#operator(comparand, operator, value) : undefined
      if (condition === undefined) return undefined
      conditions.push(condition)
    }
    return conditions
  }

  #operator ({ operand, type }: Comparand, operator: string, value: unknown): Condition | undefined {
    if (operator === '$in' || operator === '$nin') {
      const items = Array.isArray(value) ? toSqlValues(value, type) : undefined
      return items &&
        { kind: 'list', operand, negated: operator === '$nin', slot: this.#values.add(arrayLiteral(items)) }
    }
    const comparison = COMPARISONS.get(operator)
    if (comparison === undefined) return undefined
    if (value === null) {
      return comparison === '=' || comparison === '<>'
        ? { kind: 'null', operand, negated: comparison === '<>' }
        : undefined
    }
    const bound = toSqlValue(value, type)
    return bound === undefined ? undefined : { kind: 'compare', operand, comparison, slot: this.#values.add(bound) }
  }
}

function toSqlValues (values: readonly unknown[], type: ValueType): readonly SqlValue[] | undefined {
  const converted = values.map((value) => toSqlValue(value, type))
  return converted.includes(undefined) ? undefined : converted as SqlValue[]
}

/**
 * A value that its column can hold, to be bound; `undefined` for any other, whose comparison may still have an answer
 * (`{ stars: { $lt: 2.5 } }`) or be an error.
 */
function toSqlValue (value: unknown, type: ValueType): SqlValue | undefined {
  return wireTypeOf(type).fromCondition?.(value, type)
}

/** A column that plain conditions may compare. */
interface Comparand {
  readonly operand: Operand
  readonly type: ValueType
  /** Of a relation: what the property is called that its key is in the related record. */
  readonly relatedKey?: string
}

type Comparands = ReadonlyMap<string, Comparand>

const comparandsByModel = new WeakMap<EntityModel, Comparands>()

/** By the name of the property; those that are also the name of another one's column are left to MikroORM. */
function comparandsOf (model: EntityModel): Comparands {
  let comparands = comparandsByModel.get(model)
  if (comparands === undefined) {
    const properties = [...model.properties]
    const found = properties.map(([name, property]) => [name, comparandOf(property)] as const)
      .filter((entry): entry is [string, Comparand] =>
        entry[1] !== undefined &&
        !properties.some(([other, property]) => other !== entry[0] && columnsOf(property).includes(entry[0]))
      )
    comparandsByModel.set(model, comparands = new Map(found))
  }
  return comparands
}

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
  return { operand: property, type, ...(isPrimary && { relatedKey: part!.property.name }) }
}

function columnsOf (property: Property): readonly string[] {
  switch (property.kind) {
    case 'scalar':
      return [property.column]
    case 'embedded':
      return [...property.properties.values()].flatMap(columnsOf)
    case 'relation':
      return property.join.kind === 'owner' ? property.join.columns : []
  }
}

/** An object literal: nothing of a class, no fragment of SQL, which hides behind a symbol. */
function isPlain (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype &&
    Object.getOwnPropertySymbols(value).length === 0
}
