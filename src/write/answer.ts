/** Makes the answers of writes. */
import { convertList, convertRecord, type JsonAnswer } from '../read/index.ts'
import type { Steps } from '../base/steps.ts'
import type { Write, Written } from './write.ts'

/** The answer of a write of one record. */
export function * answerOne (write: Write, written: Written): Steps<JsonAnswer> {
  return { ...written, json: yield * convertRecord(write, written.json, write.resource.toWire) }
}

/** The answer of a write of several records. */
export function * answerMany (write: Write, written: readonly Written[]): Steps<JsonAnswer> {
  const json = `[${written.map(({ json }) => json).join()}]`
  return { json: yield * convertList(write, json, write.resource.toWire) }
}
