/** Records on their way out: what JavaScript has to do with what the database wrote. */
import { ConfigError } from '../errors.ts'
import { parseExact } from '../model/index.ts'
import type { JsonRecord, ToWire } from '../run/index.ts'
import { waitForAll, type CrudContext, type MaybePromise, type Work } from '../resource/index.ts'

/** A subclass's `afterRead`, if it has one. */
export type AfterRead = ((record: JsonRecord, context: CrudContext) => MaybePromise<JsonRecord>) | undefined

/** A record as JSON text, and its version. */
export interface VersionedJson {
  readonly json: string
  readonly version: string | undefined
}

/** Converts records in place and passes them through the hook. */
export function * convertRecords (
  records: readonly JsonRecord[],
  toWire: ToWire | undefined,
  afterRead: AfterRead,
  context: CrudContext
): Work<readonly JsonRecord[]> {
  if (toWire !== undefined) { for (const record of records) toWire(record) }
  if (afterRead === undefined) return records
  const results: readonly unknown[] = yield * waitForAll(
    records.map((record) => () => afterRead(record, context)),
    'afterRead'
  )
  if (results.some((result) => typeof result !== 'object' || result === null)) {
    throw new ConfigError('afterRead must return the record.')
  }
  return results as readonly JsonRecord[]
}

/** A hook gets numbers, which JavaScript may have rounded; without one they leave as they are stored. */
function parserFor (afterRead: AfterRead): (json: string) => unknown {
  return afterRead === undefined ? parseExact : JSON.parse
}

/** JSON text of a record: as it came, unless something has to be done with it. */
export function * convertJson (
  json: string,
  toWire: ToWire | undefined,
  afterRead: AfterRead,
  context: CrudContext
): Work<string> {
  if (toWire === undefined && afterRead === undefined) return json
  const [record] = yield * convertRecords([parserFor(afterRead)(json) as JsonRecord], toWire, afterRead, context)
  return JSON.stringify(record)
}

/** JSON text of a list of records, likewise. */
export function * convertListJson (
  json: string,
  toWire: ToWire | undefined,
  afterRead: AfterRead,
  context: CrudContext
): Work<string> {
  if (toWire === undefined && afterRead === undefined) return json
  return JSON.stringify(yield * convertRecords(parserFor(afterRead)(json) as JsonRecord[], toWire, afterRead, context))
}
