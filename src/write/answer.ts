/** Makes the answers of writes. */
import { convertList, convertRecord, isFinal, type JsonAnswer } from '../read/index.ts'
import type { OrPromise } from '../base/or-promise.ts'
import { crudContext } from '../resource/index.ts'
import type { Write, Written } from './write.ts'

/** The answer of a write of one record. It is a promise if the record has to be converted. */
export function answerOne (write: Write, written: Written): OrPromise<JsonAnswer> {
  return isFinal(write.resource.toWire, write.crud) ? written : convertOne(write, written)
}

async function convertOne (
  { crud, resource: { toWire }, session, options }: Write,
  written: Written
): Promise<JsonAnswer> {
  return { ...written, json: await convertRecord(written.json, toWire, crud, crudContext(session, options.context)) }
}

/** The answer of a write of several records. It is a promise if the records have to be converted. */
export function answerMany (write: Write, written: readonly Written[]): OrPromise<JsonAnswer> {
  const json = listOf(written)
  return isFinal(write.resource.toWire, write.crud) ? { json } : convertMany(write, json)
}

async function convertMany (
  { crud, resource: { toWire }, session, options }: Write,
  json: string
): Promise<JsonAnswer> {
  return { json: await convertList(json, toWire, crud, crudContext(session, options.context)) }
}

export function listOf (written: readonly Written[]): string {
  return `[${written.map(({ json }) => json).join()}]`
}
