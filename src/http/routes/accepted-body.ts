/** The bodies of writes: the validation phase accepts them here, and handlers take them from here. */
import { RequestValidationError } from '../../base/errors.ts'
import type { BodyRules, Id, RecordData } from '../../plan/index.ts'
import { checkChanges, checkNewBodies, keyNames } from '../../write/index.ts'
import { DEFAULT_MAX_BATCH, type CrudOperation } from '../route-options.ts'
import type { SeenResource } from './seen-resource.ts'

type Data = Record<string, unknown>

/** A body that has been accepted. */
export interface AcceptedBody {
  readonly body: unknown
  /** The rows that the operation is to write. Absent if others add to the body or may change it before. */
  readonly rows: readonly RecordData[] | undefined
}

/** The call of a write, as far as its body needs it. */
interface WritingCall {
  readonly request: { readonly body: unknown }
  readonly operation: CrudOperation
  readonly seen: SeenResource
  readonly accepted: AcceptedBody | undefined
  key(): Id
}

/**
 * Checks the body of a request.
 *
 * @param isLast whether no hook runs between the validation and the handler
 * @throws {RequestValidationError} with all errors of the first record that is not valid
 */
export function acceptBody (call: WritingCall, isLast: boolean): AcceptedBody {
  const { request: { body }, seen } = call
  if (body === undefined) throw bodyError(NO_BODY)
  const { resource: { model, writable }, complete, options } = seen
  const readonly = options.readonlyProperties === 'ignore'
  if (call.operation === 'update' || call.operation === 'updateMany') {
    const decides = isLast && seen.decides[call.operation]
    const id = call.operation === 'update' ? call.key() : undefined
    const row = checkChanges(body, id, model, writable.update as BodyRules, { readonly, decides })
    return { body, rows: row && [row] }
  }
  checkShape(body, seen)
  const isList = Array.isArray(body)
  const rows = checkNewBodies(
    isList ? body as readonly unknown[] : [body],
    model,
    writable.create as BodyRules,
    { complete, readonly, decides: isLast && seen.decides.create },
    isList ? (index) => `/${index}` : () => ''
  )
  return { body, rows }
}

/**
 * The data of new records: of one, or of a list. Names that are ignored are left out.
 *
 * @throws {RequestValidationError} unless the routes take such a body
 */
export function newData (call: WritingCall): Data | readonly Data[] {
  const { request: { body }, seen, accepted } = call
  if (accepted === undefined || accepted.body !== body) checkShape(body, seen)
  const { create: ignored } = seen.ignored
  if (ignored === undefined) return body as Data | readonly Data[]
  return Array.isArray(body)
    ? body.map((record) => withoutNames(record, ignored))
    : withoutNames(body, ignored)
}

/** The data of an update, without names that are ignored. The key may be among them, and is checked later. */
export function changedData (call: WritingCall): Data {
  const { request: { body }, operation, seen: { ignored: { update: ignored }, resource: { model } } } = call
  if (ignored === undefined) return body as Data
  return withoutNames(body, ignored, operation === 'update' ? keyNames(call.key(), model) : undefined)
}

/** @throws {RequestValidationError} for a record or a list that the routes do not take, or a list that is too long */
function checkShape (body: unknown, { operations, options: { maxBatch = DEFAULT_MAX_BATCH } }: SeenResource): void {
  if (!Array.isArray(body)) {
    if (!operations.includes('create')) throw bodyError(LIST)
    return
  }
  if (!operations.includes('createMany')) throw bodyError(ONE_RECORD)
  if (body.length > maxBatch) {
    throw bodyError(`A request can create at most ${maxBatch} records; this one has ${body.length}.`)
  }
}

const ONE_RECORD = 'The body must not be a list: send one record at a time, as an object.'
const LIST = 'The body must be a list of records, even if there is only one.'
const NO_BODY = 'The request has no body. Send a record as JSON, with the content type application/json.'

/** An error about the body as a whole. */
function bodyError (detail: string): RequestValidationError {
  return new RequestValidationError([{ source: { pointer: '' }, code: 'FST_ERR_VALIDATION', detail }])
}

/** Removes properties that the client may read but not write. Unknown names stay, and are refused later. */
function withoutNames (body: unknown, names: readonly string[], kept?: ReadonlySet<string>): Data {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body as Data
  const rest = { ...body } as Data
  for (const name of names) {
    if (kept?.has(name) !== true) delete rest[name]
  }
  return rest
}
