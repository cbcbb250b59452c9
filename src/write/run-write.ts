/** Runs the statements of a write: those that write, and those that only read rows. */
import { ConflictError, NotFoundError, outOfScope } from '../base/errors.ts'
import { madeOnce } from '../base/made-once.ts'
import { wait, type Steps } from '../base/steps.ts'
import { factsOf } from '../config/index.ts'
import { isFormula, type EntityModel, type Property } from '../model/index.ts'
import {
  haveChildren, haveLinks, planExists, planGet, type BodyRules, type Id, type ReadPlan, type RecordData, type Selection,
  type WritePlan,
} from '../plan/index.ts'
import {
  activeFilters, filtersBehind, inTransaction, knowServer, knowTriggers, knowUnaccent, NO_FILTERS, runStatement,
  sharedEmOf, withRows, type ActiveFilters, type RequestConditions,
} from '../resource/index.ts'
import {
  areTriggersKnown, convertError, enterStage, isDistributionKnown, isDriverError, isPlainTable, isUnaccentKnown,
  SEVERAL_RECORDS,
} from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import {
  needsScopeCheck, entitiesOfWrite, filterTypeOf, withTarget, writtenOf, type InnerWrite, type Write, type Written,
} from './write.ts'
import { needsScopeSearch } from './scope-of-rows.ts'
import { checkVersion } from './if-match.ts'

/**
 * The conditions on rows of the resource and on the records that rows refer to: MikroORM's filters and the role's. Asks
 * an unknown server first what the form of the write depends on.
 *
 * @param more other entities whose rows the write reads
 */
export function * filtersOfWrite (
  write: Write,
  rows: readonly RecordData[],
  more: readonly EntityModel[] = []
): Steps<ActiveFilters> {
  const { session, resource, conditions } = write
  if (!isDistributionKnown(sharedEmOf(session))) yield * knowServer(session)
  if (resource.whitelist.needsUnaccent && !isUnaccentKnown(sharedEmOf(session))) yield * knowUnaccent(session)
  if ((needsScopeCheck(write) || reachOtherTables(rows)) && !areTriggersKnown(sharedEmOf(session))) {
    yield * knowTriggers(session)
  }
  enterStage('plan')
  const own = entitiesOfWrite(write, rows)
  const entities = more.length === 0 ? own : [...new Set([...own, ...more])]
  const filters = yield * wait(activeFilters(session, resource.entitiesWithScope(entities, conditions)))
  return conditions.actor === undefined ? filters : yield * withRows(session, filters, conditions.actor, entities)
}

/** The same filters for the change or removal of a row, and the write with the conditions on that row. */
export function * filtersOfChange (
  begun: Write,
  rows: readonly RecordData[],
  more?: readonly EntityModel[]
): Steps<FilteredWrite> {
  const filters = yield * filtersOfWrite(begun, rows, more)
  if (filtersBehind(filters) === NO_FILTERS) return { write: begun, filters }
  const ofOperation = yield * wait(activeFilters(begun.session, [begun.model], filterTypeOf(begun)))
  return { write: withTarget(begun, filters, ofOperation), filters }
}

interface FilteredWrite {
  readonly write: Write
  readonly filters: ActiveFilters
}

/** Runs the statement of a plan and returns the rows that it wrote. */
export function * runWrite (write: Write, plan: WritePlan, filters: ActiveFilters): Steps<Written[]> {
  // If-Match names versions, which rows of this entity do not have
  if ('versions' in plan && plan.versions !== undefined && plan.model.version === undefined) return []
  return (yield * sendWrite(write, plan, filters)).map(writtenOf)
}

/** Runs the statement of a plan and returns its rows as they are. */
export function * sendWrite (write: Write, plan: WritePlan, filters: ActiveFilters): Steps<readonly Row[]> {
  const { resource, session, conditions, operation, forHooks, switched } = write
  const asked = forHooks !== undefined && hasHooks(plan) ? { ...plan, forHooks } : plan
  const statement = resource.prepareWrite(session, asked, conditions, filters, operation, switched)
  return yield * wait(runStatement(session, statement, errorModelOf(write)))
}

/** Whether after hooks run for the rows of a plan. They do not run for children. */
const hasHooks = ({ kind }: WritePlan): boolean => kind === 'insert' || kind === 'update' || kind === 'delete'

/** Runs a statement that only reads rows, on the server that is written to. */
export function * readForWrite (
  write: Write,
  plan: ReadPlan,
  conditions: RequestConditions = write.conditions
): Steps<readonly Row[]> {
  const { resource, session, operation } = write
  const statement = yield * resource.prepare(session, plan, conditions, operation)
  return yield * wait(runStatement(session, statement))
}

