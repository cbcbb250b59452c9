/** The rows of a write and its scope: the values that the scope sets, and values that contradict it. */
import { columnOf } from '../conditions/index.ts'
import { OutOfScopeError } from '../base/errors.ts'
import { isSameValue, type RelationProperty, type ScalarProperty, type SqlValue } from '../model/index.ts'
import type { BodyRules, ColumnData, RecordData, ReferenceData } from '../plan/index.ts'
import type { CrudSession, ScopeRules } from '../resource/index.ts'
import type { Write } from './write.ts'

/** The rules for new records, which need no value that the scope sets. */
export function withoutScope (rules: BodyRules, { values }: ScopeRules): BodyRules {
  const isLeft = (property: unknown): boolean => !values.has(property as ScalarProperty)
  return {
    ...rules,
    required: rules.required.filter(({ property }) => isLeft(property)),
    unfilled: rules.unfilled.filter(isLeft),
  }
}

/** A new row with the values that the scope sets. Values that the row has already stay, and are checked later. */
export function withScopeValues (row: RecordData, { values, equalities }: ScopeRules): RecordData {
  const columns: ColumnData[] = [...row.columns]
  const references: ReferenceData[] = [...row.references]
  const properties: Record<string, unknown> = { ...row.properties }
  for (const [property, value] of values) {
    if (Object.hasOwn(properties, property.name)) continue
    columns.push({ property, column: columnNameOf(property), value })
    if (property.kind === 'relation' && value !== null) references.push({ relation: property, key: [value] })
    properties[property.name] = entityValue(property, value, equalities.get(property))
  }
  return { columns, references, links: row.links, properties }
}

const columnNameOf = (property: ScalarProperty | RelationProperty): string =>
  property.kind === 'scalar' ? property.column : property.key[0]!.column

/** The value in the entity class, for MikroORM's unit of work. */
function entityValue (property: ScalarProperty | RelationProperty, value: SqlValue, given: unknown): unknown {
  if (value === null || property.kind === 'relation') return value
  if (property.type.kind === 'json') return given
  return property.hydrate === undefined ? value : property.hydrate(given, value)
}

/**
 * Refuses a row that contradicts its scope.
 *
 * @throws {OutOfScopeError} when a row with these values certainly lies outside
 */
export function checkScope (row: RecordData, scope: ScopeRules): void {
  if (placeOf(row, scope) === false) throw new OutOfScopeError()
}

/**
 * The write with these rows. If only the database can tell whether a value equals that of the scope, its scope is
 * checked on the written rows.
 */
export function withRows<On extends CrudSession> (write: Write<On>, rows: readonly RecordData[]): Write<On> {
  const { scope } = write
  if (scope === undefined || scope.partial || rows.every((row) => placeOf(row, scope) === true)) return write
  return { ...write, scope: { ...scope, partial: true } }
}

/** Whether a row has the values of its scope, `undefined` if only the database can tell. */
function placeOf (row: RecordData, { values }: ScopeRules): boolean | undefined {
  let inside: boolean | undefined = true
  for (const [property, expected] of values) {
    const name = columnNameOf(property)
    for (const { column, value } of row.columns) {
      const isSame = column === name ? isSameValue(value, expected, columnOf(property)!) : true
      if (isSame === false) return false
      if (isSame === undefined) inside = undefined
    }
  }
  return inside
}
