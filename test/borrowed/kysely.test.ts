import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import * as borrowed from '../../src/borrowed/kysely.ts'
import { noteSavepoint } from '../../src/borrowed/mikro-orm.ts'
import { serverOf } from '../../src/borrowed/pg.ts'
import { ofTransaction, select, testContracts, type Connection, type Contract, type Trx } from './helper.ts'

await testContracts(borrowed.KYSELY_MEMBERS, {
  'Kysely.getExecutor': {
    does: 'has the methods of QueryExecutor',
    holds: ({ em }) =>
      assert.equal(typeof borrowed.executorOf(em.getConnection().getClient()).provideConnection, 'function'),
  },
  'QueryExecutor.provideConnection': ofTransaction(
    "gives the transaction's one connection, when its statements have been answered",
    async (trx) => {
      let answered = false
      const running = select(trx, 'select pg_sleep(0.05)').then(() => {
        answered = true
      })
      const connections = [0, 1].map(() =>
        borrowed.onConnection(borrowed.executorOf(trx), async (connection) => {
          await setImmediate()
          assert.equal(answered, true)
          return connection
        })
      )
      assert.equal(await connections[0], await connections[1])
      await running
    }
  ),
  'DatabaseConnection.executeQuery': ofTransaction(
    'is called for each statement of a transaction, also for those of MikroORM',
    async (trx, connection) => {
      const seen: string[] = []
      await borrowed.onConnection(borrowed.executorOf(trx), async (kysely) => {
        const own = kysely.executeQuery.bind(kysely)
        borrowed.replaceOnConnection(kysely, {
          executeQuery: (query) => {
            seen.push(query.sql)
            return own(query)
          },
        })
      })
      await connection.execute('select 1', [], 'all', trx)
      assert.deepEqual(seen, ['select 1'])
    }
  ),
  'DatabaseConnection.cancelQuery': ofTransaction(
    "is called when a signal aborts a statement with the strategy 'cancel query'",
    async (trx, _, em) => {
      const pool = await em.getConnection().getNativeClient() as unknown as Pool
      let cancelled = 0
      await borrowed.onConnection(borrowed.executorOf(trx), async (kysely) => {
        const client = await borrowed.clientBehind(kysely, pool)
        assert.equal(typeof kysely.cancelQuery, 'function')
        const own = kysely.executeQuery.bind(kysely)
        borrowed.replaceOnConnection(kysely, {
          // otherwise, Kysely writes the server's answer to the console
          executeQuery: (query) => own<any>(query).catch(() => ({ rows: [] })),
          cancelQuery: async () => {
            cancelled++
            await em.execute('select pg_cancel_backend(?)', [serverOf(client!).key[0]])
          },
        })
      })
      const controller = new AbortController()
      const statement = trx.executeQuery(CompiledQuery.raw('select pg_sleep(10)'), {
        signal: controller.signal,
        inflightQueryAbortStrategy: 'cancel query',
      })
      setTimeout(() => controller.abort(), 50)
      await assert.rejects(statement)
      assert.equal(cancelled, 1)
    },
    'postgres'
  ),
  'PostgresConnection.client.query': ofTransaction(
    "passes on what it is given as text, so that a query object finds pg's client",
    async (trx, _, em) => {
      const pool = await em.getConnection().getNativeClient() as unknown as Pool
      const client = await borrowed.onConnection(borrowed.executorOf(trx),
        (kysely) => borrowed.clientBehind(kysely, pool))
      const [{ pid }] = (await client!.query('select pg_backend_pid() as pid')).rows
      assert.deepEqual(await select(trx, 'select pg_backend_pid() as pid'), { pid })
    },
    'postgres'
  ),
  'ControlledTransaction.savepoint': replaced('savepoint', (trx, connection) => connection.begin({ ctx: trx })),
  'ControlledTransaction.rollbackToSavepoint': replaced('rollbackToSavepoint', async (trx, connection) => {
    await trx.savepoint('own').execute()
    noteSavepoint(trx, 'own', {})
    await connection.rollback(trx)
  }),
  'ControlledTransaction.releaseSavepoint': replaced('releaseSavepoint', async (trx, connection) => {
    await trx.savepoint('own').execute()
    noteSavepoint(trx, 'own', {})
    await connection.commit(trx)
  }),
})

/** Checks that MikroORM calls a replaced method of a transaction. */
function replaced (
  method: 'savepoint' | 'rollbackToSavepoint' | 'releaseSavepoint',
  use: (trx: Trx, connection: Connection) => Promise<unknown>
): Contract {
  return ofTransaction(
    'is what em.transactional calls on a transaction, and can be replaced',
    async (trx, connection) => {
      const own = borrowed.methodsOf(trx)
      let called = 0
      borrowed.replaceOnTransaction(trx, {
        executeQuery: trx.executeQuery.bind(trx), getExecutor: () => own.executor, savepoint: own.savepoint,
        rollbackToSavepoint: own.rollbackToSavepoint, releaseSavepoint: own.releaseSavepoint,
        [method]: (name: string) => {
          called++
          return (own[method] as (name: string) => unknown)(name)
        },
      })
      await use(trx, connection)
      assert.equal(called, 1)
      await trx.rollback().execute()
    }
  )
}
