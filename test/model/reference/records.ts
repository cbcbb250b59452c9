/** Records: the form of a row in an answer. */
import type { AggregateFunction, Entity, Row, Value, ValueType, Where, World } from './description.ts'
import { propertyOf, relatedRows } from './entities.ts'
import { aggregateKey, visibleColumns, type RelationInclude, type Selection } from './selection.ts'
import { sorted } from './sorting.ts'
import { compareValues, scaleOf, toInteger } from './values.ts'

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
    const { relation, property, key } = aggregateKey(aggregate)
    const rows = matching(relatedRows(world, entity, row, relation), aggregate.where)
    const target = world.entities[entity.relations[relation]!.target]!
    const values = property === undefined ? rows : rows.map((row) => row[property]).filter((value) => value !== null)
    record[key] = aggregateOf(
      aggregate.function,
      values,
      property === undefined ? 'json' : propertyOf(world, target, property).type
    )
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

const matching = (rows: readonly Row[], where: Where | undefined): readonly Row[] =>
  where === undefined ? rows : rows.filter((row) => row[where.property] === where.equals)

/** Aggregates of the values that are not null. Without values, all but the first two are null. */
function aggregateOf (fn: AggregateFunction, values: readonly Value[], type: ValueType): Value {
  if (fn === 'count') return values.length
  if (fn === 'exists') return values.length > 0
  if (values.length === 0) return null
  switch (fn) {
    case 'min':
      return values.reduce((a, b) => compareValues(b, a, type) < 0 ? b : a)
    case 'max':
      return values.reduce((a, b) => compareValues(b, a, type) > 0 ? b : a)
    case 'sum':
      return sum(values, type)
    case 'avg':
      return sum(values, 'integer') / values.length
  }
}

/** The sum of numbers is a number. The sum of values that are written as text is exact, and text. */
function sum (values: readonly Value[], type: ValueType): Value {
  if (type === 'integer') return values.reduce((a, b) => a + b)
  const decimals = Math.max(...values.map(scaleOf))
  const total = values.map((value) => toInteger(value, decimals)).reduce((a, b) => a + b)
  if (decimals === 0) return total.toString()
  const digits = total.toString().replace('-', '').padStart(decimals + 1, '0')
  return `${total < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
