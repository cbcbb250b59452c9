/** Converts the records that a synchronous session returns. `afterRead` must not return a promise here. */
import { checkReturned, isFinal, jsonOf, parseRecords } from '../read/index.ts'
import { crudContext, type CrudClass, type CrudSession } from '../resource/index.ts'
import type { JsonRecord, ToWire } from '../answer/index.ts'
import { valueOf } from './value.ts'

/** An operation that returns records. */
interface Answering {
  readonly crud: CrudClass
  readonly session: CrudSession
  readonly conditions: { readonly context?: Readonly<Record<string, unknown>> | undefined }
}

/** The JSON text of a list of records. */
export function finishList (answering: Answering, json: string, toWire: ToWire | undefined): string {
  return isFinal(toWire, answering.crud) ? json : jsonOf(converted(answering, json, toWire), answering.crud)
}

/** The JSON text of a record. */
export function finishRecord (answering: Answering, json: string, toWire: ToWire | undefined): string {
  return isFinal(toWire, answering.crud) ? json : jsonOf(converted(answering, `[${json}]`, toWire)[0], answering.crud)
}

function converted (
  { crud, session, conditions }: Answering,
  json: string,
  toWire: ToWire | undefined
): readonly JsonRecord[] {
  const records = parseRecords(json, toWire, crud)
  if (crud.afterRead === undefined) return records
  const context = crudContext(session, conditions.context)
  return checkReturned(records.map((record) => valueOf('afterRead', crud.afterRead!(record, context))))
}
