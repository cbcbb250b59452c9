/**
 * How the scope of written rows is checked if only the database can tell whether they lie in it. Usually the statement
 * that writes them checks them and fails. Otherwise another statement looks for them in the same transaction.
 */
import { rowsBehind } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import { filtersBehind, isInTransaction, sharedEmOf, type ActiveFilters, type CrudSession } from '../resource/index.ts'
import { changesLate, distributionOf, isPlain } from '../run/index.ts'
import { checksScope, type Write } from './write.ts'

/** The write with the condition that its statement checks on the rows that it writes, if it can check them. */
export function checkingItself<On extends CrudSession> (write: Write<On>, filters: ActiveFilters): Write<On> {
  if (!checksScope(write) || !canCheckItself(write, filters)) return write
  return { ...write, conditions: { ...write.conditions, inside: write.scope!.where } }
}

/**
 * A statement returns rows before triggers can change them, and its subqueries see all tables as they were before it.
 * So its condition may read related rows of tables that the write certainly does not change.
 */
function canCheckItself ({ session, model, scope }: Write, filters: ActiveFilters): boolean {
  const em = sharedEmOf(session)
  if (distributionOf(em) !== undefined || changesLate(em, model.table)) return false
  const related = rowsBehind(scope!.where)
  if (related === undefined) return false
  const isSafe = (table: string): boolean => table !== model.table && isPlain(em, table)
  return related.size === 0 ||
    (isPlain(em, model.table) && [...related].every((entity) => isSafe(entity.table) && !isFiltered(entity, filters)))
}

/** Whether MikroORM's filters limit the related rows that a scope leads to. Their conditions may read any rows. */
const isFiltered = (entity: EntityModel, filters: ActiveFilters): boolean => filtersBehind(filters).has(entity)

/** Whether another statement has to look for the written rows in their scope. */
export function searchesScope (write: Pick<Write, 'scope' | 'conditions'>): boolean {
  return checksScope(write) && write.conditions.inside === undefined
}

/**
 * Whether the check of the written rows needs a transaction, or a savepoint in a transaction of the application, which
 * a statement that fails would end.
 */
export function needsTransaction (write: Write): boolean {
  return checksScope(write) && (write.conditions.inside === undefined || isInTransaction(write.session))
}
