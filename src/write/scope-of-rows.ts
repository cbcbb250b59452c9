/**
 * The rows of a write and its scope: the values that the scope sets, and values that contradict it. If only the
 * database can tell whether written rows lie in the scope, usually the statement that writes them checks them and
 * fails. Otherwise another statement looks for them in the same transaction.
 */
import { columnOf, rowsBehind, tablesBehind } from '../conditions/index.ts'
import { outOfScope } from '../base/errors.ts'
import {
  isSameValue, tellsClass, type EntityModel, type RelationProperty, type ScalarProperty, type SqlValue,
} from '../model/index.ts'
import {
  haveLinks, withColumn, type BodyRules, type ColumnValues, type RecordData, type ReferenceData,
} from '../plan/index.ts'
import {
  filtersBehind, isInTransaction, sharedEmOf, type ActiveFilters, type CrudSession, type ScopeRules,
} from '../resource/index.ts'
import { dialectOfWrite, needsScopeCheck, type Write } from './write.ts'
import { changesLate, isPlainTable } from '../run/index.ts'

/** The rules for new records, which need no value that the scope sets. */
export function withoutScope (rules: BodyRules, { values }: ScopeRules): BodyRules {
  const isLeft = (property: unknown): boolean => !values.has(property as ScalarProperty)
  return {
    ...rules,
    required: rules.required.filter(({ property }) => isLeft(property)),
    unfilled: rules.unfilled.filter(isLeft),
  }
}

/**
 * A new row with the values that the scope sets, which cannot set the class of a row. Values that the row has already
 * stay, and are checked later.
 */
export function withScopeValues (
  row: RecordData,
  { values, equalities }: ScopeRules,
  model: EntityModel
): RecordData {
  let { columns, values: own } = row
  const references: ReferenceData[] = [...row.references]
  const properties: Record<string, unknown> = { ...row.properties }
  for (const [property, value] of values) {
    if (Object.hasOwn(properties, property.name) || tellsClass(property, model)) continue
    const { column } = columnOf(property)!
    if (!columns.some((data) => data.column === column)) {
      columns = withColumn(columns, property, column)
      own = [...own, value]
    }
    if (property.kind === 'relation' && value !== null) references.push({ relation: property, key: [value] })
    properties[property.name] = entityValue(property, value, equalities.get(property))
  }
  return { ...row, columns, values: own, references, properties }
}

/** The value in the entity class, for MikroORM's unit of work. */
function entityValue (property: ScalarProperty | RelationProperty, value: SqlValue, given: unknown): unknown {
  if (value === null || property.kind === 'relation') return value
  if (property.type.kind === 'json') return given
  return property.hydrate === undefined ? value : property.hydrate(given, value)
}

/**
 * Refuses a row that contradicts its scope.
 *
 * @param pointer the JSON pointer of the row in the body
 * @throws {OutOfScopeError} when a row with these values certainly lies outside
 */
export function refuseOutside (row: ColumnValues, scope: ScopeRules, pointer: string): void {
  if (placeOf(row, scope) === false) throw outOfScope(pointer)
}

/**
 * The write with these rows. If only the database can tell whether a value equals that of the scope, its scope is
 * checked on the written rows.
 */
export function withScopeCheck<On extends CrudSession> (write: Write<On>, rows: readonly RecordData[]): Write<On> {
  const { scope } = write
  if (scope === undefined || scope.needsDatabase || rows.every((row) => placeOf(row, scope) === true)) return write
  return { ...write, scope: { ...scope, needsDatabase: true } }
}

/** Whether a row has the values of its scope, `undefined` if only the database can tell. */
function placeOf (row: ColumnValues, { values }: ScopeRules): boolean | undefined {
  let inside: boolean | undefined = true
  for (const [property, expected] of values) {
    const own = columnOf(property)!
    for (const [index, { column }] of row.columns.entries()) {
      const isSame = column === own.column ? isSameValue(row.values[index]!, expected, own) : true
      if (isSame === false) return false
      if (isSame === undefined) inside = undefined
    }
  }
  return inside
}

/**
 * The write with the condition that its statement checks on the rows that it writes, if it can check them. Links, which
 * are written after their rows, may decide about them.
 */
export function withScopeInStatement<On extends CrudSession> (
  write: Write<On>,
  filters: ActiveFilters,
  rows: readonly RecordData[]
): Write<On> {
  if (!needsScopeCheck(write) || haveLinks(rows) || !canCheckItself(write, filters)) return write
  return { ...write, conditions: { ...write.conditions, inside: write.scope!.where } }
}

/**
 * A statement returns rows before triggers can change them, and its subqueries see all tables as they were before it.
 * So its condition may read related rows of tables that the write certainly does not change.
 */
function canCheckItself (write: Write, filters: ActiveFilters): boolean {
  const { session, model, scope } = write
  const em = sharedEmOf(session)
  if (!dialectOfWrite(write).checksWrittenRows || changesLate(em, model.table)) return false
  const related = rowsBehind(scope!.where)
  if (related === undefined) return false
  const isSafe = (table: string): boolean => table !== model.table && isPlainTable(em, table)
  return related.size === 0 ||
    (isPlainTable(em, model.table) &&
      [...related].every((entity) => isSafe(entity.table) && !isFiltered(entity, filters)))
}

/** Whether MikroORM's filters limit the related rows that a scope leads to. Their conditions may read any rows. */
const isFiltered = (entity: EntityModel, filters: ActiveFilters): boolean => filtersBehind(filters).has(entity)

/** Whether the rows of some tables may decide whether a written row lies in its scope. */
export function scopeHangsOn ({ scope }: Pick<Write, 'scope'>, tables: readonly string[]): boolean {
  if (scope === undefined || tables.length === 0) return false
  const behind = tablesBehind(scope.where)
  return behind === undefined || tables.some((table) => behind.has(table))
}

/** The write whose rows are looked for in their scope by another statement. */
export function withScopeSearch (write: Write): Write {
  return { ...write, scope: { ...write.scope!, needsDatabase: true } }
}

/** Whether another statement has to look for the written rows in their scope. */
export function needsScopeSearch (write: Pick<Write, 'scope' | 'conditions'>): boolean {
  return needsScopeCheck(write) && write.conditions.inside === undefined
}

/**
 * Whether the check of the written rows needs a transaction, or a savepoint in a transaction of the application, which
 * a statement that fails would end.
 */
export function needsScopeTransaction (write: Write): boolean {
  return needsScopeCheck(write) && (write.conditions.inside === undefined || isInTransaction(write.session))
}
