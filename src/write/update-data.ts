/**
 * Reads the data of an update. The key only finds the record: data may repeat it, but not change it. An update of many
 * records has no key.
 */
import { escapedName } from '../base/error-list.ts'
import { invalidAt, type ErrorItem } from '../base/errors.ts'
import {
  isSameValue, keyColumnNames, keyFromJson, keyFromText, uuidOfId, type EntityModel, type KeyColumn,
  type PrimaryKeyPart,
} from '../model/index.ts'
import { isObject } from '../base/is-object.ts'
import type { Steps } from '../base/steps.ts'
import {
  columnData, columnsWhere, setsSharedColumns, withSharedColumns, type BodyRules, type Id, type RecordData,
} from '../plan/index.ts'
import { crudContext, type ScopeRules } from '../resource/index.ts'
import { dataOfHook, mistakeIn, readOfHook, refuseVersion, valuesData, type DataHook } from './server-data.ts'
import type { Data } from './new-row.ts'
import { refuseOutside } from './scope-of-rows.ts'
import { bodyRules, type Write } from './write.ts'
import { readData } from '../schema/index.ts'

/** Data without the record's key, and errors for a key in the data that differs from the key in the path. */
interface Keyless {
  readonly data: Data
  readonly errors: readonly ErrorItem[]
}

/**
 * Removes the record's key from the data. Clients may send whole records back, but with the key of the path.
 *
 * @param id absent for an update of many records, whose data must not have a key, and for an upsert, which ignores the
 *   errors
 */
export function withoutKey (data: Data, id: Id | undefined, model: EntityModel): Keyless {
  if (!isObject(data) || !hasKey(data, model)) return { data, errors: [] }
  if (id === undefined) return refusingKey(data, model)
  const found = requestedKey(id, model)
  const keys = [
    ...found,
    ...model.primaryKey.filter(({ property }) =>
      property.write.writable && !found.some((part) => part.property === property)
    ),
  ]
  if (keys.every(({ property }) => property.hidden || !(property.publicName in data))) return { data, errors: [] }
  const rest: Record<string, unknown> = { ...data }
  const errors: ErrorItem[] = []
  for (const { property, columns, ...part } of keys) {
    const name = property.publicName
    if (property.hidden || !(name in rest)) continue
    if (!('expected' in part) || !isSame(rest[name], part.expected, property, columns)) {
      const detail = `'${name}' is the record's key and cannot be changed: leave it out, or repeat the key of the path.`
      errors.push(invalidAt(`/${escapedName(name)}`, detail))
    }
    delete rest[name]
  }
  return { data: rest, errors }
}

/** Refuses all properties of the primary key, except those that bodies never set: they are refused later. */
function refusingKey (data: Data, { primaryKey }: EntityModel): Keyless {
  const rest: Record<string, unknown> = { ...data }
  const errors: ErrorItem[] = []
  for (const { property: { publicName: name, hidden, write } } of primaryKey) {
    if (hidden || !write.writable || !(name in rest)) continue
    const detail = `'${name}' is the key of each record and cannot be changed: leave it out.`
    errors.push(invalidAt(`/${escapedName(name)}`, detail))
    delete rest[name]
  }
  return { data: rest, errors }
}

/** Whether data names a property of a key. Most updates do not. */
const hasKey = (data: Data, { primaryKey, uuid }: EntityModel): boolean =>
  primaryKey.some(({ property }) => property.publicName in data) || (uuid !== undefined && uuid.publicName in data)

/**
 * Errors of a relation whose foreign key contains a column of the primary key. Such a relation cannot change the key
 * either.
 *
 * @param id absent for an update of many records. Their keys share the values that the scope sets
 */
