/** The related rows of a row, and the targets of paths. */
import type { Entity, Property, Row, Value, World } from './description.ts'
import { aggregateKey, type AggregateInclude } from './selection.ts'

export const isLive = (row: Row): boolean => (row['deleted_at'] ?? null) === null

/** The key of a row as one value: the value of a single key, or the list of a composite one. */
export function keyOf (entity: Entity, row: Row): Value {
  const values = entity.key.map((name) => row[name])
  return values.length === 1 ? values[0] : values
}

/** Whether two keys are equal. Composite ones are lists. */
const same = (a: Value, b: Value): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The visible related rows. Rows marked as deleted count as absent. */
export function relatedRows ({ entities, tables }: World, entity: Entity, row: Row, name: string): readonly Row[] {
  const relation = entity.relations[name]!
  const target = entities[relation.target]!
  const live = tables.rows[target.name]!.filter(isLive)
  const key = keyOf(entity, row)
  switch (relation.kind) {
    case 'one':
      return live.filter((other) => same(keyOf(target, other), row[name]))
    case 'many':
      return live.filter((other) => same(other[relation.by], key))
    case 'links': {
      const linked = tables.links[relation.table]!.filter((pair) => same(pair[relation.side], key))
      return live.filter((other) => linked.some((pair) => same(pair[1 - relation.side], keyOf(target, other))))
    }
  }
}

interface PathEnd {
  /** The relations before the last name. */
  readonly relations: readonly string[]
  /** The entity of the last name. */
  readonly entity: Entity
  /** A property, or a to-one relation, which is compared by its key. */
  readonly name: string
  readonly property: Property
  /** The keys inside a JSON property. */
  readonly inside: readonly string[]
}

/** Follows a path such as `author.name` from an entity. Paths of whitelists always exist. */
export function follow (world: World, start: Entity, path: string): PathEnd {
  const relations: string[] = []
  const number = numberNamed(world, start, path)
  if (number !== undefined) {
    return { relations, entity: start, name: path, property: numberProperty(world, start, number), inside: [] }
  }
  let entity = start
  const [...names] = path.split('.')
  while (names.length > 1 && entity.relations[names[0]!]) {
    relations.push(names[0]!)
    entity = world.entities[entity.relations[names.shift()!]!.target]!
  }
  const [name, ...inside] = names as [string, ...string[]]
  return { relations, entity, name, property: propertyOf(world, entity, name), inside }
}

/** The number about a relation that records of the resource may include by that name. */
export function numberNamed (
  { whitelist: { entity: resource, includes = [] } }: World,
  { name: entity }: Entity,
  name: string
): AggregateInclude | undefined {
  if (resource !== entity) return undefined
  return includes.filter((include) => include.kind === 'aggregate').find((include) => {
    const { parents, key } = aggregateKey(include)
    return parents.length === 0 && key === name
  })
}

/** A number about related rows as a property. */
function numberProperty ({ entities }: World, entity: Entity, include: AggregateInclude): Property {
  const { relation, property } = aggregateKey(include)
  switch (include.function) {
    case 'count':
      return { type: 'bigint' }
    case 'exists':
      return { type: 'boolean' }
    case 'avg':
      return { type: 'float', nullable: true }
    default: {
      const { type, members } = entities[entity.relations[relation]!.target]!.properties[property!]!
      const summed = include.function === 'sum' && type === 'integer'
      return { type: summed ? 'bigint' : type, ...members && { members }, nullable: true }
    }
  }
}

/** The property with that name. For a to-one relation, one with the type of the related key. */
export function propertyOf (world: World, entity: Entity, name: string): Property {
  const relation = entity.relations[name]
  if (!relation) return entity.properties[name]!
  const target = world.entities[relation.target]!
  const { type } = target.properties[target.key[0]!]!
  return { type, nullable: relation.kind === 'one' && relation.nullable === true }
}
