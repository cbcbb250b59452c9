/**
 * Changes and deletes many records. Their rows are found and written by one statement
 * (`one-statement/change-many.ts`), or one after the other if they have links or need MikroORM's unit of work
 * (`each-row.ts`).
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError, queryError } from '../base/errors.ts'
import { promisedBy, wait, type Steps } from '../base/steps.ts'
import { factsOf, isMany, type CrudOperation } from '../config/index.ts'
import { haveLinks, notNarrowed, type Id, type ManyTarget, type RecordData } from '../plan/index.ts'
import {
  crudContext, foreignOf, NO_FILTERS, switchedFilters, WRITE_HOOKS, type ActiveFilters, type Call, type CrudClass,
} from '../resource/index.ts'
import { ROOT_ALIAS } from '../sql/index.ts'
import { changedIn, withAfterHooks } from './after.ts'
import { refuseVersions } from './if-match.ts'
import { eachRow } from './each-row.ts'
import type { Data } from './new-row.ts'
import { changeInside, deletionOf } from './one-statement/change.ts'
import { changeMany, removeMany, sendMany } from './one-statement/change-many.ts'
import { throwPointed } from './point-error.ts'
import { repeated } from './repeat.ts'
import { filtersOfChange } from './run-write.ts'
import { withScopeCheck } from './scope-of-rows.ts'
import { needsUnitOfWork } from './unit-of-work/reason.ts'
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

/** The arguments of the hooks for many records, for messages. */
const ARGUMENTS = {
  beforeUpdateMany: 'data, context',
  beforeDeleteMany: 'context',
  afterUpdateMany: 'keys, context',
  afterDeleteMany: 'keys, context',
} as const

/**
 * Says, as a clause, which hook a class lacks for an operation, or `undefined`. A write of many records does not know
 * them one by one, so that the hook for single records cannot run.
 */
export function missingHook (crud: CrudClass, operation: CrudOperation): string | undefined {
  if (!isMany(operation)) return undefined
  for (const change of factsOf(operation).changes) {
    const hooks = WRITE_HOOKS[change as Exclude<typeof change, 'insert'>]
    for (const moment of ['before', 'after'] as const) {
      const [one, many] = [hooks.one[moment], hooks.many[moment]]
      if (crud[one] === undefined || crud[many] !== undefined) continue
      return `'${operation}' does not run '${one}': declare '${many} (${ARGUMENTS[many]})' in ` +
        `${crud.constructor.name}, which runs once for all records`
    }
  }
  return undefined
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
  return yield * changeAll(withScopeCheck(write, [changes]), target, {
    kind: 'update',
    data: changes,
    through: (inner, id, filters) => updateThroughEntity(inner, id, changes, filters),
  }, changedIn(data, write.model))
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
  // the scope selects the rows, and does not have to hold for rows that are gone
  return yield * changeAll({ ...write, scope: undefined }, target, marks ? markOf(write) : REMOVAL, [])
}

const NONE: Affected = { affected: 0 }

/**
 * Begins a write of many records.
 *
 * @throws {FilterValidationError} if custom filters leave out no rows
 * @throws {ConfigError} for a class that lacks a hook
 */
function * beginMany (call: Call, target: ManyTarget): Steps<Write> {
  const { session, options, crud, resource } = call
  const write = beginWrite(call)
  const missing = missingHook(crud, write.operation)
  if (missing !== undefined) throw new ConfigError(`${crud.constructor.name}: ${missing}.`)
  refuseVersions(write)
  const switched = yield * wait(switchedFilters(session, target))
  if (target.narrows === 'perhaps') {
    const { conditions } = foreignOf(session, target, { context: options.context }, NO_FILTERS, [], switched)
    if (conditions(ROOT_ALIAS).length === 0) throw queryError([notNarrowed(resource.whitelist)])
  }
  return { ...write, switched }
}

/** The number of records that a write would change. */
function * count (begun: Write, target: ManyTarget): Steps<Affected> {
  const { write, filters } = yield * filtersOfChange(begun, [], begun.resource.entitiesRead(target))
  const { found } = yield * sendMany(write, target, { does: 'count' }, filters)
  return { affected: found }
}

/** How the rows of a target change. */
interface ManyRowsChange {
  readonly kind: 'update' | 'delete'
  /** The new values of the rows. Absent if they are removed. */
  readonly data: RecordData | undefined
  /** The same change of one row by the unit of work. */
  readonly through: (inner: Write<EntityManager>, id: Id, filters: ActiveFilters) => Steps<unknown>
}

const REMOVAL: ManyRowsChange = {
  kind: 'delete',
  data: undefined,
  through: (inner, id) => removeThroughEntity(inner, id),
}

/** Marks rows as deleted, all at the same moment. */
function markOf ({ model }: Write): ManyRowsChange {
  const deletedAt = new Date()
  return {
    kind: 'update',
    data: deletionOf(model, deletedAt),
    through: (inner, id) => markThroughEntity(inner, id, deletedAt),
  }
}

/** Changes all rows of a target, and calls the after hook with their keys. */
function * changeAll (
  begun: Write,
  target: ManyTarget,
  change: ManyRowsChange,
  changed: readonly string[]
): Steps<Affected> {
  const [kind] = factsOf(begun.operation).changes
  const { affected } = yield * withAfterHooks(
    begun,
    (write) => repeated(write.session, () => changeOnce(write, target, change)),
    ({ affected, keys }) => affected === 0 ? [] : [{ change: kind!, keys, changed }]
  )
  return { affected }
}

function * changeOnce (
  begun: Write,
  target: ManyTarget,
  { kind, data, through }: ManyRowsChange
): Steps<AffectedKeys> {
  const rows = data === undefined ? [] : [data]
  const { write, filters } = yield * filtersOfChange(begun, rows, begun.resource.entitiesRead(target))
  try {
    const hasLinks = haveLinks(rows)
    const takesEntities = needsUnitOfWork(write, kind, rows)
    if (takesEntities || hasLinks) {
      const change = (inner: Write, id: Id): Steps<unknown> =>
        takesEntities
          ? through(inner as Write<EntityManager>, id, filters)
          : changeInside(inner, id, data!, filters)
      const keys = yield * eachRow(write, target, { change, hasLinks }, filters)
      return { affected: keys.length, keys }
    }
    return data === undefined
      ? yield * removeMany(write, target, filters)
      : yield * changeMany(write, target, data, filters)
  } catch (error) {
    return yield * throwPointed(error, write, rows)
  }
}
