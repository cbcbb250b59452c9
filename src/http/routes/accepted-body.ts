/** The bodies of writes: the validation phase accepts them here, and handlers take them from here. */
import { RequestValidationError } from '../../base/errors.ts'
import { isObject } from '../../base/is-object.ts'
import { withoutChildren, type BodyRules, type Id, type RecordData, type UpsertKey } from '../../plan/index.ts'
import { checkChanges, checkNewBodies, checkUpserts, keyNames } from '../../write/index.ts'
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
  query(): { readonly key?: UpsertKey | undefined }
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
    const own = writable.update as BodyRules
    const rules = id === undefined ? withoutChildren(own) : own
    const row = checkChanges(body, id, model, rules, { readonly, decides })
    checkNumberOfChildren([body], rules, seen.options, () => '')
    return { body, rows: row && [row] }
  }
  checkShape(body, call)
  const isList = Array.isArray(body)
  const records = isList ? body as readonly unknown[] : [body]
  const pointer = isList ? (index: number) => `/${index}` : () => ''
  if (call.operation === 'upsert') {
    const checks = { complete, readonly, decides: isLast && seen.decides.upsert }
    return { body, rows: checkUpserts(records, { model, writable, key: call.query().key! }, checks, pointer) }
  }
  const rules = writable.create as BodyRules
  const rows = checkNewBodies(records, model, rules, {
    complete,
    readonly,
    decides: isLast && seen.decides.create,
  }, pointer)
  checkNumberOfChildren(records, rules, seen.options, pointer)
  return { body, rows }
}

/**
 * Limits the number of children in a body that its schema has accepted.
 *
 * @throws {RequestValidationError} for more than `maxBatch` children of all records together
 */
function checkNumberOfChildren (
  records: readonly unknown[],
  { children }: BodyRules,
  { maxBatch = DEFAULT_MAX_BATCH }: SeenResource['options'],
  pointer: (index: number) => string
): void {
  if (children.size === 0) return
  let count = 0
  for (const [index, record] of records.entries()) {
    for (const [name, owned] of children) {
      const value = (record as Data)[name]
      if (value === undefined) continue
      const lists = owned.isNew ? [value] : Object.values(value as Data)
      for (const list of lists as (readonly unknown[] | undefined)[]) count += list?.length ?? 0
      if (count <= maxBatch) continue
      const detail = `A request can write at most ${maxBatch} related records together with their parents.`
      const source = { pointer: `${pointer(index)}${owned.pointer}` }
      throw new RequestValidationError([{ source, code: 'FST_ERR_VALIDATION', detail }])
    }
  }
}

/**
 * The data of new records, or of upserts: of one, or of a list. Names that are ignored are left out.
 *
 * @throws {RequestValidationError} unless the routes take such a body
 */
export function newData (call: WritingCall): Data | readonly Data[] {
  const { request: { body }, seen, accepted } = call
  if (accepted === undefined || accepted.body !== body) checkShape(body, call)
  const ignored = seen.ignored[call.operation === 'upsert' ? 'upsert' : 'create']
  if (ignored === undefined) return body as Data | readonly Data[]
  const { children } = seen.resource.writable.create!
  const cleaned = (record: unknown): Data => withoutNamesInChildren(withoutNames(record, ignored), children)
  return Array.isArray(body) ? body.map(cleaned) : cleaned(body)
}

/** The data of an update, without names that are ignored. The key may be among them, and is checked later. */
export function changedData (call: WritingCall): Data {
  const { request: { body }, operation, seen: { ignored: { update: ignored }, resource: { model, writable } } } = call
  if (ignored === undefined) return body as Data
  if (operation !== 'update') return withoutNames(body, ignored)
  return withoutNamesInChildren(withoutNames(body, ignored, keyNames(call.key(), model)), writable.update!.children)
}

/** @throws {RequestValidationError} for a record or a list that the routes do not take, or a list that is too long */
function checkShape (
  body: unknown,
  { operation, seen: { operations, options: { maxBatch = DEFAULT_MAX_BATCH } } }: Pick<
    WritingCall,
    'operation' | 'seen'
  >
): void {
  const upserts = operation === 'upsert'
  if (!Array.isArray(body)) {
    if (!upserts && !operations.includes('create')) throw bodyError(LIST)
    return
  }
  if (!upserts && !operations.includes('createMany')) throw bodyError(ONE_RECORD)
  if (body.length > maxBatch) {
    const verb = upserts ? 'write' : 'create'
    throw bodyError(`A request can ${verb} at most ${maxBatch} records; this one has ${body.length}.`)
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

/** Does the same in the children of a record. The key of a child stays. */
function withoutNamesInChildren (record: Data, children: BodyRules['children']): Data {
  if (children.size === 0 || !isObject(record)) return record
  const rest: Data = { ...record }
  for (const [name, { isNew, create, update, key }] of children) {
    const keys = new Set(key.map(({ publicName }) => publicName))
    const cleaned = (list: unknown, rules: BodyRules | undefined, kept?: ReadonlySet<string>): unknown =>
      Array.isArray(list) && rules !== undefined ? list.map((child) => withoutNames(child, rules.readonly, kept)) : list
    const value = rest[name]
    if (isNew) rest[name] = cleaned(value, create)
    else if (isObject(value)) {
      rest[name] = { ...value, add: cleaned(value['add'], create), update: cleaned(value['update'], update, keys) }
    }
  }
  return rest
}
