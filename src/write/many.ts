/**
 * Changes and deletes many records. Their rows are found and written by one statement, or one after the other if they
 * need MikroORM's unit of work.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError, ConflictError, queryError, TooManyError } from '../base/errors.ts'
import { promisedBy, wait, type Steps } from '../base/steps.ts'
import { isMany, MAX_AFFECTED, type CrudOperation } from '../config/index.ts'
import { keyColumns, keyFromText, type EntityModel } from '../model/index.ts'
import {
  idOfKey, notNarrowed, planChanges, type Id, type ManyChange, type ManyTarget, type RecordData,
} from '../plan/index.ts'
import {
  afterCommitOf, crudContext, foreignOf, NO_FILTERS, sendPrepared, sharedEmOf, switchedFilters, type ActiveFilters,
  type AfterManyHook, type Call, type CrudClass, type CrudSession, type SwitchedFilters,
} from '../resource/index.ts'
import { distributionOf, type Prepared } from '../run/index.ts'
import { ROOT_ALIAS, type Row } from '../sql/index.ts'
import { callManyHook, changedIn } from './after.ts'
import { checkReferences, mayBeHidden, searchOf } from './check-references.ts'
import { refuseVersions } from './if-match.ts'
import { withOnUpdate, type Data } from './new-row.ts'
import { deletionOf } from './one-statement/change.ts'
import { throwPointed } from './point-error.ts'
import { repeated } from './repeat.ts'
import { checkWrittenScope, filtersOfChange, prepareMany, writeInTransaction } from './run-write.ts'
import { checkingItself, checkingRows, needsTransaction, searchesScope } from './scope-of-rows.ts'
import { findLocked, throughEntities } from './unit-of-work/entities.ts'
import { needsUnitOfWork, type WriteKind } from './unit-of-work/reason.ts'
import { markThroughEntity, removeThroughEntity, updateThroughEntity } from './unit-of-work/through-entities.ts'
import { changesNothing, readUpdate, isEmpty } from './update-data.ts'
import { beginWrite, type Write } from './write.ts'

/** The answer to a write of many records. */
export interface Affected {
  /** The number of records that the write has changed, or would change. */
  readonly affected: number
}

/** The keys of the records that a write has changed, if an after hook gets them. */
interface AffectedKeys extends Affected {
  readonly keys: readonly Id[]
}

/** The hooks that a class needs beside those for single records. */
const HOOKS = {
  updateMany: [
    { single: 'beforeUpdate', many: 'beforeUpdateMany', args: 'data, context' },
    { single: 'afterUpdate', many: 'afterUpdateMany', args: 'keys, context' },
  ],
  deleteMany: [
    { single: 'beforeDelete', many: 'beforeDeleteMany', args: 'context' },
    { single: 'afterDelete', many: 'afterDeleteMany', args: 'keys, context' },
  ],
} as const

/**
 * Says, as a clause, which hook a class lacks for an operation, or `undefined`. A write of many records does not know
 * them one by one, so that the hook for single records cannot run.
 */
export function missingHook (crud: CrudClass, operation: CrudOperation): string | undefined {
  if (!isMany(operation)) return undefined
  const lacking = HOOKS[operation].find(({ single, many }) => crud[single] !== undefined && crud[many] === undefined)
  return lacking &&
    `'${operation}' does not run '${lacking.single}': declare '${lacking.many} (${lacking.args})' in ` +
      `${crud.constructor.name}, which runs once for all records`
}

/**
 * Sets the same values in all records of a target.
 *
 * @param decided the changes, if the validation of a request has made them of the data
 * @throws {TooManyError} for more records than `maxAffected`
 */
export function * updateMany (call: Call, target: ManyTarget, data: Data, decided?: RecordData): Steps<Affected> {
  const write = yield * beginMany(call, target)
  if (call.options.dryRun === true) return changesNothing(write, data, decided) ? NONE : yield * count(write, target)
  const changes = yield * readUpdate(write, undefined, data, decided)
  if (isEmpty(changes)) return NONE
  const checked = { ...write, ...checkingRows(write, [changes]) }
  return yield * withAfterManyHook(
    write,
    'afterUpdateMany',
    changedIn(data, write.model),
    () =>
      repeated(write.session, () =>
        run(checked, target, {
          kind: 'update',
          data: changes,
          through: (inner, id, filters) => updateThroughEntity(inner, id, changes, filters),
        }))
  )
}

