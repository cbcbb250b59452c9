import type { EntityManager } from '@mikro-orm/postgresql'
import t from 'tap'
import {
  ConfigError, ConflictError, DatabaseError, parseQueryParams, ReadOnlyViolationError, UnavailableError, readOnly,
  withRetry, withTimeout, withTransaction,
} from '../../src/index.ts'
import { Account, accounts, add, failsWith, failureOf, meeting, owners, reset } from '../helpers/accounts.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'

const WRAPPERS = {
  withTransaction: withTransaction(), withRetry: withRetry(), withTimeout: withTimeout(20_000), readOnly: readOnly(),
}
const WRITERS = Object.entries(WRAPPERS).filter(([name]) => name !== 'readOnly')

await forEachDatabase(t, { entities: [Account] }, async (t, { orm, name }) => {
  t.beforeEach(async (t) => {
    t.context.ids = await reset(orm)
  })
  const oneConnection = name === 'pglite' && 'PGlite has one connection: nobody can come in between'
  const setting = async (em: any, setting: string): Promise<string> => (await em.execute(`show ${setting}`))[0][setting]

  for (const [name, wrapper] of Object.entries(WRAPPERS)) {
    t.test(`${name}: changes of the caller that are not flushed stay`, async (t) => {
      const [a, b] = t.context.ids
      const em = orm.em.fork()
      const [changed, untouched, removed] = [
        await em.findOneOrFail(Account, a), await em.findOneOrFail(Account, b),
        em.create(Account, { owner: 'r', balance: 0 }),
      ]
      await em.flush()
      changed.balance = 777
      em.remove(removed)
      await orm.em.fork().nativeUpdate(Account, b, { balance: 5 })
      await wrapper(async (em) => em.find(Account, {}))(em)
      t.strictSame([changed.balance, untouched.balance], [777, 5], 'the others are as they are now')
      await em.flush()
      t.equal((await orm.em.fork().findOneOrFail(Account, a)).balance, 777)
      t.equal(await orm.em.fork().count(Account, { owner: 'r' }), 0)
    })
  }

  for (const [name, wrapper] of WRITERS) {
    t.test(`${name} commits all or nothing`, async (t) => {
      const seen = await wrapper(async (em, owner: string, count: number) => {
        await add(em, owner, 'crud')
        await add(em, owner, 'orm')
        await add(em, owner, 'sql')
        return count
      })(orm.em.fork(), 'x', 3)
      t.equal(seen, 3, 'what the function returns')
      t.strictSame(await owners(orm), ['a', 'b', 'x', 'x', 'x'])
      const error = new Error('no')
      t.equal(
        await failureOf(
          wrapper(async (em) => {
            await add(em, 'y', 'crud')
            await add(em, 'y', 'orm')
            throw error
          })(orm.em.fork())
        ),
        error,
        'what the function throws, as it is'
      )
      t.strictSame(await owners(orm), ['a', 'b', 'x', 'x', 'x'])
    })

    t.test(`${name}: unflushed changes are flushed, and unawaited work is awaited`, async (t) => {
      await wrapper(async (em) => {
        em.create(Account, { owner: 'flushed', balance: 0 })
        add(em, 'awaited', 'crud').catch(t.error)
      })(orm.em.fork())
      t.strictSame((await owners(orm)).sort(), ['a', 'awaited', 'b', 'flushed'])
    })

    t.test(`${name}: an inner failure undoes the inner part, and the outer one continues`, async (t) => {
      await wrapper(async (em) => {
        await add(em, 'before', 'orm')
        for (const [inner, wrapper] of WRITERS) {
          const undone = wrapper(async (em) => {
            await add(em, 'undone', 'crud')
            await add(em, 'undone', 'orm')
            throw new Error('inner')
          })
          t.equal((await failureOf(undone(em))).message, 'inner', inner)
          // a failed statement would abort the whole transaction
          await failsWith(t, DatabaseError, wrapper(async (em) => await em.execute('select 1 / 0'))(em))
        }
        await add(em, 'after')
      })(orm.em.fork())
      t.strictSame(await owners(orm), ['a', 'b', 'before', 'after'])
    })
  }

  t.test('a list of records that the function catches an error of is undone alone', async (t) => {
    await withTransaction(orm.em.fork(), async (em) => {
      await add(em, 'before')
      const refused = await failureOf(accounts.createMany(em, [{ owner: 'y' }, { owner: 'again', number: 1 }]))
      t.match(refused, { code: 'FST_CRUD_CONFLICT', errors: [{ source: { pointer: '/1/number' } }] })
      await add(em, 'after')
    })
    t.strictSame(await owners(orm), ['a', 'b', 'before', 'after'])
  })

  t.test('a database error that the function catches still undoes everything, and is thrown', async (t) => {
    const [a] = t.context.ids
    const caught: Record<string, (em: EntityManager) => Promise<unknown>> = {
      SQL: (em) => em.execute("insert into account (owner, number) values ('again', 1)"),
      create: (em) => accounts.create(em, { owner: 'again', number: 1 }),
      update: (em) => accounts.update(em, a, { number: 2 }),
    }
    for (const [what, fail] of Object.entries(caught)) {
      const caught = withTransaction(orm.em.fork(), async (em) => {
        await add(em, 'x')
        await fail(em).catch(() => {})
      })
      await failsWith(t, ConflictError, caught,
        `${what}: the server would answer the commit with a rollback, and say nothing`)
      t.strictSame(await owners(orm), ['a', 'b'])
      const flushed = (em: EntityManager) => em.create(Account, { owner: 'flushed at the end', balance: 0 })
      for (const more of [(em: EntityManager) => add(em, 'more'), flushed]) {
        const work = async (em: EntityManager) => {
          await fail(em).catch(() => {})
          await more(em)
        }
        await failsWith(t, ConflictError, withTransaction(orm.em.fork(), work),
          `${what}: also where the next statement is refused for it`)
        await withTransaction(orm.em.fork(),
          (em) => failsWith(t, ConflictError, withTransaction(em, work), `${what}: so does an inner one`))
      }
    }
    await withTransaction(orm.em.fork(), async (em) => {
      await add(em, 'x')
      await withTransaction(em, async (em) => await accounts.create(em, { owner: 'again', number: 1 })).catch(() => {})
    })
    t.strictSame(await owners(orm), ['a', 'b', 'x'], 'unless it happened in a transaction of its own')
    await withTransaction(orm.em.fork(), async (em) => {
      t.match(await failureOf(accounts.update(em, 0, { owner: 'nobody' })), { statusCode: 404 })
      t.match(await failureOf(accounts.list(em, parseQueryParams('filter[x]=1'))), { statusCode: 400 })
      await add(em, 'y')
    })
    t.strictSame(await owners(orm), ['a', 'b', 'x', 'y'], 'or was none of a statement')
  })

  t.test('concurrent inner transactions do not undo each other', async (t) => {
    await withTransaction(orm.em.fork(), async (em) => {
      const outcomes = await Promise.allSettled(
        [1, 2, 3, 4, 5, 6].map((n) =>
          withTransaction(em, async (em) => {
            await add(em, `inner ${n}`)
            await withTransaction(em, async (em) => await add(em, `innermost ${n}`, 'orm'))
            if (n % 2 === 0) throw new Error('even')
            return n
          })
        ).concat(add(em, 'beside') as never)
      )
      t.strictSame(outcomes.map(({ status }) => status), [
        'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled',
      ])
    })
    t.strictSame((await owners(orm)).sort(), [
      'a', 'b', 'beside', ...[1, 3, 5].map((n) => `inner ${n}`), ...[1, 3, 5].map((n) => `innermost ${n}`),
    ])
  })

  t.test('statements of an inner function after its failure are refused, since they would be kept', async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let straggler: Promise<any> | undefined
    await withTransaction(orm.em.fork(), async (em) => {
      await failureOf(withTransaction(em, async (em) => {
        straggler = failureOf(promise.then(() => add(em, 'straggler')))
        throw new Error('inner')
      }))
      resolve()
      t.match(await straggler, { statusCode: 500, message: /is over/ })
      const failed = await failureOf(withTransaction(em, async (em) => {
        t.context.em = em
        await withTransaction(em, async (em) => {
          t.context.inner = em
        })
        throw new Error('inner')
      }))
      t.equal(failed.message, 'inner')
      for (const key of ['em', 'inner']) {
        t.match(await failureOf(withTransaction(t.context[key], async (em) => await add(em, 'later'))), {
          message: /is over/,
        })
      }
    })
    t.strictSame(await owners(orm), ['a', 'b'])
    for (const key of ['em', 'inner']) t.match(await failureOf(add(t.context[key], 'much later')), { statusCode: 500 })
    t.strictSame(await owners(orm), ['a', 'b'])
  })

  t.test('an error is reported once, from CrudBase, the unit of work or SQL', async (t) => {
    for (const through of ['crud', 'orm', 'sql'] as const) {
      for (const run of [
        withTimeout(150),
        withTransaction({ timeout: 150 }),
        (fn: (em: any) => Promise<unknown>) => withTimeout(20_000)((em) => withTimeout(em, 150, fn)),
      ]) {
        const error = await failureOf(
          run(async (em) => {
            for (;;) await add(em, 'x', through)
          })(orm.em.fork())
        )
        t.match(error, {
          constructor: UnavailableError,
          message: /^(The database needed more than 150 ms|The time for the transaction is over)\.$/,
          detail: error.message,
        }, through)
      }
      await withTransaction(orm.em.fork(), async (em) => {
        t.context.em = em
      })
      t.equal((await failureOf(add(t.context.em, 'late', through))).message,
        'The transaction that this EntityManager belongs to is over.', through)
    }
  })

  t.test('an inner function that uses the outer EntityManager is still inside', { timeout: 60_000 }, async (t) => {
    await withTransaction(orm.em.fork(), async (outer) => {
      await failureOf(withTransaction(outer, async () => {
        await add(outer, 'x')
        await withTransaction(outer, async () => await add(outer, 'y'))
        throw new Error('inner')
      }))
    })
    t.strictSame(await owners(orm), ['a', 'b'])
  })

  t.test('on success, entities of the function move to the EntityManager of the call', async (t) => {
    const [id] = t.context.ids
    const em = orm.em.fork()
    const account = await withTransaction(em, async (em) => await em.findOneOrFail(Account, id))
    t.equal(await em.findOne(Account, id), account)
    account.owner = 'changed'
    await em.flush()
    t.strictSame(await owners(orm), ['changed', 'b'])
    const fresh = orm.em.fork()
    await failureOf(withTransaction(fresh, async (em) => {
      ;(await em.findOneOrFail(Account, id)).owner = 'undone'
      await em.flush()
      throw new Error('no')
    }))
    t.equal((await fresh.findOneOrFail(Account, id)).owner, 'changed')
  })

  t.test('isolation levels are those of the database', async (t) => {
    for (const isolationLevel of ['read committed', 'repeatable read', 'serializable'] as const) {
      for (const [what, wrapper] of [
        ['withTransaction', withTransaction({ isolationLevel })],
        ['withRetry', withRetry({ isolationLevel })],
        ['withTimeout', withTimeout(20_000, { isolationLevel })],
        ['readOnly', readOnly({ isolationLevel })],
      ] as const) {
        t.equal(await wrapper((em) => setting(em, 'transaction_isolation'))(orm.em.fork()), isolationLevel, what)
      }
    }
    t.equal(await setting(orm.em.fork(), 'transaction_isolation'), 'read committed', 'and nothing is left of it')
  })

  t.test('a stricter inner level is allowed before the first statement, and a weaker one always', async (t) => {
    const inner = async (em: any, isolationLevel: 'read committed' | 'serializable') =>
      await withTransaction(em, (em) => setting(em, 'transaction_isolation'), { isolationLevel })
    for (const wrapper of Object.values(WRAPPERS)) {
      t.equal(await wrapper((em) => inner(em, 'serializable'))(orm.em.fork()), 'serializable')
    }
    t.equal(
      await withTransaction(orm.em.fork(), (em) => inner(em, 'read committed'), { isolationLevel: 'serializable' }),
      'serializable'
    )
    await withTransaction(orm.em.fork(), async (em) => {
      await add(em, 'x')
      const { message } = await failsWith(t, ConfigError, inner(em, 'serializable'))
      t.match(message, /'read committed' already.*'serializable'/)
      t.equal(await inner(em, 'read committed'), 'read committed')
    })
    t.strictSame(await owners(orm), ['a', 'b', 'x'], 'which harms nothing')
    await orm.em.fork().transactional(async (em) => {
      await failsWith(t, ConfigError, inner(em, 'serializable'), "in a transaction of MikroORM's, too")
    })
  })

  t.test('withTransaction works inside em.transactional, and around it', async (t) => {
    await orm.em.fork().transactional(async (em) => {
      await add(em as any, 'outer', 'orm')
      await failureOf(withTransaction(em as any, async (em) => {
        await add(em, 'x')
        throw new Error('no')
      }))
      await withTransaction(em as any, async (em) => {
        await em.transactional(async (em) => await add(em as any, 'inner', 'orm'))
        await failureOf(em.transactional(async (em) => {
          await add(em as any, 'y')
          throw new Error('no')
        }))
      })
    })
    t.strictSame(await owners(orm), ['a', 'b', 'outer', 'inner'])
  })

  t.test('events and filter parameters equal those of em.transactional', async (t) => {
    const events: string[] = []
    const em = orm.em.fork({ freshEventManager: true })
    const names = [
      'beforeTransactionStart', 'afterTransactionStart', 'beforeTransactionCommit', 'afterTransactionCommit',
      'beforeTransactionRollback', 'afterTransactionRollback',
    ]
    em.getEventManager().registerSubscriber(Object.fromEntries(names.map((name) => [name, () => {
      events.push(name)
    }])))
    em.setFilterParams('tenant', { id: 7 })
    for (const run of [withTransaction, (em: any, fn: any) => em.transactional(fn)]) {
      await run(em, async (em: any) => {
        t.strictSame(em.getFilterParams('tenant'), { id: 7 })
        await failureOf(run(em, async () => {
          throw new Error('no')
        }))
      })
    }
    t.strictSame(events.slice(0, events.length / 2), events.slice(events.length / 2))
    t.equal(events.length, 16 / 2 * 2)
  })

  t.test('a write in readOnly is refused before it does anything, whichever way it is made', async (t) => {
    const [id] = t.context.ids
    const writes: Record<string, (em: EntityManager) => Promise<unknown>> = {
      crud: (em) => add(em, 'x', 'crud'),
      orm: (em) => add(em, 'x', 'orm'),
      sql: (em) => add(em, 'x', 'sql'),
      'one that the function has caught': (em) => add(em, 'x', 'sql').catch(() => {}),
      'the flush at the end': async (em) => em.create(Account, { owner: 'x', balance: 0 }),
      update: (em) => accounts.update(em, id, { owner: 'x' }),
      delete: (em) => accounts.delete(em, id),
    }
    for (const [what, write] of Object.entries(writes)) {
      await failsWith(t, ReadOnlyViolationError, readOnly(orm.em.fork(), write), what)
    }
    t.strictSame(await owners(orm), ['a', 'b'])
    t.equal(await readOnly(orm.em.fork(), (em) => accounts.count(em)), 2, 'reads are none')
  })

  t.test('readOnly inside a writing transaction applies until it ends, in whichever way', async (t) => {
    await withTransaction(orm.em.fork(), async (em) => {
      await add(em, 'before')
      const seen = await readOnly(em, async (em) => {
        await failsWith(t, ReadOnlyViolationError, withTransaction(em, (em) => add(em, 'x')), 'further inside, too')
        return await accounts.count(em)
      })
      t.equal(seen, 3, 'it sees what was written')
      await add(em, 'between')
      for (const through of ['crud', 'orm', 'sql'] as const) {
        await failsWith(t, ReadOnlyViolationError, readOnly(em, (em) => add(em, 'x', through)), through)
      }
      await add(em, 'after', 'orm')
    })
    t.strictSame(await owners(orm), ['a', 'b', 'before', 'between', 'after'])
  })

  t.test('a conflict with other transactions repeats the work from the start, with a new EntityManager', {
    skip: oneConnection,
  }, async (t) => {
    const [a, b] = t.context.ids
    const serializable = { isolationLevel: 'serializable' } as const
    const inner = (fn: any) =>
      withTimeout(20_000)((em, ...args: any[]) => withTransaction(em, (em) => fn(em, ...args), serializable))
    for (const [name, wrapper] of [
      ['withTransaction', withTransaction(serializable)],
      ['withRetry', withRetry(serializable)],
      ['an inner one', inner],
    ] as const) {
      // write skew: each reads both and writes its own
      const met = meeting(2)
      let runs = 0
      await Promise.all([a, b].map((own) =>
        (wrapper as typeof WRAPPERS.withRetry)(async (em) => {
          runs++
          const both = await em.find(Account, { id: [a, b] })
          await met()
          em.assign(both.find(({ id }) => id === own)!, { balance: both[0]!.balance + both[1]!.balance + 1 })
          await em.flush()
        })(orm.em.fork())
      ))
      t.equal(runs, 3, name)
      const balances = (await orm.em.fork().find(Account, {}, { orderBy: { id: 1 } })).map(({ balance }) => balance)
      t.equal(Math.max(...balances), Math.min(...balances) * 1 + Math.abs(balances[0]! - balances[1]!), name)
      await orm.em.fork().nativeUpdate(Account, {}, { balance: 0 })
    }
  })

  t.test('a deadlock repeats the work', { skip: oneConnection }, async (t) => {
    const [a, b] = t.context.ids
    const met = meeting(2)
    let runs = 0
    await Promise.all([[a, b], [b, a]].map((order) =>
      withTransaction(orm.em.fork(), async (em) => {
        runs++
        for (const id of order) {
          await em.execute('update account set balance = balance + 1 where id = ?', [id])
          await met()
        }
      })
    ))
    t.equal(runs, 3)
    t.strictSame((await orm.em.fork().find(Account, {})).map(({ balance }) => balance), [2, 2])
  })

  t.test("attempts are limited, and the last failure is a 503 with the driver's error as cause", async (t) => {
    const conflict = "do $$ begin raise exception 'conflict' using errcode = '40001'; end $$"
    for (const retries of [0, 2]) {
      let runs = 0
      const work = withTransaction(orm.em.fork(), async (em) => {
        runs++
        await em.execute(conflict)
      }, { retries, baseDelay: 1 })
      t.match(await failsWith(t, UnavailableError, work), { statusCode: 503, cause: { code: '40001' } })
      t.equal(runs, retries + 1)
    }
    let runs = 0
    t.match(
      await failureOf(withTransaction(orm.em.fork(), async (em) => {
        runs++
        await withTransaction(em, async (em) => {
          try {
            await em.execute(conflict)
          } catch (cause) {
            throw new Error('wrapped', { cause })
          }
        }, { retries: 4, baseDelay: 1 })
      }, { retries: 1, baseDelay: 1 })),
      { message: 'wrapped' }
    )
    t.equal(runs, 5, 'the most insistent one counts, and the outermost is what is repeated')
    runs = 0
    t.match(
      await failureOf(withTransaction(orm.em.fork(), async () => {
        runs++
        throw new Error('no')
      })),
      { message: 'no' }
    )
    t.equal(runs, 1, 'other errors are not repeated')
  })

  t.test('an exceeded timeout ends everything, whatever the timeout of inner ones', async (t) => {
    // in small statements, for a database that cannot stop in the middle of one
    const slow = async (em: any) => {
      await add(em, 'x')
      for (let i = 0; i < 100; i++) await em.execute('select pg_sleep(0.05)')
    }
    for (const [what, run] of [
      ['alone', () => withTimeout(orm.em.fork(), 150, slow)],
      ['as an option', () => withTransaction(orm.em.fork(), slow, { timeout: 150 })],
      ['around', () => withTimeout(150)(withTransaction()(withTimeout(60_000)(slow)))(orm.em.fork())],
      ['inside', () => withTimeout(60_000)(withTransaction()(withTimeout(150)(slow)))(orm.em.fork())],
      ['a function that waits for something else', () =>
        withTimeout(orm.em.fork(), 150, async (em) => {
          await add(em, 'x')
          await new Promise(() => {})
        })],
    ] as const) {
      t.match((await failsWith(t, UnavailableError, run(), what)).message, /more than 150 ms/)
      t.strictSame(await owners(orm), ['a', 'b'], what)
    }
    await withTransaction(orm.em.fork(), async (em) => {
      t.match(await failureOf(withTimeout(em, 150, slow)), { statusCode: 503 })
      await add(em, 'after')
    })
    t.strictSame(await owners(orm), ['a', 'b', 'after'], 'the outer transaction goes on')
    t.equal(await withTimeout(orm.em.fork(), 60_000, async (em) => await accounts.count(em)), 3)
  })

  t.test('invalid options are refused by name', async (t) => {
    const em = orm.em.fork()
    for (const [run, message] of [
      [() => withTransaction(orm.em as any),
        /^withTransaction: the function to run is missing\. Write withTransaction\(em, async \(em\) => \.\.\.\)\.$/],
      [() => withRetry(orm.em as any), /^withRetry: the function to run is missing/],
      [() => readOnly(orm.em as any), /^readOnly: the function to run is missing/],
      [() => withTimeout(orm.em as any, 100 as any),
        /^withTimeout: the function to run is missing\. Write withTimeout\(em, ms, /],
      [() => withTimeout(orm.em as any, (async () => {}) as any),
        /^withTimeout: the function to run is missing\. Write withTimeout\(em, ms, /],
      [() => withTransaction((async () => {}) as any),
        /^withTransaction: the EntityManager is missing\. Write withTransaction\(em, async \(em\) => \.\.\.\)\.$/],
      [() => withRetry((async () => {}) as any, {} as any), /^withRetry: expected a function to run/],
      [() => withRetry((async () => {}) as any), /^withRetry: the EntityManager is missing/],
      [() => readOnly((async () => {}) as any), /^readOnly: the EntityManager is missing/],
      [() => withTimeout((async () => {}) as any, 100 as any), /^withTimeout: the EntityManager is missing/],
      [() => withTransaction({ retires: 3 } as any),
        /withTransaction: there is no option 'retires'. Did you mean 'retries'/],
      [() => withTransaction({ isolationLevel: 'SERIALIZABLE' } as any),
        /isolationLevel: .*got 'SERIALIZABLE'. Did you mean 'serializable'/],
      [() => withTransaction(em, async () => {}, { retries: -1 }), /retries/],
      [() => withRetry({ retries: 1.5 }), /withRetry: retries/],
      [() => withTimeout(0), /withTimeout: timeout/],
      [() => withTimeout(em, Infinity, async () => {}), /timeout/],
      [() => withTimeout(em, 2 ** 31, async () => {}), /timeout/],
      [() => readOnly(7 as any)(7 as any), /readOnly: .*function/],
      [() => withTransaction()(undefined as any), /function/],
      [() => withTransaction(em, 7 as any), /function/],
      [() => withTransaction({} as any, async () => {}),
        /withTransaction: the first argument must be an EntityManager, such as request.em, got an object/],
      [() => withTimeout(undefined as any, 5, async () => {}), /withTimeout: .*EntityManager.*got undefined/],
      [() => readOnly()(async () => {})(null as any), /readOnly: .*EntityManager.*got null/],
    ] as ReadonlyArray<readonly [() => unknown, RegExp]>) {
      t.match((await failsWith(t, ConfigError, (async () => await run())(), String(message))).message, message)
    }
  })

  t.test('a transaction costs its begin and commit, and an inner one its savepoint', async (t) => {
    const recorder = await recordStatements(orm, t)
    await withTransaction(orm.em.fork(), (em) => accounts.count(em))
    t.equal(recorder.words(), 'begin select commit')
    await withTransaction(orm.em.fork(), (em) => withTransaction(em, (em) => accounts.count(em)))
    t.equal(recorder.words(), 'begin savepoint select release commit')
  })
})