/**
 * The row of a record, under the same conditions as a write of it.
 *
 * @throws {NotFoundError}, {ConflictError} if several rows have the key, or {PreconditionFailedError} if the version of
 *   the row is not in If-Match
 */
export function * findRow (
  write: Write,
  id: Id,
  includeDeleted: boolean | undefined = write.options.includeDeleted
): Steps<Row> {
  const plan = planGet(id, undefined, write.resource.whitelist, { includeDeleted })
  // no record can have some ids
  const [row, ...more] = plan === undefined ? [] : yield * readForWrite(write, plan)
  if (row === undefined) throw new NotFoundError()
  if (more.length > 0) throw new ConflictError(SEVERAL_RECORDS)
  checkVersion(write, row)
  return row
}

/** Reads a record after a write that did not return it, even if a filter or a deletion hides it now. */
export function * readBack (write: Write, id: Id): Steps<Written> {
  const plan = planGet(id, undefined, write.resource.whitelist, { includeDeleted: true })!
  const [row] = yield * readForWrite(write, plan, { filtered: false })
  return yield * withWhole(write, id, row!)
}

/** Returns a row that was read as the result of a write. If an after hook takes the whole record, reads that, too. */
export function * withWhole (write: Write, id: Id, row: Row): Steps<Written> {
  const written = writtenOf(row)
  const whole = write.forHooks?.whole
  return whole === undefined ? written : { ...written, whole: yield * textOf(write, id, whole) }
}

/** Whether rows of other tables are written after the rows of a body: their links or their children. */
const reachOtherTables = (rows: readonly RecordData[]): boolean => haveLinks(rows) || haveChildren(rows)

/**
 * A record after rows of other tables that belong to it have been written: its children, or its links. A formula may
 * have been computed of them, and their triggers may have changed the record.
 */
export function * afterOthers (
  write: Write,
  written: Written,
  id: Id,
  tables: readonly string[]
): Steps<Written> {
  const em = sharedEmOf(write.session)
  const isWhole = !showsFormula(write.model) && tables.every((table) => isPlainTable(em, table))
  if (isWhole || written.isUnchanged) return written
  const { json, version, whole } = yield * readBack(write, id)
  return { ...written, json, version, whole }
}

const showsFormula = madeOnce(({ properties }: EntityModel): boolean =>
  [...properties.values()].some((property) => !property.hidden && isFormula(property))
)

/**
 * The values before a write of a record that is locked, for an after hook. A write by a statement returns them.
 */
export function * previousOf (write: Write, id: Id): Steps<string | undefined> {
  return write.forHooks?.previous && (yield * textOf(write, id, write.forHooks.previous))
}

/** The JSON text of a record with another selection than that of the answer. */
function * textOf (write: Write, id: Id, selection: Selection): Steps<string> {
  const whole = write.crud.bind(sharedEmOf(write.session))
  const plan = { ...planGet(id, undefined, whole.whitelist, { includeDeleted: true })!, selection }
  const [row] = yield * readForWrite({ ...write, resource: whole }, plan, { filtered: false })
  return row!['item'] as string
}

/**
 * Looks for a written row in the scope, unless the write has checked it. Equalities of the scope have been checked
 * before.
 *
 * @param pointer the JSON pointer of the row in the body
 * @throws {OutOfScopeError} when the written row lies outside
 */
export function * findInScope (write: Write, id: Id, pointer = ''): Steps<void> {
  if (!needsScopeSearch(write)) return
  const plan = planExists(id, write.resource.whitelist, { includeDeleted: true })!
  const rows = yield * readForWrite(write, plan, { ...write.conditions, target: undefined, filtered: false })
  if (rows.length === 0) throw outOfScope(pointer)
}

/** Does the work of a write in a transaction, or in a savepoint if its session is in a transaction. */
export function * writeInTransaction<Result> (
  write: Write,
  work: (inner: InnerWrite) => Steps<Result>
): Steps<Result> {
  try {
    return yield * inTransaction(write.session, (session) => work({ ...write, session }))
  } catch (error) {
    throw isDriverError(error) ? convertError(error, errorModelOf(write)) : error
  }
}

/** The model of a write, in which only those properties are writable that bodies of the operation may set. */
export function errorModelOf ({ model, resource, operation }: Write): EntityModel {
  const [kind] = factsOf(operation).bodies
  const rules = kind && resource.writable[kind]
  return rules === undefined ? model : withWritable(model)(rules)
}

const withWritable = madeOnce((model: EntityModel) =>
  madeOnce(({ properties }: BodyRules): EntityModel => {
    const closed = (property: Property): Property =>
      properties.has(property) ? property : { ...property, write: { ...property.write, writable: false } }
    return { ...model, properties: new Map([...model.properties].map(([name, property]) => [name, closed(property)])) }
  })
)