/** Marks the records of a target as deleted. Without `deleted_at`, or with the option `hard`, it removes them. */
export function * deleteMany (call: Call, target: ManyTarget): Steps<Affected> {
  const { crud, options } = call
  const write = yield * beginMany(call, target)
  if (options.dryRun === true) return yield * count(write, target)
  if (crud.beforeDeleteMany !== undefined) {
    const context = crudContext(call.session, options.context)
    yield * wait(crud.beforeDeleteMany(context), () => promisedBy('beforeDeleteMany'))
  }
  const marks = write.model.deletedAt !== undefined && options.hard !== true
  const change = marks ? markOf(write) : REMOVAL
  return yield * withAfterManyHook(
    write,
    'afterDeleteMany',
    [],
    () => repeated(write.session, () => run(write, target, change))
  )
}

const REMOVAL: RowChange = {
  kind: 'delete',
  data: undefined,
  through: (inner, id) => removeThroughEntity(inner, id),
}

/** Marks rows as deleted, all at the same moment. */
function markOf ({ model }: Write): RowChange {
  const deletedAt = new Date()
  return {
    kind: 'update',
    data: deletionOf(model, deletedAt),
    through: (inner, id) => markThroughEntity(inner, id, deletedAt),
  }
}

/** Does the work of a write, and calls a hook once for all records that it has changed. */
function * withAfterManyHook (
  write: Write,
  hook: AfterManyHook,
  changed: readonly string[],
  work: () => Steps<AffectedKeys>
): Steps<Affected> {
  const after = write.crud[hook] === undefined ? undefined : yield * afterCommitOf(write.session)
  const { affected, keys } = yield * work()
  if (after !== undefined && affected > 0) yield * wait(after(() => callManyHook(write, hook, keys, changed)))
  return { affected }
}

const NONE: Affected = { affected: 0 }

/** A write of many records, with the conditions of MikroORM's filters that the request has switched on. */
interface ManyWrite<On extends CrudSession = CrudSession> extends Write<On> {
  readonly switched: SwitchedFilters
  readonly maxAffected: number
  /** Whether an after hook gets the keys of the records. */
  readonly tellsKeys: boolean
}

/**
 * @throws {FilterValidationError} if custom filters leave out no rows
 * @throws {ConfigError} for a class that lacks a hook
 */
function * beginMany (call: Call, target: ManyTarget): Steps<ManyWrite> {
  const { session, options, crud, resource } = call
  const write = beginWrite(call)
  const missing = missingHook(crud, write.operation)
  if (missing !== undefined) throw new ConfigError(`${crud.constructor.name}: ${missing}.`)
  refuseVersions(write)
  const switched = yield * wait(switchedFilters(session, target))
  if (target.narrows === 'perhaps') {
    const { conditions } = foreignOf(session, target, { context: options.context }, NO_FILTERS, [], { switched })
    if (conditions(ROOT_ALIAS).length === 0) throw queryError([notNarrowed(resource.whitelist)])
  }
  const hook = write.operation === 'updateMany' ? 'afterUpdateMany' : 'afterDeleteMany'
  return {
    ...write,
    switched,
    maxAffected: options.maxAffected ?? MAX_AFFECTED,
    tellsKeys: crud[hook] !== undefined,
  }
}

/** The number of records that a write would change. */
function * count (begun: ManyWrite, target: ManyTarget): Steps<Affected> {
  const { write, filters } = yield * filtersOfTarget(begun, target)
  const { found } = yield * send(write, target, { does: 'count' }, filters)
  return { affected: found }
}

/** How the rows of a target change. */
interface RowChange {
  readonly kind: WriteKind
  /** The new values of the rows. Absent if they are removed. */
  readonly data: RecordData | undefined
  /** The same change of one row by the unit of work. */
  readonly through: (inner: Write<EntityManager>, id: Id, filters: ActiveFilters) => Steps<unknown>
}

function * run (begun: ManyWrite, target: ManyTarget, change: RowChange): Steps<AffectedKeys> {
  const { write, filters } = yield * filtersOfTarget(begun, target, change.data)
  const rows = change.data === undefined ? [] : [change.data]
  try {
    return needsUnitOfWork(write, change.kind, rows)
      ? yield * oneByOne(write, target, change, filters)
      : yield * together(write, target, change, filters)
  } catch (error) {
    return yield * throwPointed(error, write, rows)
  }
}

function * filtersOfTarget (
  begun: ManyWrite,
  target: ManyTarget,
  data?: RecordData
): Steps<{ readonly write: ManyWrite, readonly filters: ActiveFilters }> {
  const read = begun.resource.entitiesRead(target)
  const { write, filters } = yield * filtersOfChange(begun, data === undefined ? [] : [data], read)
  return { write: { ...begun, ...write }, filters }
}

/** Writes all rows by one statement. */
function * together (
  begun: ManyWrite,
  target: ManyTarget,
  change: RowChange,
  filters: ActiveFilters
): Steps<AffectedKeys> {
  const { kind, data } = change
  if (kind === 'delete') return yield * sendChange(begun, target, change, filters)
  // a distributed server does not read other tables for each row
  if (data !== undefined && isDistributed(begun)) yield * checkReferences(searchOf(begun, filters), [data])
  const write = checkingItself(begun, filters) as ManyWrite
  if (!needsTransaction(write)) return yield * sendChange(write, target, change, filters)
  return yield * writeInTransaction(write, (inner) => sendChange({ ...write, ...inner }, target, change, filters))
}

