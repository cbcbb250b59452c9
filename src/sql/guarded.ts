/**
 * Conditions in MikroORM's words that lead through relations: MikroORM itself would also find related rows that are
 * deleted or filtered out. Here each of them says, too, that the related rows can be seen.
 */
import { isObject, type EntityModel, type RelationProperty } from '../model/index.ts'

/** What makes rows of an entity visible, in MikroORM's words. */
export type Visible = (model: EntityModel) => object | undefined

const GROUPS: ReadonlySet<string> = new Set(['$and', '$or'])
const QUANTIFIERS: ReadonlySet<string> = new Set(['$some', '$none', '$every'])

/**
 * The same condition, that holds for visible related rows only.
 *
 * @example
 * guarded({ members: { user: 7 } }, team, visible) // { members: { $and: [{ user: 7 }, { deleted_at: null }] } }
 */
export function guarded (where: unknown, model: EntityModel, visible: Visible): unknown {
  return translate(where, model, (condition, relation) => {
    const seen = visible(relation.target)
    return seen === undefined ? condition : { $and: [condition, seen] }
  })
}

/** The entities that a condition leads to. */
export function entitiesBehind (where: unknown, model: EntityModel): ReadonlySet<EntityModel> {
  const entities = new Set<EntityModel>()
  translate(where, model, (condition, { target }) => {
    entities.add(target)
    return condition
  })
  return entities
}

type Guard = (condition: object, relation: RelationProperty) => object

function translate (where: unknown, model: EntityModel, guard: Guard): unknown {
  // alternatives, which is also how MikroORM keeps the one condition of a collection
  if (Array.isArray(where)) return where.map((alternative) => translate(alternative, model, guard))
  if (!isPlain(where)) return where
  // fragments of SQL hide behind symbols
  const result: Record<string | symbol, unknown> = { ...where }
  for (const [key, value] of Object.entries(where)) {
    const property = model.properties.get(key)
    if (GROUPS.has(key) && Array.isArray(value)) result[key] = value.map((part) => translate(part, model, guard))
    else if (key === '$not') result[key] = translate(value, model, guard)
    else if (property?.kind === 'relation' && isPlain(value)) result[key] = behind(value, property, guard)
  }
  return result
}

/** What a condition says of a relation: of its key, of related rows, or of how many of them. */
function behind (value: Record<string, unknown>, relation: RelationProperty, guard: Guard): unknown {
  const keys = Object.keys(value)
  if (keys.length > 0 && keys.every((key) => QUANTIFIERS.has(key))) {
    return Object.assign(
      {},
      ...keys.map((key) => quantified(key, value[key], relation, guard))
    )
  }
  const operators = keys.filter((key) => key.startsWith('$') && !GROUPS.has(key) && key !== '$not')
  const isKey = relation.join.kind === 'owner' &&
    keys.every((key) => relation.target.primaryKey.some(({ property }) => property.name === key))
  if (keys.length === 0 || operators.length > 0 || isKey) return value
  return guard(translate(value, relation.target, guard) as object, relation)
}

function quantified (quantifier: string, value: unknown, relation: RelationProperty, guard: Guard): object {
  const condition = translate(value, relation.target, guard) as object
  // every visible one: there is none that is visible, and otherwise
  return quantifier === '$every'
    ? { $none: guard({ $not: condition }, relation) }
    : { [quantifier]: guard(condition, relation) }
}

/** An object that was written as a condition, not an entity or a value of a class. */
function isPlain (value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
