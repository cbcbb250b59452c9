/** Calls the after hooks of `CrudBase` for the records of a write, once its transaction has committed. */
import { TransactionContext } from '@mikro-orm/core'
import { promisedBy, wait, type Steps } from '../base/steps.ts'
import type { EntityModel } from '../model/index.ts'
import type { Id } from '../plan/index.ts'
import type { JsonRecord, ToWire } from '../answer/index.ts'
import {
  afterCommitOf, afterContext, reportHook, sharedEmOf, type AfterCommit, type AfterHook, type AfterManyHook,
  type AnyAfterContext,
} from '../resource/index.ts'
import type { Data } from './new-row.ts'
import type { Write, Written } from './write.ts'

/** A record of a write, the hook to call, and the names of the properties that its body has set. */
interface Change {
  readonly hook: AfterHook
  readonly written: Written
  readonly changed: readonly string[]
}

/**
 * Does the work of a write, and calls a hook for each record that it has changed: after the commit of the session's
 * transaction, or at once if it is in none.
 *
 * @param work gets the write, which also asks for what the hook gets
 * @param changedBy the names of the properties that the body of a record has set
 */
export function * withAfterHook (
  write: Write,
  hook: AfterHook,
  work: (write: Write) => Steps<readonly Written[]>,
  changedBy: (index: number) => readonly string[]
): Steps<readonly Written[]> {
  if (write.crud[hook] === undefined) return yield * work(write)
  const after = yield * afterCommitOf(write.session)
  const written = yield * work(telling(write, hook))
  yield * tell(write, written.map((written, index) => ({ hook, written, changed: changedBy(index) })), after)
  return written
}

/** The same for an upsert, which calls the hook of what it has done to each record. */
export function * withAfterUpsert<Row extends Written & { readonly created: boolean }> (
  write: Write,
  work: (write: Write) => Steps<readonly Row[]>,
  changedBy: (index: number, row: Row) => readonly string[]
): Steps<readonly Row[]> {
  const { crud } = write
  if (crud.afterCreate === undefined && crud.afterUpdate === undefined) return yield * work(write)
  const after = yield * afterCommitOf(write.session)
  const rows = yield * work(telling(write, crud.afterUpdate === undefined ? 'afterCreate' : 'afterUpdate'))
  const changes = rows.map((written, index) => ({
    written,
    changed: changedBy(index, written),
    hook: written.created ? 'afterCreate' : 'afterUpdate',
  } as const))
  yield * tell(write, changes.filter(({ hook }) => crud[hook] !== undefined), after)
  return rows
}

/** The same for a write of one record. */
export function * withAfterHookOfOne (
  write: Write,
  hook: AfterHook,
  work: (write: Write) => Steps<Written>,
  changed: () => readonly string[]
): Steps<Written> {
  if (write.crud[hook] === undefined) return yield * work(write)
  const after = yield * afterCommitOf(write.session)
  const written = yield * work(telling(write, hook))
  yield * tell(write, [{ hook, written, changed: changed() }], after)
  return written
}

function * tell (write: Write, changes: readonly Change[], after: AfterCommit): Steps<void> {
  const told = changes.filter(({ written }) => written.isUnchanged !== true)
  if (told.length > 0) yield * wait(after(() => callHooks(write, told)))
}

function * callHooks (write: Write, changes: readonly Change[]): Steps<void> {
  for (const { hook, written, changed } of changes) yield * callHook(write, hook, written, changed)
}

/** The write, whose statements return what a hook gets. */
function telling (write: Write, hook: AfterHook): Write {
  const whole = write.crud.bind(sharedEmOf(write.session))
  const previous = hook === 'afterCreate' ? undefined : whole.previous
  const isWhole = whole === write.resource
  return isWhole && previous === undefined
    ? write
    : { ...write, told: { whole: isWhole ? undefined : whole.selection, previous: previous?.selection } }
}

/** Calls the hook of a write of many records. */
export function * callManyHook (
  { crud, session, options, operation }: Write,
  hook: AfterManyHook,
  keys: readonly Id[],
  changed: readonly string[]
): Steps<void> {
  try {
    const context = afterContext(session, options.context, { changed })
    yield * wait(outside(context, () => crud[hook]!(keys, context)), () => promisedBy(hook))
  } catch (error) {
    reportHook(session, `${crud.constructor.name}.${hook}`, operation, keys, error)
  }
}

/** Calls a hook for one record. Its errors are reported, because the write is done. */
function * callHook (
  { crud, session, options, operation }: Write,
  hook: AfterHook,
  written: Written,
  changed: readonly string[]
): Steps<void> {
  const { model, toWire, previous } = crud.bind(sharedEmOf(session))
  let key: unknown
  try {
    const record = recordOf(written.whole ?? written.json, toWire)
    key = keyOf(record, model)
    const before = written.previous === undefined ? undefined : recordOf(written.previous, previous!.toWire)
    const context = afterContext(session, options.context, {
      changed,
      ...(before !== undefined && { previous: byProperty(before, previous!.selection.properties) }),
    })
    yield * wait(outside(context, () => crud[hook]!(record, context)), () => promisedBy(hook))
  } catch (error) {
    reportHook(session, `${crud.constructor.name}.${hook}`, operation, key, error)
  }
}

/** Calls a function outside of the transaction that MikroORM's global EntityManager may be in. */
function outside<Result> (context: AnyAfterContext, fn: () => Result): Result {
  return TransactionContext.currentTransactionContext() === undefined || context['session'] !== undefined
    ? fn()
    : TransactionContext.create(context.em as never, fn)
}

function recordOf (json: string, toWire: ToWire | undefined): JsonRecord {
  const record = JSON.parse(json) as JsonRecord
  toWire?.(record)
  return record
}

/** The key of a record as it shows it: a value, or an object of the values of a composite key. */
function keyOf (record: JsonRecord, { primaryKey }: EntityModel): unknown {
  const parts = primaryKey.map(({ property: { publicName } }) => [publicName, record[publicName]] as const)
  return parts.length === 1 ? parts[0]![1] : Object.fromEntries(parts)
}

/** The values of a record by the names of properties, instead of public names. */
const byProperty = (record: JsonRecord, properties: readonly NamedProperty[]): JsonRecord =>
  Object.fromEntries(properties.map(({ name, publicName }) => [name, record[publicName]]))

interface NamedProperty {
  readonly name: string
  readonly publicName: string
}

/** The names of the entity's properties that a body sets. */
export function changedIn (body: Data, { properties }: EntityModel): readonly string[] {
  const changed: string[] = []
  for (const { name, publicName, hidden } of properties.values()) {
    if (!hidden && body[publicName] !== undefined) changed.push(name)
  }
  return changed
}
