/** Answers of reads: the JSON text of the database, converted if wire types or the hook `afterRead` require it. */
import { ConfigError } from '../base/errors.ts'
import type { InfoOf, StyleName } from '../base/page-styles.ts'
import { parseExact } from '../model/index.ts'
import { isObject } from '../base/is-object.ts'
import { shown } from '../base/option-checks.ts'
import { allOf, ignoreRejection, type OrPromise } from '../base/or-promise.ts'
import { promisedBy, wait, type Steps } from '../base/steps.ts'
import { crudContext, type CrudHooks, type CrudSession, type RequestConditions } from '../resource/index.ts'
import { listJson, type JsonRecord, type ToWire } from '../answer/index.ts'

/** A record, a page or a list of records as JSON text. For a record also the values of its response headers. */
export interface JsonAnswer {
  readonly json: string
  /** The version of the record, if its entity has one. */
  readonly version?: string | undefined
  /** The columns of a new record's key as texts, if the statement that inserted it returned them. */
  readonly key?: readonly string[] | undefined
  /** The information of a page beside its items. */
  readonly page?: InfoOf<StyleName>
}

/** An operation that answers with records. */
interface Answering {
  readonly crud: CrudHooks
  readonly session: CrudSession
  readonly conditions: RequestConditions
}

/** Whether the JSON text of the database is sent unchanged. */
export function isSentUnchanged (toWire: ToWire | undefined, { afterRead }: CrudHooks): boolean {
  return toWire === undefined && afterRead === undefined
}

/** Converts the JSON text of a record, unless it is final. */
export function * convertRecord (
  answering: Answering,
  json: string,
  toWire: ToWire | undefined
): Steps<string> {
  const { crud } = answering
  if (isSentUnchanged(toWire, crud)) return json
  const [record] = yield * withAfterRead(answering, parseRecords(`[${json}]`, toWire, crud))
  return jsonOf(record, crud)
}

/** Converts the JSON text of a list of records, unless it is final. */
export function * convertList (
  answering: Answering,
  json: string,
  toWire: ToWire | undefined
): Steps<string> {
  const { crud } = answering
  if (isSentUnchanged(toWire, crud)) return json
  return jsonOf(yield * withAfterRead(answering, parseRecords(json, toWire, crud)), crud)
}

/** Converts the JSON text of a list of rows that are not records of an entity, which no hook sees. */
export function convertRows (json: string, toWire: ToWire | undefined): string {
  return toWire === undefined ? json : jsonOf(parseRecords(json, toWire, {}), {})
}

/** Converts the JSON texts of several records, unless they are final. */
export function * convertRecords (
  answering: Answering,
  texts: readonly string[],
  toWire: ToWire | undefined
): Steps<readonly string[]> {
  const { crud } = answering
  if (isSentUnchanged(toWire, crud)) return texts
  const records = yield * withAfterRead(answering, parseRecords(listJson(texts), toWire, crud))
  return records.map((record) => jsonOf(record, crud))
}

/**
 * The JSON text of a record, or of a list of records.
 *
 * @throws {ConfigError} for circles, bigints, and a `toJSON` that returns nothing
 */
function jsonOf (value: unknown, { afterRead }: CrudHooks): string {
  const made = afterRead === undefined
    ? 'A serializer or the toJSON of a type must return a value'
    : 'afterRead must return a record'
  const sentence = `${made} that can be written as JSON.`
  let text: string | undefined
  try {
    text = JSON.stringify(value) as string | undefined
  } catch (cause) {
    throw new ConfigError(sentence, { cause })
  }
  if (text === undefined) throw new ConfigError(sentence)
  return text
}

/**
 * The records of a JSON list in wire form. Numbers stay exact unless there is a hook: hooks get JavaScript numbers,
 * which may be rounded.
 */
function parseRecords (json: string, toWire: ToWire | undefined, { afterRead }: CrudHooks): JsonRecord[] {
  const records = (afterRead === undefined ? parseExact(json) : JSON.parse(json)) as JsonRecord[]
  if (toWire !== undefined) { for (const record of records) toWire(record) }
  return records
}

/** Calls `afterRead` for every record, concurrently, and returns its results. */
function * withAfterRead (
  { crud, session, conditions }: Answering,
  records: JsonRecord[]
): Steps<readonly JsonRecord[]> {
  if (crud.afterRead === undefined) return records
  const context = crudContext(session, conditions.context)
  const results: Array<OrPromise<JsonRecord>> = []
  try {
    for (const record of records) results.push(crud.afterRead(record, context))
  } catch (error) {
    // calls that have already started may fail as well; only the first error is thrown
    results.forEach(ignoreRejection)
    throw error
  }
  return checkReturned(yield * wait(allOf(results), () => promisedBy('afterRead')))
}

/** @throws {ConfigError} when `afterRead` has returned something other than a record */
function checkReturned (results: readonly unknown[]): readonly JsonRecord[] {
  const index = results.findIndex((result) => !isObject(result))
  if (index < 0) return results as readonly JsonRecord[]
  // the error is sent to clients, so that it does not show a value
  const wrong = results[index]
  const got = typeof wrong === 'object' || wrong === undefined ? shown(wrong) : `a ${typeof wrong}`
  throw new ConfigError(`afterRead must return the record as an object, got ${got}.`)
}