export function keyColumnErrors (
  row: RecordData,
  id: Id | undefined,
  model: EntityModel,
  scope?: ScopeRules
): readonly ErrorItem[] {
  if (!setsSharedColumns(row)) return []
  const errors: ErrorItem[] = []
  const known = id === undefined ? partsOfScope(model, scope) : requestedKey(id, model)
  const own = new Map(
    known.flatMap(({ property, columns, expected }) =>
      columns.map((column) => [column.column, { column, expected: columnValue(property, column, expected) }])
    )
  )
  const primary = new Set(keyColumnNames(model))
  for (const { property, column, value } of columnData(row).filter(({ column }) => primary.has(column))) {
    const found = own.get(column)
    if (found !== undefined && isSameKeyPart(value, found.expected, found.column)) continue
    const name = property.publicName
    const detail = `'${name}' shares a column with the record's key, which cannot be changed.`
    errors.push(invalidAt(`/${escapedName(name)}`, detail))
  }
  return errors
}

/** The parts of the key that all records of a scope have in common. */
function partsOfScope ({ primaryKey }: EntityModel, scope: ScopeRules | undefined): readonly RequestedKeyPart[] {
  if (scope === undefined) return []
  return primaryKey.flatMap((part) => {
    const { property } = part
    return property.kind === 'scalar' && scope.values.has(property)
      ? [{ ...part, expected: scope.values.get(property) }]
      : []
  })
}

/** An update as its body requests it. */
interface UpdateData {
  /** The changes of the body alone. */
  readonly row: RecordData
  /** The data of the body with the server's values; `undefined` without a hook and without such values. */
  readonly complete: Data | undefined
}

/**
 * @param decided the changes of the body alone, if they are known
 * @throws {ConfigError} if `writable` allows no update
 * @throws {RequestValidationError} for data that the body may not contain
 */
function beginUpdate (write: Write, id: Id | undefined, body: Data, decided?: RecordData): UpdateData {
  const { crud, model, options, scope } = write
  const hook = id === undefined ? crud.beforeUpdateMany : crud.beforeUpdate
  const rules = bodyRules(write, 'update')
  const { data, errors } = withoutKey(body, id, model)
  const check = (row: RecordData): readonly ErrorItem[] => [...errors, ...keyColumnErrors(row, id, model, scope)]
  const row = decided ?? readData(data, model, { by: rules, check })
  const values = valuesData(options.values, model)
  return {
    row,
    complete: hook === undefined && values === undefined ? undefined : { ...data, ...values },
  }
}

/**
 * The changes of an update, after the hook of the class.
 *
 * @param id absent for an update of many records
 * @param decided the changes of the body, if they are known
 * @throws {ConfigError} for a hook that returns wrong data
 */
export function * readUpdate (write: Write, id: Id | undefined, data: Data, decided?: RecordData): Steps<RecordData> {
  const { crud, session, options } = write
  const { row, complete } = beginUpdate(write, id, data, decided)
  if (complete === undefined) return finishUpdate(write, row, id)
  const hook = id === undefined ? 'beforeUpdateMany' : 'beforeUpdate'
  const { children } = bodyRules(write, 'update')
  if (crud[hook] === undefined) return finishUpdate(write, readChanges(complete, id, write, hook, children), id)
  const context = crudContext(session, options.context)
  const returned = yield * dataOfHook(
    hook,
    () => id === undefined ? crud.beforeUpdateMany!(complete, context) : crud.beforeUpdate!(id, complete, context)
  )
  return finishUpdate(write, readChanges(returned, id, write, hook, children), id)
}

/**
 * Checks the data of an update of many records without running its hook.
 *
 * @returns whether it certainly changes nothing
 */
export function changesNothing (write: Write, data: Data, decided?: RecordData): boolean {
  const { row, complete } = beginUpdate(write, undefined, data, decided)
  return complete === undefined && isEmpty(finishUpdate(write, row, undefined))
}

/** @throws {OutOfScopeError} for changes that would move the record out of its scope */
export function finishChanges ({ scope }: Write, row: RecordData, pointer = ''): RecordData {
  if (scope !== undefined) refuseOutside(row, scope, pointer)
  return withSharedColumns(row, pointer)
}

