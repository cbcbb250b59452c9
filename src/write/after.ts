/** Calls the after hooks of `CrudBase` for the records of a write, once its transaction has committed. */
import { TransactionContext } from '@mikro-orm/core'
import { promisedBy, wait, type Steps } from '../base/steps.ts'
import { factsOf, type RowChange } from '../config/index.ts'
import type { EntityModel } from '../model/index.ts'
import type { Id, RowForHooks } from '../plan/index.ts'
import type { JsonRecord, ToWire } from '../answer/index.ts'
import {
  afterCommitOf, afterContext, reportHook, sharedEmOf, WRITE_HOOKS, type AnyAfterContext,
} from '../resource/index.ts'
import type { Data } from './new-row.ts'
import type { Write, Written } from './write.ts'

/** A change for which an after hook is called: of one record, or of all records with some keys. */
type Done =
  & {
    readonly change: RowChange,
    /** The names of the properties that the body has set. */
    readonly changed: readonly string[],
  }
  & ({ readonly written: Written } | { readonly keys: readonly Id[] })

/**
 * Does the work of a write, and calls the after hooks of what it has done: after the commit of the session's
 * transaction, or at once if it is in none.
 *
 * @param work gets the write, which also asks for what hooks get
 */
export function * withAfterHooks<Result> (
  write: Write,
  work: (write: Write) => Steps<Result>,
  doneBy: (result: Result) => readonly Done[]
): Steps<Result> {
  const { changes, records } = factsOf(write.operation)
  const declared = changes.filter((change) => afterHookOf(write, change, records === 'selected') !== undefined)
  if (declared.length === 0) return yield * work(write)
  const after = yield * afterCommitOf(write.session)
  const result = yield * work({ ...write, forHooks: records === 'selected' ? KEYS : rowForHooks(write, declared) })
  const done = doneBy(result).filter(({ change, ...done }) =>
    declared.includes(change) && !('written' in done && done.written.isUnchanged)
  )
  if (done.length > 0) yield * wait(after(() => callHooks(write, done)))
  return result
}

/** The after hook of a change, if the class has it. */
function afterHookOf ({ crud }: Write, change: RowChange, isMany: boolean): AfterHook | undefined {
  const hook = WRITE_HOOKS[change][isMany ? 'many' : 'one']?.after
  return hook !== undefined && crud[hook] !== undefined ? hook : undefined
}

type AfterHook = NonNullable<typeof WRITE_HOOKS[RowChange]['one' | 'many']>['after']

/** What statements return for hooks, beside the record of the answer. `undefined` if that is all. */
function rowForHooks ({ crud, resource, session }: Write, declared: readonly RowChange[]): RowForHooks | undefined {
  const whole = crud.bind(sharedEmOf(session))
  const previous = declared.some((change) => change !== 'insert') ? whole.previous : undefined
  if (whole === resource && previous === undefined) return undefined
  return { whole: whole === resource ? undefined : whole.selection, previous: previous?.selection }
}

/** Hooks for many records get nothing but keys. */
const KEYS: RowForHooks = { whole: undefined, previous: undefined }

function * callHooks (write: Write, all: readonly Done[]): Steps<void> {
  for (const done of all) yield * callHook(write, done)
}

/** Calls the hook of a change. Its errors are reported, because the write is done. */
function * callHook (write: Write, done: Done): Steps<void> {
  const { crud, session, options, operation } = write
  const hook = afterHookOf(write, done.change, 'keys' in done)!
  let key: unknown
  try {
    const { model, toWire, previous } = crud.bind(sharedEmOf(session))
    const argument = 'keys' in done ? done.keys : recordOf(done.written.whole ?? done.written.json, toWire)
    key = 'keys' in done ? done.keys : keyOf(argument as JsonRecord, model)
    const before = 'written' in done && done.written.previous !== undefined
      ? byProperty(recordOf(done.written.previous, previous!.toWire), previous!.selection.properties)
      : undefined
    const context = afterContext(session, options.context, {
      changed: done.changed,
      ...(before !== undefined && { previous: before }),
    })
    yield * wait(outside(context, () => crud[hook]!(argument as never, context)), () => promisedBy(hook))
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
