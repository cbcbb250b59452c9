/** Does work after the commit of the transaction that an EntityManager is in, whoever has begun it. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transaction } from '../../borrowed/kysely.ts'
import { followTransactions, savepointOf, type Connection } from '../../borrowed/mikro-orm.ts'
import { Deferred, tracked, type DeferredWork } from './deferred.ts'
import { hasFailed } from './held-connection.ts'
import { heldConnectionOf, watchedConnectionOf } from './perform.ts'

/**
 * Follows the transaction that an EntityManager is in. Call it before the statement that the work belongs to.
 *
 * @returns a function that defers work until the commit, and forgets it after a rollback
 */
export async function followCommit (em: EntityManager): Promise<(work: DeferredWork) => Promise<void>> {
  const transaction = em.getTransactionContext() as Transaction
  const connection = em.getConnection()
  const held = await heldConnectionOf(transaction, connection)
  if (held.deferred === undefined) {
    held.deferred = new Deferred(em.config)
    // a transaction of MikroORM that was rolled back earlier may have left its error
    if (!held.own) held.failure = undefined
  }
  if (!held.own) followMikroOrm(connection)
  const { deferred } = held
  return async (work) => deferred.add(work, savepointOf(transaction))
}

/** Does work at once, outside of transactions. */
export function workNow (em: EntityManager, work: DeferredWork): Promise<void> {
  return tracked(em.config, (async () => await work())())
}

const followed = new WeakSet<Connection>()

/**
 * Lets the commits of MikroORM on a connection do the work that follows them, and wait for it. The work begins when the
 * transaction has given back its place in the pool.
 */
function followMikroOrm (connection: Connection): void {
  if (followed.has(connection)) return
  followed.add(connection)
  followTransactions(connection, async (transaction, end, sent) => {
    const held = savepointOf(transaction) === undefined ? await watchedConnectionOf(transaction) : undefined
    const deferred = held?.own === true ? undefined : held?.deferred
    // PostgreSQL answers the commit of a failed transaction with a rollback
    const commits = end === 'commit' && deferred !== undefined && !hasFailed(held!)
    if (deferred !== undefined) held!.deferred = undefined
    await sent()
    if (!commits) return
    deferred.commit()
    await deferred.run()
  })
}
