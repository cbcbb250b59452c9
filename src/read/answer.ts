/** Answers of reads: the JSON text of the database, converted if wire types or the hook `afterRead` require it. */
import { ConfigError } from '../errors.ts'
import { parseExact } from '../model/index.ts'
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
  return JSON.stringify((await passThroughHook(records, hooks, context))[0])
}

/** Converts the JSON text of a list of records that are not final. */
export async function convertList (
  json: string,
  toWire: ToWire | undefined,
  hooks: CrudHooks,
  context: CrudContext
): Promise<string> {
  return JSON.stringify(await passThroughHook(parseRecords(json, toWire, hooks), hooks, context))
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
async function passThroughHook (
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
  if (results.some((result) => typeof result !== 'object' || result === null)) {
    throw new ConfigError('afterRead must return the record.')
  }
  return results as readonly JsonRecord[]
}
