import { ArrayType, wrap } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import assert from 'node:assert/strict'
import * as borrowed from '../../src/borrowed/mikro-orm.ts'
import { minimalArrayLiteral } from '../../src/resource/models.ts'
import {
  ofTransaction, Lent, Own, Plain, select, Special, testContracts, type Connection, type Contract, type Trx, type World,
} from './helper.ts'

/**
 * A caller with a changed entity, and a fork that has loaded the same row and another one. Returns their entities
 * afterwards.
 */
async function merged ({ em: root }: World): Promise<{ changed: string, taken: boolean, mark: unknown }> {
  const em = root.fork()
  const [first] = await em.find(Lent, { id: 1 })
  const { __originalEntityData: mark } = wrap(first!, true)
  first!.title = 'changed'
  const fork = em.fork({ clear: true })
  await fork.find(Lent, {})
  borrowed.takeEntities(em, fork)
  return { changed: first!.title, taken: em.getUnitOfWork(false).getById(Lent, 2 as never) !== undefined, mark }
}

const keepsChanges: Contract = {
  does: 'lets a caller keep what it has changed when a transaction has loaded the same row',
  holds: async (world) => assert.equal((await merged(world)).changed, 'changed'),
}

await testContracts(borrowed.MIKRO_ORM_MEMBERS, {
  'EntityManager.getAbortOptions': {
    does: 'gives the signal and the strategy of em.fork({ signal, inflightQueryAbortStrategy })',
    holds: ({ em }) => {
      const { signal } = new AbortController()
      const fork = em.fork({ signal, inflightQueryAbortStrategy: 'cancel query' })
      assert.deepEqual(borrowed.abortOptionsOf(fork), { signal, inflightQueryAbortStrategy: 'cancel query' })
      assert.equal(borrowed.abortOptionsOf(em), undefined)
    },
  },
  'EntityManager.getContext': {
    does: 'gives the EntityManager of the transaction that the caller is inside of, and a fork itself',
    holds: async ({ orm, em }) => {
      assert.equal(borrowed.contextOf(orm.em), orm.em)
      await orm.em.transactional(async (inner) => {
        assert.equal(borrowed.contextOf(orm.em), inner)
        assert.equal(borrowed.contextOf(em), em)
      })
    },
  },
  'EntityManager.getTransactionSessionContext': {
    does: 'gives what em.setSessionContext was given',
    holds: ({ em }) => {
      const fork = em.fork()
      fork.setSessionContext({ variables: { 'app.tenant': '1' } })
      assert.deepEqual(borrowed.sessionContextOf(fork)?.variables, { 'app.tenant': '1' })
      assert.equal(borrowed.sessionContextOf(em.fork()), undefined)
    },
  },
  'EntityManager.constructor': {
    does: 'takes the driver as its second argument',
    holds: ({ orm, em }) => {
      const own = Object.create(orm.driver)
      const Class = borrowed.withDriver(orm.em.constructor as borrowed.EntityManagerClass, () => own)
      assert.equal(new Class(orm.config, orm.driver, em.getMetadata()).getDriver(), own)
    },
  },
  'DatabaseDriver.connection': {
    does: 'is what the driver sends its statements with',
    holds: ({ orm }) => {
      const marked = {} as Connection
      assert.equal(Object.create(orm.driver, borrowed.writerMember(() => marked)).getConnection('write'), marked)
      assert.equal(borrowed.connectionsOf(orm.driver).writer, orm.driver.getConnection('write'))
    },
  },
  'DatabaseDriver.replicas': {
    does: 'is the list of the connections to read from',
    holds: ({ orm }) => assert.deepEqual(borrowed.connectionsOf(orm.driver).replicas, []),
  },
  'AbstractSqlConnection.logQuery': {
    does: 'writes a statement to the log',
    holds: ({ orm }) => {
      const logged: unknown[] = []
      const logger = orm.config.getLogger()
      logger.logQuery = (context) => logged.push(context.query)
      borrowed.logQuery(orm.em.getConnection(), 'select 1', { took: 1 })
      delete (logger as { logQuery?: unknown }).logQuery
      assert.deepEqual(logged, ['select 1'])
    },
  },
  'AbstractSqlConnection.config': {
    does: 'says whether the ORM prepares connections',
    holds: ({ orm }) => {
      assert.equal(borrowed.isPrepared(orm.em.getConnection()), false)
      orm.config.set('onCreateConnection', async () => {})
      assert.equal(borrowed.isPrepared(orm.em.getConnection()), true)
      orm.config.set('onCreateConnection', undefined)
    },
  },
  'AbstractSqlConnection.options': {
    does: 'says whether the connection prepares itself',
    holds: ({ orm }) => {
      const connection = orm.em.getConnection() as unknown as { options: object }
      const { options } = connection
      connection.options = { ...options, onReserveConnection: async () => {} }
      assert.equal(borrowed.isPrepared(connection as never), true)
      connection.options = options
    },
  },
  'AbstractSqlConnection.applySessionContext': ofTransaction(
    'sets variables in a transaction',
    async (trx, connection) => {
      await borrowed.applySessionContext(connection, trx, { variables: { 'app.tenant': '7' } })
      assert.deepEqual(await select(trx, "select current_setting('app.tenant') as n"), { n: '7' })
    }
  ),
  'AbstractSqlConnection.execute': {
    does: 'takes the transaction as its fourth argument',
    holds: ({ em }) => reads(em, 'execute', (em) => em.find(Lent, {})),
  },
  'AbstractSqlConnection.stream': {
    does: 'takes the transaction as its third argument',
    on: 'postgres',
    holds: async ({ em }) => {
      await reads(em, 'stream', async (em) => {
        for await (const row of em.stream(Lent)) assert.ok(row)
      })
    },
  },
  'AbstractSqlConnection.commit': {
    does: 'commits all transactions of MikroORM, and gets the transaction',
    holds: async ({ em }) => await ends(em, ['commit']),
  },
  'AbstractSqlConnection.rollback': {
    does: 'rolls back all transactions of MikroORM, and gets the transaction',
    holds: async ({ em }) => await ends(em, ['rollback'], new Error('no')),
  },
  'Transaction.index': ofTransaction(
    "is the number of a savepoint of MikroORM's, by which it names the next one",
    async (trx, connection) => {
      borrowed.noteSavepoint(trx, 'own', {})
      const inner = await connection.begin({ ctx: trx }) as { savepointName?: string }
      assert.equal(inner.savepointName, 'trx2')
      await trx.rollback().execute()
    }
  ),
  'Transaction.savepointName': ofTransaction(
    'is the savepoint that MikroORM releases instead of a commit',
    async (trx, connection) => {
      assert.equal(borrowed.savepointOf(trx), undefined)
      const savepoint = await trx.savepoint('own').execute() as unknown as Trx
      borrowed.noteSavepoint(savepoint, 'own', trx)
      assert.equal(borrowed.savepointOf(savepoint), 'own')
      await connection.commit(savepoint)
      assert.equal(trx.isCommitted, false)
    }
  ),
  'TransactionManager.createFork': {
    does: 'makes the EntityManager of each transaction by em.fork(), so that a replaced one is called',
    holds: async ({ em }) => {
      const known = new Set<EntityManager>()
      borrowed.inheritByForks(em, (one) => known.add(one))
      assert.ok(known.has(em))
      assert.ok(known.has(em.fork().fork({ clear: false }) as EntityManager))
      await em.transactional(async (inner) => {
        assert.ok(inner !== em && known.has(inner))
        await inner.transactional(async (nested) => assert.ok(nested !== inner && known.has(nested)))
        assert.equal(await inner.count(Lent), 2)
      })
    },
  },
  'TransactionManager.registerDeletionHandler': {
    does: 'registers one subscriber, whose code is the same for each transaction',
    holds: async ({ em }) => {
      const fork = em.fork({ cloneEventManager: true })
      const before = fork.getEventManager().getSubscribers().size
      borrowed.forgetRemoved(em, fork)
      const subscribers = [...fork.getEventManager().getSubscribers()]
      assert.equal(subscribers.length, before + 1)
      assert.equal(borrowed.isDeletionHandler(subscribers.at(-1)!), true)
      assert.equal(borrowed.isDeletionHandler({ afterFlush: async () => {} }), false)
      await em.transactional((inner) => {
        assert.equal(borrowed.isDeletionHandler([...inner.getEventManager().getSubscribers()].at(-1)!), true)
      })
    },
  },
  'TransactionManager.mergeEntitiesToParent': {
    does: 'moves entities that a transaction has loaded to the caller',
    holds: async (world) => assert.equal((await merged(world)).taken, true),
  },
  'UnitOfWork.unsetIdentity': keepsChanges,
  'IdentityMap.getByEntity': keepsChanges,
  'EntityComparator.prepareEntity': keepsChanges,
  'EntityComparator.diffEntities': keepsChanges,
  'EntityMetadata.referencingProperties': {
    does: 'lets the entities that refer to a removed one forget it',
    holds: ({ em }) => {
      const metadata = em.getMetadata()
      const references: { prop: { name: string } }[] = metadata.get(Special).referencingProperties
      assert.equal(references.length, 0)
      borrowed.inheritReferences(metadata)
      borrowed.inheritReferences(metadata)
      assert.deepEqual(references.map(({ prop }) => prop.name), ['general'])
      const special = em.merge(Special, { id: 1 })
      const plain = em.merge(Plain, { id: 1, general: special })
      em.getUnitOfWork(false).unsetIdentity(special)
      assert.equal(plain.general, undefined)
      references.length = 0
      // Own extends Lent, but its rows are in a table of its own
      assert.equal(metadata.get(Own).referencingProperties.length, 0)
    },
  },
  'WrappedEntity.__originalEntityData': {
    does: 'is what was loaded of an entity',
    holds: async (world) => assert.deepEqual((await merged(world)).mark, { id: 1, title: 'short', tags: null }),
  },
  'WrappedEntity.__primaryKeys': {
    does: 'is the list of the parts of the key',
    holds: async ({ em }) => assert.deepEqual(borrowed.keyPartsOfEntity(await em.fork().findOneOrFail(Lent, 1)), [1]),
  },
  'WrappedEntity.getPrimaryKey': {
    does: 'is the key',
    holds: async ({ em }) => assert.equal(borrowed.keyOfEntity(await em.fork().findOneOrFail(Lent, 1)), 1),
  },
  'Platform.marshallArray': {
    does: 'loses text, is a method that can be replaced, and is what array types write with. If it has become right, ' +
      'remove correctArrays',
    holds: ({ em }) => {
      const platform = Object.create(em.getPlatform())
      delete platform.marshallArray
      platform.marshallArray = Object.getPrototypeOf(em.getPlatform()).marshallArray
      assert.equal(platform.marshallArray(['NULL', ' ']), '{NULL, }')
      borrowed.correctArrays(platform, minimalArrayLiteral)
      assert.equal(new ArrayType().convertToDatabaseValue(['NULL', ' '], platform), '{"NULL"," "}')
    },
  },
})

