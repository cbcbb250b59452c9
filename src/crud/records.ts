/** Records on their way out: what JavaScript has to do with what the database wrote. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../errors.ts'
import type { JsonRecord, ToWire } from '../run/index.ts'

/** A subclass's `afterRead`, if it has one. */
export type AfterRead = ((record: JsonRecord, context: { readonly em: EntityManager }) => JsonRecord | Promise<JsonRecord>) | undefined

/** Converts a record in place and passes it through the hook. */
export async function convertRecord (record: JsonRecord, toWire: ToWire | undefined, afterRead: AfterRead, context: { readonly em: EntityManager }): Promise<JsonRecord> {
  toWire?.(record)
  if (afterRead === undefined) return record
  const result: unknown = await afterRead(record, context)
  if (typeof result !== 'object' || result === null) throw new ConfigError('afterRead must return the record.')
  return result as JsonRecord
}

/** JSON text of a record: as it came, unless something has to be done with it. */
export async function convertJson (json: string, toWire: ToWire | undefined, afterRead: AfterRead, context: { readonly em: EntityManager }): Promise<string> {
  if (toWire === undefined && afterRead === undefined) return json
  return JSON.stringify(await convertRecord(JSON.parse(json) as JsonRecord, toWire, afterRead, context))
}

/** JSON text of a list of records, likewise. */
export async function convertListJson (json: string, toWire: ToWire | undefined, afterRead: AfterRead, context: { readonly em: EntityManager }): Promise<string> {
  if (toWire === undefined && afterRead === undefined) return json
  const records = JSON.parse(json) as JsonRecord[]
  return JSON.stringify(await Promise.all(records.map((record) => convertRecord(record, toWire, afterRead, context))))
}
