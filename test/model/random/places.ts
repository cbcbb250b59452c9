/** What the entries of whitelists have in common: the columns that they may name, and their names. */
import fc from 'fast-check'
import type { Entity, Property } from '../reference/description.ts'
import { propertyOf } from '../reference/entities.ts'
import { visibleColumns } from '../reference/selection.ts'
import { entities } from './graph.ts'

/** A column, its path, and whether the path only follows to-one relations. */
export interface Place {
  readonly path: string
  readonly property: Property
  readonly single: boolean
  readonly relation: boolean
}

const world = { entities } as never

/** The columns of an entity, and those of related entities up to a depth. */
export function places (entity: Entity, depth: number, prefix = '', single = true): Place[] {
  const own = visibleColumns(entity).map((name) => ({
    path: prefix + name, property: propertyOf(world, entity, name), single, relation: name in entity.relations,
  }))
  const behind = depth === 0
    ? []
    : Object.entries(entity.relations).flatMap(([name, { kind, target }]) =>
      places(entities[target]!, depth - 1, `${prefix}${name}.`, single && kind === 'one')
    )
  return [...own, ...behind]
}

export const alias = (prefix: string): fc.Arbitrary<{ alias?: string }> =>
  fc.option(fc.integer({ min: 1, max: 99 }), { freq: 4 }).map((n) =>
    n === null || n % 4 > 0 ? {} : { alias: `${prefix}${n}` }
  )

/** Entries without those whose names an earlier entry has. */
export function withoutRepeats<T> (entries: readonly T[], names: (entry: T) => readonly string[]): T[] {
  const seen = new Set<string>()
  return entries.filter((entry) => {
    const own = names(entry)
    if (own.some((name) => seen.has(name))) return false
    for (const name of own) seen.add(name)
    return true
  })
}
