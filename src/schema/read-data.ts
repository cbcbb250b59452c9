/** Reads the data of a write: checks it against its schema, and converts it to values of columns. */
import { ErrorList } from '../base/error-list.ts'
import { ConfigError, RequestValidationError, validationOf, type ErrorItem } from '../base/errors.ts'
import { isObject, type EntityModel, type Property } from '../model/index.ts'
import { convertData, type BodyRules, type RecordData } from '../plan/index.ts'
import { clientBody, serverBody, type Body } from './body.ts'
import type { BodyError } from './body-errors.ts'

export interface DataOptions {
  /** The rules of a body, or `server` for data of the application, which may set everything that has a column. */
  readonly by: BodyRules | 'server'
  /** Given if the data is the complete new record. The rules say which properties it must have. */
  readonly complete?: BodyRules
  /** Given if others fill in the rest of the new record. The rules say which properties the data itself must have. */
  readonly partial?: BodyRules
  /** Whether the schema has accepted the data already. */
  readonly isChecked?: boolean
  /** Looks for errors of the record as a whole. */
  readonly check?: (record: RecordData) => readonly ErrorItem[]
  /** The prefix of all pointers in errors, e.g. `/1` in a batch. */
  readonly pointer?: string
}

/**
 * Reads the data of one record.
 *
 * @throws {RequestValidationError} with an item for each property that is unknown, not writable or missing, or has a
 *   value that its column cannot hold
 * @throws {ConfigError} if a new record lacks a value that no client may write
 */
export function readData (given: unknown, model: EntityModel, options: DataOptions): RecordData {
  const { by, complete, partial, isChecked, check, pointer = '' } = options
  const data = withOwnMembers(given)
  const body = by === 'server' ? serverBody(model) : clientBody(model, by, { complete: complete !== undefined })
  if (isChecked !== true && !body.accepts(data)) {
    const errors = body.errorsOf(data, pointer)
    if (errors.count > 0) throw refusalOf(errors, check?.(NO_DATA))
  }
  const row = convertData(data as Record<string, unknown>, body.byName, by === 'server' ? 'server' : 'client', pointer)
  const others = check?.(row)
  if (others !== undefined && others.length > 0) throw refusalOf(new ErrorList(), others)
  if (complete !== undefined && (by === 'server' || complete.unfilled.length > 0)) {
    checkComplete(data as Record<string, unknown>, body, complete, pointer, model)
  }
  if (partial !== undefined) checkComplete(data as Record<string, unknown>, body, partial, pointer, model)
  return row
}

/**
 * Checks that data has all properties that a new record needs. Data of the application may use both names of a
 * property, so its schema cannot say which are required.
 */
function checkComplete (
  data: Readonly<Record<string, unknown>>,
  { byName }: Body,
  { required, unfilled }: BodyRules,
  prefix: string,
  model: EntityModel
): void {
  const given = new Set(
    Object.keys(data).filter((name) => data[name] !== undefined).map((name) => byName.get(name)?.property)
  )
  const errors = new ErrorList<BodyError>()
  for (const { property, pointer } of required) {
    if (given.has(property)) continue
    errors.add(() => {
      const detail = `The property '${property.publicName}' is required.`
      const item = { source: { pointer: `${prefix}${pointer}` }, code: 'FST_ERR_VALIDATION', detail }
      return { item, validation: validationOf(item) }
    })
  }
  if (errors.count > 0) throw refusalOf(errors)
  const missing = unfilled.find((property) => !given.has(property))
  if (missing !== undefined) throw unfilledError(missing, model)
}

const NO_DATA: RecordData = Object.freeze({ columns: [], references: [], links: [], properties: {} })

/**
 * One error for all errors of a record.
 *
 * @param others errors that do not come from the schema
 */
export function refusalOf (
  errors: ErrorList<BodyError>,
  others: readonly ErrorItem[] = []
): RequestValidationError {
  for (const item of others) errors.add(() => ({ item, validation: validationOf(item) }))
  return new RequestValidationError(errors.items.map(({ item }) => item), {
    count: errors.count,
    validation: errors.items.map(({ validation }) => validation),
  })
}

/** The data with its own members, in place of an instance of a class, which inherits members. */
function withOwnMembers (data: unknown): unknown {
  if (!isObject(data)) return data
  const prototype: unknown = Object.getPrototypeOf(data)
  return prototype === Object.prototype || prototype === null ? data : { ...data }
}

/** Names the property only in the cause, for the log, because clients cannot fix this and may not know the property. */
function unfilledError (property: Property, model: EntityModel): ConfigError {
  const cause = new ConfigError(
    `${model.name}.${property.name} is required, no client may write it, and neither beforeCreate nor 'values' nor ` +
      'a scope has set it.'
  )
  return new ConfigError('The server lacks a value that new records need.', { cause })
}