const isDistributed = ({ session }: Write): boolean => distributionOf(sharedEmOf(session)) !== undefined

function * sendChange (
  write: ManyWrite,
  target: ManyTarget,
  { kind, data }: RowChange,
  filters: ActiveFilters
): Steps<AffectedKeys> {
  const { session, model } = write
  const searches = kind === 'update' && searchesScope(write)
  const { affected, hidden, keys } = yield * send(write, target, {
    does: kind === 'update' ? 'update' : 'delete',
    data: data && withOnUpdate(data, model, sharedEmOf(session)),
    returnsKeys: searches || write.tellsKeys,
    mayBeHidden: (other) => !isDistributed(write) && mayBeHidden(other, filters, session),
  }, filters)
  if (hidden > 0) {
    if (data !== undefined) yield * checkReferences(searchOf(write, filters), [data])
    // the missing record has been created in the meantime
    throw new ConflictError()
  }
  if (searches) { for (const id of keys) yield * checkWrittenScope(write, id) }
  return { affected, keys }
}

/** Writes the rows as entities, which are locked before. */
function oneByOne (
  write: ManyWrite,
  target: ManyTarget,
  change: RowChange,
  filters: ActiveFilters
): Steps<AffectedKeys> {
  return throughEntities(write, (inner) => eachRow({ ...write, ...inner }, target, change, filters))
}

function * eachRow (
  write: ManyWrite<EntityManager>,
  target: ManyTarget,
  { through }: RowChange,
  filters: ActiveFilters
): Steps<AffectedKeys> {
  const keys = yield * lockedKeys(write, target, filters)
  for (const id of keys) yield * through(write, id, filters)
  return { affected: keys.length, keys }
}

/**
 * The keys of the rows, which are locked. A distributed server locks only single rows: they are locked one by one, and
 * those that still match are found again.
 */
function * lockedKeys (
  write: ManyWrite<EntityManager>,
  target: ManyTarget,
  filters: ActiveFilters
): Steps<readonly Id[]> {
  const { session, model } = write
  const { keys } = yield * send(write, target, { does: 'lock' }, filters)
  if (!isDistributed(write)) return keys
  for (const id of keys) yield * wait(findLocked(session, model, id))
  const locked = new Set(keys.map((id) => JSON.stringify(id)))
  const { keys: present } = yield * send(write, target, { does: 'lock' }, filters)
  return present.filter((id) => locked.has(JSON.stringify(id)))
}

/** What the statement of a write of many rows says. */
interface ManyAnswer {
  readonly found: number
  readonly affected: number
  /** The number of rows that would refer to a record that is not visible. */
  readonly hidden: number
  /** The keys of the rows, if the statement returns them. */
  readonly keys: readonly Id[]
}

/** @throws {TooManyError} if too many rows match, none of which has changed */
function * send (
  write: ManyWrite,
  target: ManyTarget,
  change: Omit<ManyChange, 'maxAffected'>,
  filters: ActiveFilters
): Steps<ManyAnswer> {
  const { maxAffected, model } = write
  const plan = planChanges(target, { ...change, maxAffected })
  const prepared: Prepared<ManyAnswer> = {
    ...prepareMany(write, plan, filters, write.switched),
    answer: ([row]) => answerOf(row!, (key) => idOfTexts(model, key)),
  }
  const answer = yield * sendPrepared(write.session, prepared)
  if (answer.found > maxAffected) throw tooMany(maxAffected)
  return answer
}

function answerOf ({ found, affected = '0', hidden = '0', keys }: Row, idOf: (key: string[]) => Id): ManyAnswer {
  return {
    found: Number(found),
    affected: Number(affected),
    hidden: Number(hidden),
    keys: keys === undefined ? [] : (JSON.parse(keys as string) as string[][]).map(idOf),
  }
}

/** The id of a key, in which integers that records show as numbers are numbers. */
function idOfTexts (model: EntityModel, key: readonly string[]): Id {
  const columns = keyColumns(model)
  const values = key.map((text, index) => {
    const converted = keyFromText(text, columns[index]!)
    return converted.ok && typeof converted.value === 'number' ? converted.value : text
  })
  return idOfKey(model, values)
}

function tooMany (maxAffected: number): TooManyError {
  const limit = maxAffected === 1 ? '1 record' : `${maxAffected} records`
  return new TooManyError(
    `More than ${limit} match, the most that one request may write: nothing has changed. Narrow the filters.`
  )
}
