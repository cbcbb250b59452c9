/** Answers: JSON as the database wrote it, converted where JavaScript has to do something with it. */
import { ConfigError } from '../errors.ts'
import { parseExact } from '../model/index.ts'
import type { CrudContext, CrudHooks } from '../resource/index.ts'
import type { JsonRecord, ToWire } from '../run/index.ts'

/** A record, a page or a list of records as JSON text, and what the headers of a response say of a record. */
export interface JsonAnswer {
  readonly json: string
  /** The version of a record whose entity has one. */
  readonly version?: string | undefined
  /** The columns of a new record's key as texts, where the statement that inserted it has returned them. */
  readonly key?: readonly string[] | undefined
}

/** Whether records leave as the database has written them. */
export function isFinal (toWire: ToWire | undefined, { afterRead }: CrudHooks): boolean {
  return toWire === undefined && afterRead === undefined
}

/** The JSON text of a record that is not final. */
export async function convertRecord (
  json: string,
  toWire: ToWire | undefined,
  hooks: CrudHooks,
  context: CrudContext
): Promise<string> {
  const records = parseRecords(`[${json}]`, toWire, hooks)
  return JSON.stringify((await passThroughHook(records, hooks, context))[0])
}

/** The JSON text of a list of records that are not final. */
export async function convertList (
  json: string,
  toWire: ToWire | undefined,
  hooks: CrudHooks,
  context: CrudContext
): Promise<string> {
  return JSON.stringify(await passThroughHook(parseRecords(json, toWire, hooks), hooks, context))
}

/** The records of a JSON list in wire form. A hook gets numbers, which JavaScript may have rounded; without one they stay exact. */
export function parseRecords (json: string, toWire: ToWire | undefined, { afterRead }: CrudHooks): JsonRecord[] {
  const records = (afterRead === undefined ? parseExact(json) : JSON.parse(json)) as JsonRecord[]
  if (toWire !== undefined) { for (const record of records) toWire(record) }
  return records
}

/** The records that `afterRead` makes of some: its calls do not wait for one another. */
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
    // the calls that have begun may fail, too, and only the first error is thrown
    Promise.allSettled(results)
    throw error
  }
  return checkReturned(await Promise.all(results))
}

/** @throws {ConfigError} when `afterRead` has returned something else than a record */
export function checkReturned (results: readonly unknown[]): readonly JsonRecord[] {
  if (results.some((result) => typeof result !== 'object' || result === null)) {
    throw new ConfigError('afterRead must return the record.')
  }
  return results as readonly JsonRecord[]
}