/** The same for an update. That of many records has no id. */
function finishUpdate (write: Write, row: RecordData, id: Id | undefined): RecordData {
  const changes = finishChanges(write, row)
  return id === undefined && setsSharedColumns(changes) ? withoutKeyColumns(changes, write.model) : changes
}

/** Changes without the columns of the key, whose values are those of the records: a server may refuse to set them. */
function withoutKeyColumns (changes: RecordData, model: EntityModel): RecordData {
  const primary = new Set(keyColumnNames(model))
  return { ...changes, ...columnsWhere(changes, ({ column }) => !primary.has(column)) }
}

/** Whether an update changes nothing. */
export function isEmpty ({ columns, links }: RecordData): boolean {
  return columns.length === 0 && links.length === 0
}

/**
 * Reads the changes after a hook or the server's values have changed them. The client's data was valid, so any error in
 * it is the application's.
 *
 * @throws {ConfigError} for an error, whose cause is for the log
 */
function readChanges (
  changed: Data,
  id: Id | undefined,
  { model, scope }: Write,
  hook: DataHook,
  children: BodyRules['children'] | undefined
): RecordData {
  const { data, errors } = withoutKey(changed, id, model)
  const row = readOfHook(
    hook,
    () =>
      readData(data, model, {
        by: 'server',
        children,
        check: (row) => [...errors, ...keyColumnErrors(row, id, model, scope)],
      })
  )
  refuseVersion(hook, row, model)
  for (const { property } of row.columns) {
    if (property.kind === 'scalar' && model.primaryKey.some((part) => part.property === property)) {
      throw mistakeIn(hook, `'${property.name}' is the record's key and cannot be changed.`)
    }
  }
  return row
}

/** The value that the id has for one column of a part of the key. */
function columnValue (property: PrimaryKeyPart['property'], { column }: KeyColumn, expected: unknown): unknown {
  if (property.kind === 'scalar' || property.key.length === 1) return expected
  const part = property.key.find((part) => part.column === column)
  return isObject(expected) && part !== undefined ? expected[part.publicName] : undefined
}

/** The names of the properties by which a record was found. Its data may repeat them. */
export function keyNames (id: Id, model: EntityModel): ReadonlySet<string> {
  return new Set(requestedKey(id, model).map(({ property }) => property.publicName))
}

interface RequestedKeyPart extends PrimaryKeyPart {
  readonly expected: unknown
}

/** The parts of the key by which a record was requested, with their values. */
function requestedKey (id: Id, model: EntityModel): readonly RequestedKeyPart[] {
  const { primaryKey } = model
  const [single, ...more] = primaryKey
  if (typeof id === 'object') return primaryKey.map((part) => ({ ...part, expected: id[part.property.name] }))
  const uuid = uuidOfId(id, model)
  if (uuid !== undefined) return [{ property: uuid, columns: [uuid], expected: id }]
  return single === undefined || more.length > 0 ? [] : [{ ...single, expected: id }]
}

/** Whether a value in a body equals a value in the path, which is text. */
function isSame (
  given: unknown,
  expected: unknown,
  property: PrimaryKeyPart['property'],
  columns: readonly KeyColumn[]
): boolean {
  if (columns.length === 1) return isSameKeyPart(given, expected, columns[0]!)
  // the part is a relation to a composite key
  if (
    property.kind !== 'relation' || !isObject(given) || !isObject(expected) ||
    Object.keys(given).length !== columns.length
  ) return false
  return property.key.every((part) => isSameKeyPart(given[part.publicName], expected[part.publicName], part))
}

function isSameKeyPart (given: unknown, expected: unknown, column: Pick<KeyColumn, 'type' | 'codec'>): boolean {
  const [value, own] = [keyFromJson(given, column), keyFromText(String(expected), column)]
  return value.ok && own.ok &&
    (String(value.value) === String(own.value) || isSameValue(value.value, own.value, column) === true)
}
