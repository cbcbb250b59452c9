/** The bodies of writes: the validation phase accepts them here, and handlers take them from here. */
import { invalidAt, RequestValidationError } from '../../base/errors.ts'
import { isObject } from '../../base/is-object.ts'
import { factsOf, type BodyName } from '../../config/index.ts'
import { rulesOfBody, type BodyRules, type Id, type RecordData } from '../../plan/index.ts'
import { checkChanges, checkNewBodies, checkUpserts, keyNames } from '../../write/index.ts'
import { DEFAULT_MAX_BATCH, type CrudOperation } from '../route-options.ts'
import type { ReadQuery } from './query-string.ts'
import type { SeenResource } from './seen-resource.ts'

type Data = Record<string, unknown>

/** A body that has been accepted. */
export interface AcceptedBody {
  readonly body: unknown
  /** The rows that the operation is to write. Absent if others add to the body or may change it before. */
  readonly rows: readonly RecordData[] | undefined
}

/** The input of a route, as far as its body needs it. */
interface BodyInput {
  readonly request: { readonly body: unknown }
  readonly operation: CrudOperation
  readonly seen: SeenResource
  readonly accepted: AcceptedBody | undefined
  key(): Id
  queryAs<Kind extends ReadQuery['kind']>(): ReadQuery & { readonly kind: Kind }
}

/**
 * Checks the body of a request.
 *
 * @param isLast whether no hook runs between the validation and the handler
 * @throws {RequestValidationError} with all errors of the first record that is not valid
 */
export function acceptBody (input: BodyInput, isLast: boolean): AcceptedBody {
  const { request: { body }, seen: { decides }, operation } = input
  if (body === undefined) throw bodyError(NO_BODY)
  return { body, rows: ACCEPT[factsOf(operation).body!](input, isLast && decides[operation] === true) }
}

/** Checks the bodies with each schema. Returns their rows, if they are wanted or known all the same. */
const ACCEPT: Readonly<
  Record<BodyName, (input: BodyInput, decides: boolean) => readonly RecordData[] | undefined>
> = {
  create: (input, decides) => {
    const { resource: { model, writable }, complete, options } = input.seen
    const { records, pointer } = recordsOf(input)
    const rules = rulesOfBody(writable, input.operation)!
    const checks = { complete, readonly: ignoresReadonly(input), decides }
    const rows = checkNewBodies(records, model, rules, checks, pointer)
    checkNumberOfChildren(records, rules, options, pointer)
    return rows
  },

  update: (input, decides) => {
    const { request: { body }, operation, seen: { resource: { model, writable }, options } } = input
    const id = factsOf(operation).byKey ? input.key() : undefined
    const rules = rulesOfBody(writable, operation)!
    const row = checkChanges(body, id, model, rules, { readonly: ignoresReadonly(input), decides })
    checkNumberOfChildren([body], rules, options, () => '')
    return row && [row]
  },

  upsert: (input, decides) => {
    const { resource: { model, writable }, complete } = input.seen
    const { records, pointer } = recordsOf(input)
    const { key } = input.queryAs<'key'>()
    const checks = { complete, readonly: ignoresReadonly(input), decides }
    return checkUpserts(records, { model, writable, key }, checks, pointer)
  },
}

const ignoresReadonly = ({ seen: { options } }: BodyInput): boolean => options.readonlyProperties === 'ignore'

/** The records of a body, and the pointers to them. */
function recordsOf (
  input: BodyInput
): { readonly records: readonly unknown[], readonly pointer: (index: number) => string } {
  const { body } = input.request
  checkShape(input)
  return Array.isArray(body)
    ? { records: body, pointer: (index) => `/${index}` }
    : { records: [body], pointer: () => '' }
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
      throw new RequestValidationError([invalidAt(`${pointer(index)}${owned.pointer}`, detail)])
    }
  }
}

/**
 * The data of a write: of one record, or of a list. Names that are ignored are left out.
 *
 * @throws {RequestValidationError} unless the routes take such a body
 */
export function dataOf (input: BodyInput): Data | readonly Data[] {
  const { request: { body }, operation, seen, accepted } = input
  const { body: name, byKey } = factsOf(operation)
  if (name !== 'update' && accepted?.body !== body) checkShape(input)
  const ignored = seen.ignored[name!]
  if (ignored === undefined) return body as Data | readonly Data[]
  const { model, writable } = seen.resource
  // the key may be among the names of an update, and is checked later
  const kept = name === 'update' && byKey ? keyNames(input.key(), model) : undefined
  const { children } = rulesOfBody(writable, operation)!
  const cleaned = (record: unknown): Data => withoutNamesInChildren(withoutNames(record, ignored, kept), children)
  return Array.isArray(body) && name !== 'update' ? body.map(cleaned) : cleaned(body)
}

/** @throws {RequestValidationError} for a record or a list that the routes do not take, or a list that is too long */
function checkShape (
  { request: { body }, operation, seen: { forms, options: { maxBatch = DEFAULT_MAX_BATCH } } }: BodyInput
): void {
  const { body: name, changes } = factsOf(operation)
  const takes = forms[name!]!
  if (!Array.isArray(body)) {
    if (!takes.one) throw bodyError(LIST)
    return
  }
  if (!takes.list) throw bodyError(ONE_RECORD)
  if (body.length > maxBatch) {
    const verb = changes.length > 1 ? 'write' : 'create'
    throw bodyError(`A request can ${verb} at most ${maxBatch} records; this one has ${body.length}.`)
  }
}

const ONE_RECORD = 'The body must not be a list: send one record at a time, as an object.'
const LIST = 'The body must be a list of records, even if there is only one.'
const NO_BODY = 'The request has no body. Send a record as JSON, with the content type application/json.'

/** An error about the body as a whole. */
function bodyError (detail: string): RequestValidationError {
  return new RequestValidationError([invalidAt('', detail)])
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
