/** The rows of a list. */
import type { Condition, Group, Level } from './conditions.ts'
import type { Entity, Row, Value, ValueType, World } from './description.ts'
import { follow, isLive, numberNamed, relatedRows } from './entities.ts'
import { relatedNumber } from './numbers.ts'
import { fold, like } from './patterns.ts'
import { compareValues } from './values.ts'

type Comparison = Extract<Condition, { kind: 'compare' }>

/** Rows of the resource that match the conditions. Only `trashed` shows deleted ones. */
export function matchingRows (world: World, level: Level): Row[] {
  const entity = world.entities[world.whitelist.entity]!
  const trashed = level.conditions.find(({ kind }) => kind === 'trashed') as { value: string } | undefined
  return world.tables.rows[entity.name]!
    .filter((row) => trashed?.value === 'with' || isLive(row) === (trashed?.value !== 'only'))
    .filter((row) => holdsLevel(world, entity, row, level))
}

function holdsLevel (world: World, entity: Entity, row: Row, { conditions, groups }: Level): boolean {
  const comparisons = conditions.filter(({ kind }) => kind === 'compare') as Comparison[]
  const alternatives = conditions.filter(({ kind }) => kind === 'any') as Array<Extract<Condition, { kind: 'any' }>>
  return holdTogether(world, entity, row, comparisons) &&
    alternatives.every(({ conditions }) =>
      conditions.some((condition) => holdTogether(world, entity, row, [condition as Comparison]))
    ) &&
    groups.every((group) => holdsGroup(world, entity, row, group))
}

/** The conditions of an `and` hold together, apart from those around it. `not` keeps every row that does not match. */
function holdsGroup (world: World, entity: Entity, row: Row, group: Group): boolean {
  const members = [...group.members.values()]
  const holds = (level: Level): boolean => holdsLevel(world, entity, row, level)
  switch (group.word) {
    case 'and':
      return holds({
        conditions: members.flatMap(({ conditions }) => conditions),
        groups: members.flatMap(({ groups }) => groups),
      })
    case 'or':
      return members.some(holds)
    default:
      return !members.some(holds)
  }
}

/**
 * Whether all comparisons hold for a row. Comparisons that start with the same relation must hold for the same related
 * row, and so on along the path.
 */
function holdTogether (world: World, entity: Entity, row: Row, all: readonly Comparison[]): boolean {
  // `nin` of an empty list is not a condition, not even that a related row exists
  const comparisons = all.filter(({ operator, values }) => operator !== 'nin' || values.length > 0)
  const behind = new Map<string, Comparison[]>()
  for (const comparison of comparisons) {
    const { relations: [relation], name, property, inside } = follow(world, entity, comparison.path)
    if (relation !== undefined) {
      const rest = { ...comparison, path: comparison.path.slice(relation.length + 1) }
      behind.set(relation, [...behind.get(relation) ?? [], rest])
    } else if (comparison.jsonType === undefined) {
      if (!holds(valueIn(world, entity, row, name), property.type, comparison)) return false
    } else if (!holdsInJson(row[name], inside, comparison)) {
      return false
    }
  }
  return [...behind].every(([relation, rest]) => {
    const target = world.entities[entity.relations[relation]!.target]!
    return relatedRows(world, entity, row, relation).some((related) => holdTogether(world, target, related, rest))
  })
}

/** As in SQL, only `isnull` is true of null. */
function holds (value: Value, type: ValueType, { operator, values }: Pick<Comparison, 'operator' | 'values'>): boolean {
  if (operator === 'isnull') return (value === null) === values[0]
  if (value === null) return false
  const compared = (): number => compareValues(value, values[0], type)
  const isIn = (): boolean => values.some((item) => compareValues(value, item, type) === 0)
  switch (operator) {
    case 'eq':
      return compared() === 0
    case 'ne':
      return compared() !== 0
    case 'lt':
      return compared() < 0
    case 'lte':
      return compared() <= 0
    case 'gt':
      return compared() > 0
    case 'gte':
      return compared() >= 0
    case 'between':
      return compared() >= 0 && compareValues(value, values[1], type) <= 0
    case 'in':
      return isIn()
    case 'nin':
      return !isIn()
    case 'ieq':
      return fold(value) === fold(values[0])
    case 'like':
      return like(value, values[0])
    case 'ilike':
      return like(fold(value), fold(values[0]))
    case 'contains':
      return fold(value).includes(fold(values[0]))
    case 'starts':
      return fold(value).startsWith(fold(values[0]))
    case 'ends':
      return fold(value).endsWith(fold(values[0]))
  }
}

/** A value of another type than the declared one is null, and so is a missing one. */
function holdsInJson (json: Value, keys: readonly string[], comparison: Comparison): boolean {
  let found = json
  for (const key of keys) {
    found = typeof found === 'object' && found !== null && Object.hasOwn(found, key)
      ? found[key]
      : null
  }
  const type = comparison.jsonType!
  const actual: string = typeof found
  if (actual !== type) found = null
  else if (type === 'number') found = String(found)
  return holds(found, ({ string: 'text', number: 'decimal', boolean: 'boolean' } as const)[type], comparison)
}

/** The value at the end of a path through to-one relations. Behind a deleted row, every value is null. */
export function valueAt (world: World, entity: Entity, row: Row, path: string): { value: Value, type: ValueType } {
  const { relations, name, property: { type } } = follow(world, entity, path)
  let current: Row | undefined = row
  let place = entity
  for (const relation of relations) {
    current = current && relatedRows(world, place, current, relation)[0]
    place = world.entities[place.relations[relation]!.target]!
  }
  return { value: current === undefined ? null : valueIn(world, place, current, name), type }
}

/** The value of a row: of a property, or a number about its related rows. Those of 64 bits are compared as text. */
function valueIn (world: World, entity: Entity, row: Row, name: string): Value {
  const number = numberNamed(world, entity, name)
  if (number === undefined) return row[name] ?? null
  const value = relatedNumber(world, entity, row, number)
  return typeof value === 'number' && ['count', 'sum'].includes(number.function) ? String(value) : value
}
