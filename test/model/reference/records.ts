/** Records: the form of a row in an answer. */
import type { Entity, Row, Value, World } from './description.ts'
import { relatedRows } from './entities.ts'
import { matching, relatedNumber } from './numbers.ts'
import { aggregateKey, visibleColumns, type RelationInclude, type Selection } from './selection.ts'
import { sorted } from './sorting.ts'

export type JsonRecord = Record<string, Value>

export function recordOf (world: World, entity: Entity, row: Row, selection: Selection): JsonRecord {
  const record: JsonRecord = {}
  for (const name of visibleColumns(entity)) {
    if (selection.fields === undefined || selection.fields.has(name)) record[name] = row[name]
  }
  for (const [name, { include, selection: inner }] of Object.entries(selection.relations)) {
    const relation = entity.relations[name]!
    const target = world.entities[relation.target]!
    const records = includedRows(world, target, relatedRows(world, entity, row, name), include)
      .map((related) => recordOf(world, target, related, inner))
    record[name] = relation.kind === 'one' ? records[0] ?? null : records
  }
  for (const aggregate of selection.aggregates) {
    record[aggregateKey(aggregate).key] = relatedNumber(world, entity, row, aggregate)
  }
  return record
}

/**
 * Related rows in the order of their key, unless the entry of the whitelist has a sort. The entry may also limit them.
 */
function includedRows (
  world: World,
  target: Entity,
  rows: readonly Row[],
  include: RelationInclude | undefined
): Row[] {
  const { where, sort = [], limit = Infinity } = include ?? {}
  const order = sort.map((item) => ({ path: item.replace(/^-/, ''), descending: item.startsWith('-') }))
  return sorted(world, target, matching(rows, where), order).slice(0, limit)
}
