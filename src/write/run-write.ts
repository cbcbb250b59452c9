/** Runs the statements of a write: those that write, and those that only read rows. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConflictError, NotFoundError, OutOfScopeError } from '../base/errors.ts'
import { keyColumns } from '../model/index.ts'
import {
  planExists,
  planGet,
  type AnyWritePlan,
  type GetPlan,
  type Id,
  type Plan,
  type RecordData,
} from '../plan/index.ts'
import {
  activeFilters,
  filtersBehind,
  inTransaction,
  knowTriggers,
  knowServer,
  NO_FILTERS,
  runStatement,
  sharedEmOf,
  withRows,
  type ActiveFilters,
  type CompiledRead,
  type CrudSession,
  type RequestConditions,
} from '../resource/index.ts'
import {
  areTriggersKnown,
  convertError,
  enterStage,
  isDistributionKnown,
  isDriverError,
  SEVERAL_RECORDS,
} from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import { errorModelOf } from './error-model.ts'
import {
  checksScope,
  checkVersion,
  entitiesOfWrite,
  filterTypeOf,
  withTarget,
  writtenOf,
  type Write,
  type Written,
} from './write.ts'
import { searchesScope } from './written-scope.ts'

/**
 * The conditions on rows of the resource and on the records that rows refer to: MikroORM's filters and the role's. Asks
 * an unknown server first what the form of the write depends on.
 */
export async function filtersOfWrite (write: Write, rows: readonly RecordData[]): Promise<ActiveFilters> {
  const { session, resource, conditions } = write
  if (!isDistributionKnown(sharedEmOf(session))) await knowServer(session)
  if (checksScope(write) && !areTriggersKnown(sharedEmOf(session))) await knowTriggers(session)
  enterStage('plan')
  const entities = entitiesOfWrite(write, rows)
  const filters = await activeFilters(session, resource.entitiesWithScope(entities, conditions))
  const guarded = withRows(filters, conditions.actor, entities)
  return guarded instanceof Promise ? await guarded : guarded
}

/** The same filters for the change or removal of a row, and the write with the conditions on that row. */
export async function filtersOfChange (begun: Write, rows: readonly RecordData[]): Promise<FilteredWrite> {
  const filters = await filtersOfWrite(begun, rows)
  if (filtersBehind(filters) === NO_FILTERS) return { write: begun, filters }
  const ofOperation = await activeFilters(begun.session, [begun.model], filterTypeOf(begun))
  return { write: withTarget(begun, filters, ofOperation), filters }
}

interface FilteredWrite {
  readonly write: Write
  readonly filters: ActiveFilters
}

/** Whether a write finds no row, because If-Match names versions and the entity has none. */
export const isImpossible = (plan: AnyWritePlan): boolean =>
  plan.kind !== 'insert' && plan.versions !== undefined && plan.model.version === undefined

/** Runs the statement of a plan and returns the rows that it wrote. */
export function runWrite (write: Write, plan: AnyWritePlan, filters: ActiveFilters): Promise<Written[]> {
  if (isImpossible(plan)) return Promise.resolve([])
  return runStatement(write.session, statementOfWrite(write, plan, filters), errorModelOf(write))
    .then((rows) => writtenRows(write, plan, rows))
}

export function statementOfWrite (write: Write<CrudSession>, plan: AnyWritePlan, filters: ActiveFilters): CompiledRead {
  const { resource, session, conditions, operation } = write
  return resource.prepareWrite(session, plan, conditions, filters, operation)
}

export function writtenRows ({ model }: Write<CrudSession>, plan: AnyWritePlan, rows: readonly Row[]): Written[] {
  const parts = plan.kind === 'insert' && plan.returnsKey ? keyColumns(model).length : 0
  return rows.map((row) => writtenOf(row, parts))
}

/** Runs a statement that only reads rows, on the server that is written to. */
async function look (write: Write, plan: Plan, conditions: RequestConditions = write.conditions): Promise<Row[]> {
  const statement = await write.resource.prepare(write.session, plan, conditions, write.operation)
  return await runStatement(write.session, statement)
}

/**
 * The row of a record, under the same conditions as a write of it.
 *
 * @throws {NotFoundError}, or {PreconditionFailedError} if its version is not in If-Match
 */
export async function findRow (
  write: Write,
  id: Id,
  includeDeleted?: boolean
): Promise<Row> {
  const plan = planRow(write, id, includeDeleted)
  return requireRow(write, plan === undefined ? [] : await look(write, plan))
}

/** The plan of the search for the row of a record, or `undefined` for an id that no record can have. */
export function planRow (
  { resource, options }: Write<CrudSession>,
  id: Id,
  includeDeleted: boolean | undefined = options.includeDeleted
): GetPlan | undefined {
  return planGet(id, undefined, resource.whitelist, { includeDeleted })
}

/**
 * @throws {NotFoundError}, {ConflictError} if several rows have the key, or {PreconditionFailedError} if the version of
 *   the row is not in If-Match
 */
export function requireRow (write: Write<CrudSession>, [row, ...more]: readonly Row[]): Row {
  if (row === undefined) throw new NotFoundError()
  if (more.length > 0) throw new ConflictError(SEVERAL_RECORDS)
  checkVersion(write, row)
  return row
}

/** Reads a record after a write that did not return it, even if a filter or a deletion hides it now. */
export async function readBack (write: Write, id: Id): Promise<Written> {
  const plan = planGet(id, undefined, write.resource.whitelist, { includeDeleted: true })!
  const [row] = await look(write, plan, { filtered: false })
  return writtenOf(row!)
}

/** @throws {OutOfScopeError} when the written row lies outside. The scope's equalities have been checked before. */
export async function checkWrittenScope (write: Write, id: Id): Promise<void> {
  const search = scopeSearch(write, id)
  if (search !== undefined) requireInScope(await look(write, search.plan, search.conditions))
}

/** The search for a written row in the scope, or `undefined` if the write has checked the row before. */
export function scopeSearch (write: Write<CrudSession>, id: Id): ScopeSearch | undefined {
  if (!searchesScope(write)) return undefined
  return {
    plan: planExists(id, write.resource.whitelist, { includeDeleted: true })!,
    conditions: { ...write.conditions, target: undefined, filtered: false },
  }
}

interface ScopeSearch {
  readonly plan: Plan
  readonly conditions: RequestConditions
}

/** @throws {OutOfScopeError} when the search has found no row */
export function requireInScope (rows: readonly Row[]): void {
  if (rows.length === 0) throw new OutOfScopeError()
}

/** Does the work of a write in a transaction, or in a savepoint if its session is in a transaction. */
export async function writeInTransaction<Result> (
  write: Write,
  work: (inner: Write<EntityManager>) => Promise<Result>
): Promise<Result> {
  try {
    return await inTransaction(write.session, (em) => work({ ...write, session: em }))
  } catch (error) {
    throw isDriverError(error) ? convertError(error, errorModelOf(write)) : error
  }
}
