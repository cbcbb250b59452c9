/** Makes the answers of writes. */
import { convertList, convertRecord, isFinal, type JsonAnswer } from '../read/index.ts'
import { crudContext } from '../resource/index.ts'
import type { Write, Written } from './write.ts'

/** The answer of a write of one record. */
export async function answerOne (
  { crud, resource: { toWire }, session, options }: Write,
  written: Written
): Promise<JsonAnswer> {
  if (isFinal(toWire, crud)) return written
  return { ...written, json: await convertRecord(written.json, toWire, crud, crudContext(session, options.context)) }
}

/** The answer of a write of several records. */
export async function answerMany (
  { crud, resource: { toWire }, session, options }: Write,
  written: readonly Written[]
): Promise<JsonAnswer> {
  const json = listOf(written)
  return {
    json: isFinal(toWire, crud) ? json : await convertList(json, toWire, crud, crudContext(session, options.context)),
  }
}

export function listOf (written: readonly Written[]): string {
  return `[${written.map(({ json }) => json).join()}]`
}
