/** Answers of reads: the JSON text of the database, converted if wire types or the hook `afterRead` require it. */
import { ConfigError } from '../base/errors.ts'
import { isObject, parseExact } from '../model/index.ts'
import { shown } from '../base/option-checks.ts'
import type { CrudContext, CrudHooks } from '../resource/index.ts'
import type { JsonRecord, ToWire } from '../answer/index.ts'

/** A record, a page or a list of records as JSON text. For a record also the values of its response headers. */
export interface JsonAnswer {
  readonly json: string
  /** The version of the record, if its entity has one. */
  readonly version?: string | undefined
  /** The columns of a new record's key as texts, if the statement that inserted it returned them. */
  readonly key?: readonly string[] | undefined
}

/** Whether the JSON text of the database is sent unchanged. */
export function isFinal (toWire: ToWire | undefined, { afterRead }: CrudHooks): boolean {
  return toWire === undefined && afterRead === undefined
}

/** Converts the JSON text of a record that is not final. */
export async function convertRecord (
  json: string,
  toWire: ToWire | undefined,
  hooks: CrudHooks,
  context: CrudContext
): Promise<string> {
  const records = parseRecords(`[${json}]`, toWire, hooks)
  return jsonOf((await withAfterRead(records, hooks, context))[0], hooks)
}

/** Converts the JSON text of a list of records that are not final. */
export async function convertList (
  json: string,
  toWire: ToWire | undefined,
  hooks: CrudHooks,
  context: CrudContext
): Promise<string> {
  return jsonOf(await withAfterRead(parseRecords(json, toWire, hooks), hooks, context), hooks)
}

/**
 * The JSON text of a record, or of a list of records.
 *
 * @throws {ConfigError} for circles, bigints, and a `toJSON` that returns nothing
 */
export function jsonOf (value: unknown, { afterRead }: CrudHooks): string {
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
export function parseRecords (json: string, toWire: ToWire | undefined, { afterRead }: CrudHooks): JsonRecord[] {
  const records = (afterRead === undefined ? parseExact(json) : JSON.parse(json)) as JsonRecord[]
  if (toWire !== undefined) { for (const record of records) toWire(record) }
  return records
}

/** Calls `afterRead` for every record, concurrently, and returns its results. */
async function withAfterRead (
  records: JsonRecord[],
  hooks: CrudHooks,
  context: CrudContext
): Promise<readonly JsonRecord[]> {
  if (hooks.afterRead === undefined) return records
  const results: Array<JsonRecord | Promise<JsonRecord>> = []
  try {
    for (const record of records) results.push(hooks.afterRead(record, context))
  } catch (error) {
    // calls that have already started may fail as well; only the first error is thrown
    Promise.allSettled(results)
    throw error
  }
  return checkReturned(await Promise.all(results))
}

/** @throws {ConfigError} when `afterRead` has returned something other than a record */
export function checkReturned (results: readonly unknown[]): readonly JsonRecord[] {
  const index = results.findIndex((result) => !isObject(result))
  if (index < 0) return results as readonly JsonRecord[]
  // the error is sent to clients, so that it does not show a value
  const wrong = results[index]
  const got = typeof wrong === 'object' || wrong === undefined ? shown(wrong) : `a ${typeof wrong}`
  throw new ConfigError(`afterRead must return the record as an object, got ${got}.`)
}
