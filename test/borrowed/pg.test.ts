import assert from 'node:assert/strict'
import { once } from 'node:events'
import pg from 'pg'
import * as borrowed from '../../src/borrowed/pg.ts'
import { PreparedText, runOnPool } from '../../src/run/index.ts'
import { testContracts, type Contract } from './helper.ts'

const contracts: Record<string, Omit<Contract, 'on'>> = {
  'Pool._clients': onClient('is the list of the connections of a pool', (client, pool) => {
    const seen: unknown[] = []
    borrowed.onConnections(pool, (one) => seen.push(one))
    assert.deepEqual(seen, [client])
    assert.equal(borrowed.clientWith(pool, client.connection), client)
  }),
  'Pool.Client': {
    does: "is the class of the pool's clients",
    holds: async ({ pool }) => {
      const client = borrowed.clientBeside(pool)
      await client.connect()
      assert.equal((await client.query('select 1 as n')).rows[0].n, 1)
      await client.end()
      assert.equal(pool.totalCount, 0)
    },
  },
  'Pool.connect': {
    does: 'is what pool.query and Kysely take connections with',
    holds: async ({ pool }) => {
      let taken = 0
      borrowed.replaceConnect(pool, (connect) => (done) => {
        taken++
        connect(done)
      })
      await pool.query('select 1')
      await withClient(pool, () => {})
      assert.equal(taken, 2)
    },
  },
  'PoolClient.release': {
    does: 'closes the connection when it is called with true',
    holds: async ({ pool }) => {
      await withClient(pool, borrowed.closeOnRelease)
      assert.equal(pool.totalCount, 0)
    },
  },
  'Client._activeQuery': onClient('is the query that waits for its answer', async (client) => {
    const answered = client.query('select pg_sleep(0.02)')
    assert.ok(Reflect.get(client, '_activeQuery'))
    await answered
    assert.ok(!Reflect.get(client, '_activeQuery'))
  }),
  'Client.readyForQuery': onClient('is false while a statement waits for its answer', async (client) => {
    assert.equal(borrowed.isBusy(client), false)
    const answered = client.query('select 1')
    assert.equal(borrowed.isBusy(client), true)
    await answered
    assert.equal(borrowed.isBusy(client), false)
  }),
  'Client.processID': onClient("is the number of the server's process", async (client) => {
    const [{ pid }] = (await client.query('select pg_backend_pid() as pid')).rows
    assert.equal(borrowed.serverOf(client).key[0], pid)
  }),
  'Client.secretKey': onClient('is a number of 32 bits',
    (client) => assert.equal(borrowed.serverOf(client).key[1], borrowed.serverOf(client).key[1] | 0)),
  'Client.host': server('host', (url) => url.hostname),
  'Client.port': server('port', (url) => Number(url.port)),
  'Client.ssl': server('ssl', () => false),
  'Client.sslNegotiation': {
    does: "is 'direct' when the connection begins with TLS",
    holds: () => {
      const client = new pg.Client({ ssl: true, sslnegotiation: 'direct' } as object)
      assert.equal(borrowed.serverOf(client).sslNegotiation, 'direct')
    },
  },
  'Client.unref': onClient('lets the process end', (client) => borrowed.unref(client)),
  'Client.connection': onClient('is the connection that a query object is given', async (client) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    client.query({
      submit: (connection: unknown) => {
        resolve(connection)
        return new Error('not to be sent')
      },
      handleError: () => {},
    } as pg.Submittable)
    assert.equal(await promise, client.connection)
  }),
  'Connection.parsedStatements': onClient('has the names under which the server has statements', async (client) => {
    assert.equal(borrowed.isParsed(client.connection, 'lent'), false)
    await client.query({ name: 'lent', text: 'select 1' })
    assert.equal(borrowed.isParsed(client.connection, 'lent'), true)
    await client.query('deallocate lent')
    borrowed.forgetParsed(borrowed.connectionOf(client), 'lent')
    assert.equal(borrowed.isParsed(client.connection, 'lent'), false)
    await client.query({ name: 'lent', text: 'select 1' })
  }),
  'Connection.stream': onClient('is the socket', async (client) => {
    const socket = borrowed.socketOf(client)
    assert.equal(socket, borrowed.socketBelow(client.connection))
    for (const method of ['pause', 'resume', 'setTimeout', 'destroy'] as const) {
      assert.equal(typeof socket[method], 'function')
    }
    assert.ok(socket.listeners('data').length > 0)
    client.on('error', () => {})
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    client.on('end', resolve)
    borrowed.cut(client)
    await closed
  }),
  'Connection.close': onClient('is a method, which a cursor calls to end its statement',
    (client) => assert.equal(typeof client.connection.close, 'function')),
  'Connection.readyForQuery': onClient('is the event after which the next statement may be sent', async (client) => {
    const ready = once(client.connection, 'readyForQuery')
    await client.query('select 1')
    await ready
  }),
  'Query.handleDataRow': {
    does: 'is called on a query object, with the fields of a row as texts and the length of their message',
    holds: async ({ pool }) => {
      const text = 'select $1::int as n, null as nothing'
      const statement = { text, values: [7], columns: ['n', 'nothing'], prepared: new PreparedText(text, false) }
      assert.deepEqual(await runOnPool(pool, statement, undefined), [{ n: '7', nothing: null }])
      await withClient(pool, async (client) => {
        const { promise, resolve } = Promise.withResolvers<{ fields: string[], length: number }>()
        const query = new pg.Query('select 1 as n')
        Object.assign(query, { handleDataRow: resolve })
        client.query(query)
        const { fields, length } = await promise
        assert.deepEqual(fields, ['1'])
        assert.ok(length > 0)
      })
    },
  },
  'Query.handleCommandComplete': {
    does: 'is called on a query object for each of its statements, and before that the name and the text are noted',
    holds: async ({ pool }) => {
      const prepared = ['$1::int as n', '-$1::int as n'].map((select) => new PreparedText(`select ${select}`, true))
      const statements = prepared.map((prepared) => ({ text: prepared.text, values: [7], columns: ['n'], prepared }))
      for (const one of prepared) while (!one.isQuick) one.noteRun(true)
      for (let run = 0; run < 6; run++) {
        const rows = await Promise.all(
          statements.map((statement) => runOnPool(pool, { ...statement, readOnly: true, shareable: true }, undefined))
        )
        assert.deepEqual(rows, [[{ n: '7' }], [{ n: '-7' }]])
      }
      await withClient(pool, (client) => {
        for (const one of prepared) assert.ok(borrowed.isParsed(client.connection, one.nameForRun()!))
      })
    },
  },
  'pg/lib/utils.js.prepareValue': {
    does: 'makes texts of values',
    holds: () => {
      assert.equal(borrowed.prepareValue({ a: 1 }), '{"a":1}')
      assert.equal(borrowed.prepareValue([1, null, 'NULL']), '{"1",NULL,"NULL"}')
      assert.equal(borrowed.prepareValue(undefined), null)
    },
  },
}

await testContracts(borrowed.PG_MEMBERS,
  Object.fromEntries(Object.entries(contracts).map(([member, contract]) => [member, { ...contract, on: 'postgres' }])))

/** Runs `use` with the only connection of a pool. */
async function withClient (pool: pg.Pool, use: (client: pg.PoolClient) => unknown): Promise<void> {
  const client = await pool.connect()
  try {
    await use(client)
  } finally {
    client.release()
  }
}

/** A contract that holds for the only connection of a pool. */
function onClient (does: string, use: (client: pg.PoolClient, pool: pg.Pool) => unknown): Contract {
  return { does, holds: ({ pool }) => withClient(pool, (client) => use(client, pool)) }
}

function server (name: 'host' | 'port' | 'ssl', expected: (url: URL) => unknown): Contract {
  return onClient('is where the server is', (client) => {
    assert.equal(borrowed.serverOf(client)[name], expected(new URL(process.env.DATABASE_URL!)))
  })
}
