/**
 * How the scope of written rows is checked if only the database can tell whether they lie in it. Usually the statement
 * that writes them checks them and fails. Otherwise another statement looks for them in the same transaction.
 */
import { isOfRow } from '../conditions/index.ts'
import { isInTransaction, sharedEmOf, type CrudSession } from '../resource/index.ts'
import { changesLate, distributionOf } from '../run/index.ts'
import { checksScope, type Write } from './write.ts'

/** The write with the condition that its statement checks on the rows that it writes, if it can check them. */
export function checkingItself<On extends CrudSession> (write: Write<On>): Write<On> {
  if (!checksScope(write) || !canCheckItself(write)) return write
  return { ...write, conditions: { ...write.conditions, inside: write.scope!.where } }
}

/** A statement returns the rows before triggers can change them, and does not see them in its subqueries. */
function canCheckItself ({ session, model, scope }: Write<CrudSession>): boolean {
  const em = sharedEmOf(session)
  return isOfRow(scope!.where) && distributionOf(em) === undefined && !changesLate(em, model.table)
}

/** Whether another statement has to look for the written rows in their scope. */
export function searchesScope (write: Pick<Write<CrudSession>, 'scope' | 'conditions'>): boolean {
  return checksScope(write) && write.conditions.inside === undefined
}

/**
 * Whether the check of the written rows needs a transaction, or a savepoint in a transaction of the application, which
 * a statement that fails would end.
 */
export function needsTransaction (write: Write<CrudSession>): boolean {
  return checksScope(write) && (write.conditions.inside === undefined || isInTransaction(write.session))
}