/** Ends a transaction in each way of MikroORM, and checks what was called. */
async function ends (em: EntityManager, expected: readonly string[], error?: Error): Promise<void> {
  const connection = em.getConnection()
  const own = { commit: connection.commit, rollback: connection.rollback }
  const seen: unknown[] = []
  borrowed.followTransactions(connection, async (transaction, end, send) => {
    seen.push([transaction, end])
    await send()
    assert.equal((transaction as Trx)[end === 'commit' ? 'isCommitted' : 'isRolledBack'], true)
  })
  const given: unknown[] = []
  const work = async (em: EntityManager): Promise<void> => {
    given.push(em.getTransactionContext())
    if (error !== undefined) throw error
  }
  await em.transactional((em) => work(em as EntityManager)).catch(() => {})
  const fork = em.fork()
  await fork.begin()
  await work(fork).then(() => fork.commit(), () => fork.rollback())
  Object.assign(connection, own)
  assert.deepEqual(seen, given.flatMap((transaction) => expected.map((end) => [transaction, end])))
}

/** Whether reads inside and outside of a transaction can be told apart. */
async function reads (
  em: EntityManager,
  method: 'execute' | 'stream',
  read: (em: EntityManager) => Promise<unknown>
): Promise<void> {
  const connection = em.getConnection()
  let replaced = 0
  const own: borrowed.Asking = borrowed.replaceReads(connection, {
    execute: (...args) => {
      replaced++
      return own.execute(...args)
    },
    stream: (...args) => {
      replaced++
      return own.stream(...args)
    },
  })
  try {
    await em.fork().transactional(async (inner) => await read(inner as EntityManager))
    assert.equal(replaced, 0, 'a read in a transaction was taken for one outside')
    await read(em.fork())
    assert.equal(replaced, 1, 'a read outside of transactions was not seen')
  } finally {
    delete (connection as { [name in typeof method]?: unknown })[method]
    for (const name of ['execute', 'stream']) delete (connection as never)[name]
  }
}
