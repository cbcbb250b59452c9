/** Failures that need a separate server: slow statements, cancellations, lost servers and lost networks. */
import { raw } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import t from 'tap'
import {
  AbortedError, CrudBase, OutcomeUnknownError, readOnly, UnavailableError, withRetry, withTimeout, withTransaction,
} from '../../src/index.ts'
import { Account, accounts, add, failureOf, owners, reset } from '../helpers/accounts.ts'
import { databases, skipReasons } from '../helpers/databases.ts'
import { startProxy } from '../helpers/lossy-network.ts'
import { until } from '../helpers/until.ts'

const open = databases.find(([name]) => name === 'postgres')![1]

t.test('PGlite runs in this process, so nothing comes between', { skip: 'nothing to lose' }, () => {})

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const { orm: direct, url, close } = await open({ entities: [Account] })
  const proxy = await startProxy(t, url!)
  // the smallest pool that shows a connection that was not returned
  const orm = await MikroORM.init({
    entities: [Account], clientUrl: proxy.url, pool: { min: 0, max: 2 },
    driverOptions: { connectionTimeoutMillis: 5_000 },
  })
  const watcher = new pg.Client({ connectionString: url })
  await watcher.connect()
  t.teardown(async () => {
    await watcher.end()
    await orm.close(true)
    await close()
  })
  t.beforeEach(async (t) => {
    proxy.rule = () => 'pass'
    t.context.ids = await reset(direct)
  })

  /** Ends the server's side of a connection, and checks that it is gone. */
  const kill = async (em: any) => {
    const [{ pid }] = await em.execute('select pg_backend_pid() as pid')
    await watcher.query('select pg_terminate_backend($1)', [pid])
    await until(async () => (await watcher.query('select from pg_stat_activity where pid = $1', [pid])).rowCount === 0)
    await em.execute('select 1')
  }
  /** The number of running statements with this comment. */
  const running = async (comment: string): Promise<number> =>
    (await watcher.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() ' +
        "and state = 'active' and query like $1",
      [`%/* ${comment} */%`]
    )).rowCount!
  const settings = async (em: any): Promise<string> => (await em.execute('show statement_timeout'))[0].statement_timeout

  /** Asserts that the whole pool is usable, and that none of its connections has leftovers. */
  const usable = async (t: any) => {
    const used = await Promise.all([1, 2].map(() =>
      withTransaction(orm.em.fork(), async (em) => {
        await em.execute('select pg_sleep(0.01)')
        const [row] = await em.execute<{ transaction_read_only: string }[]>('show transaction_read_only')
        return [await settings(em), row!.transaction_read_only]
      })
    ))
    t.strictSame(used, [['0', 'off'], ['0', 'off']])
    const idle = await watcher.query(
      "select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'"
    )
    t.equal(idle.rowCount, 0, 'no transaction is left open')
  }

  t.test('an exceeded timeout cancels the statement in the server', async (t) => {
    for (const [what, statement] of [
      ['SQL', (em: any) => em.execute('select pg_sleep(60) /* late */')],
      [
        'the run stage',
        (em: any) =>
          accounts.count(em, undefined, { scope: { [raw('(select pg_sleep(60) /* late */)::text')]: '' } as never }),
      ],
      ['in a savepoint', (em: any) => withTransaction(em, (em) => em.execute('select pg_sleep(60) /* late */'))],
      ["in a savepoint of MikroORM's",
        (em: any) => em.transactional((em: any) => em.execute('select pg_sleep(60) /* late */'))],
    ] as const) {
      const outcome = failureOf(withTimeout(orm.em.fork(), 4_000, async (em) => {
        await add(em, 'x')
        await statement(em)
      }))
      await until(async () => await running('late') === 1)
      const error = await outcome
      t.ok(error instanceof UnavailableError, what)
      t.match(error, { statusCode: 503, message: /4000 ms/ })
      t.equal(await running('late'), 0, 'it has ended when the promise is rejected')
      t.strictSame(await owners(direct), ['a', 'b'])
    }
    await usable(t)
  })

  t.test('the server gets the remaining time as limit of each statement', async (t) => {
    const seen = await withTimeout(orm.em.fork(), 20_000, async (em) => {
      const first = await settings(em)
      await em.execute('select pg_sleep(1.2)')
      const second = await settings(em)
      const inner = await withTimeout(em, 5_000, settings)
      const longer = await withTimeout(em, 60_000, settings)
      return [first, second, inner, longer, await settings(em)].map((text) =>
        /ms$/.test(text) ? parseInt(text) : parseInt(text) * 1_000
      )
    })
    t.ok(seen[0]! > 10_000 && seen[0]! <= 20_000, String(seen[0]))
    t.ok(seen[1]! <= 18_800 * 1.05 + 1, String(seen[1]))
    t.ok(seen[2]! <= 5_000, String(seen[2]))
    for (const rest of [seen[3]!, seen[4]!]) t.ok(rest > 5_000 && rest <= 18_800 * 1.05 + 1, String(rest))
    await withTransaction(orm.em.fork(), async (em) => {
      await em.execute("set local statement_timeout = '7s'")
      t.equal(await withTimeout(em, 60_000, settings), '7s', 'a shorter one that is configured stays')
      t.match(await withTimeout(em, 5_000, settings), /^[1-5]/)
      t.equal(await settings(em), '7s', 'and is there again afterwards')
      await failureOf(withTimeout(em, 5_000, async (em) => {
        await em.execute('select 1')
        throw new Error('no')
      }))
      t.equal(await settings(em), '7s')
    })
    await usable(t)
  })

  t.test('on a dead network, the promise is still rejected, and the pool gets another connection', async (t) => {
    for (const when of ['in a statement', 'in the commit', 'from the beginning'] as const) {
      const dead = () => {
        proxy.rule = () => 'lose'
      }
      if (when === 'from the beginning') dead()
      // the commit has to be reached
      const error = await failureOf(withTimeout(orm.em.fork(), when === 'in the commit' ? 3_000 : 300, async (em) => {
        await add(em, 'x')
        if (when === 'in the commit') proxy.rule = (text) => /commit/.test(text) ? (dead(), 'lose') : 'pass'
        if (when === 'in a statement') dead()
        if (when !== 'in the commit') await add(em, 'y')
      }))
      t.ok(when === 'in the commit' ? error instanceof OutcomeUnknownError : error instanceof UnavailableError, when)
      t.equal(error.statusCode, 503)
      proxy.rule = () => 'pass'
      await usable(t)
      await until(async () => (await owners(direct)).length === 2)
    }
  })

  t.test('an inner timeout leaves the outer transaction unchanged', async (t) => {
    await t.test('an inner timeout also applies while the inner function waits for the outer one', async (t) => {
      await withTransaction(orm.em.fork(), async (em) => {
        const busy = em.execute('select pg_sleep(1.6)')
        let ran = false
        const error = await failureOf(withTimeout(em, 100, async () => {
          ran = true
        }))
        t.ok(error instanceof UnavailableError)
        t.notOk(ran)
        await busy
        await add(em, 'busy')
      })
      await withTransaction(orm.em.fork(), async (em) => {
        await watcher.query('select pg_advisory_lock(3)')
        const sibling = withTransaction(em, (em) => em.execute('select pg_advisory_xact_lock(3)'))
        let over = false
        sibling.finally(() => {
          over = true
        }).catch(() => {})
        t.ok(await failureOf(withTimeout(em, 100, async () => {})) instanceof UnavailableError)
        t.notOk(over, 'it does not wait for the others longer than it may')
        await watcher.query('select pg_advisory_unlock(3)')
        await sibling
        await withTimeout(em, 20_000, (em) => add(em, 'sibling'))
      })
      t.strictSame((await owners(direct)).slice(2), ['busy', 'sibling'])
    })
    await t.test('the time limit ends with its transaction, in the server as well', async (t) => {
      const sent: string[] = []
      proxy.rule = (text, from) => {
        if (from === 'client') sent.push(...text.match(/savepoint "\w+|statement_timeout = \d+/g) ?? [])
        return 'pass'
      }
      await withTimeout(orm.em.fork(), 20_000, async (em) => {
        await withTimeout(em, 5_000, (em) => em.execute('select 1'))
        await withTransaction(em, (em) => add(em, 'limited', 'sql'))
      })
      const limit = sent.slice(0, sent.indexOf('savepoint "crud_kit_2')).findLast((text) =>
        text.startsWith('statement_timeout')
      )
      t.ok(Number(limit?.split(' = ')[1]) > 5_000, 'no savepoint is made in the time of another')
      t.strictSame((await owners(direct)).slice(2), ['limited'])
    })
    await t.test('a late cancellation hits no other statement', async (t) => {
      const CANCEL = Buffer.from([4, 210, 22, 46]).toString('latin1')
      await withTransaction(orm.em.fork(), async (em) => {
        await em.execute('select 1')
        let answered = (): void => {}
        const done = new Promise<void>((resolve) => {
          answered = resolve
        })
        proxy.rule = (text, from) => {
          if (from === 'client' && text.startsWith(CANCEL, 4)) return done.then(() => 'pass')
          // the statement ends by its own limit while its cancellation is on the way
          if (from === 'server' && /slept|57014/.test(text)) answered()
          return 'pass'
        }
        t.ok(
          await failureOf(withTimeout(em, 1_000, (em) => em.execute("select pg_sleep(3)::text || 'slept'"))) instanceof
            UnavailableError
        )
        for (let i = 0; i < 50; i++) await withTransaction(em, (em) => em.execute('select pg_sleep(0.001)'))
        await add(em, 'late')
      })
      t.strictSame((await owners(direct)).slice(2), ['late'])
    })
    await usable(t)
  })

  t.test('a client that goes away cancels its statement, even if every connection is in use', async (t) => {
    for (const [what, start] of [['withTransaction', withTransaction], [
      'em.transactional',
      (em: any, fn: any) => em.transactional(fn),
    ]] as const) {
      const controller = new AbortController()
      const outcomes = [1, 2].map(() =>
        failureOf(
          start(
            orm.em.fork({ signal: controller.signal, inflightQueryAbortStrategy: 'cancel query' }),
            async (em: any) => {
              await accounts.count(em)
              await em.execute('select pg_sleep(60) /* gone */')
            }
          )
        )
      )
      await until(async () => await running('gone') === 2)
      controller.abort()
      for (const error of await Promise.all(outcomes)) {
        if (what === 'withTransaction') t.ok(error instanceof AbortedError)
      }
      await until(async () => await running('gone') === 0)
      await usable(t)
    }
  })

  t.test('a cancellation works while the server has no free connection', async (t) => {
    const { rows: [{ name }] } = await watcher.query('select current_database() as name')
    const admin = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await admin.connect()
    t.teardown(() => admin.end())
    const controller = new AbortController()
    const outcome = failureOf(
      withTransaction(orm.em.fork({ signal: controller.signal, inflightQueryAbortStrategy: 'cancel query' }),
        (em) => em.execute('select pg_sleep(60) /* full */'))
    )
    await until(async () => await running('full') === 1)
    await admin.query(`alter database ${name} allow_connections false`)
    controller.abort()
    t.ok(await outcome instanceof AbortedError)
    await until(async () => await running('full') === 0)
    await admin.query(`alter database ${name} allow_connections true`)
    await usable(t)
  })

  t.test('a lost connection goes back to the pool, again and again', async (t) => {
    for (const wrapper of [withTransaction(), readOnly(), withTimeout(20_000)]) {
      for (let i = 0; i < 3; i++) {
        t.ok(await failureOf(wrapper(kill)(orm.em.fork())) instanceof UnavailableError)
      }
    }
    for (let i = 0; i < 3; i++) {
      t.ok(
        await failureOf(withTransaction(orm.em.fork(), (em) => withTransaction(em, kill))) instanceof UnavailableError
      )
      proxy.rule = (text) => /^Q[^]{4}(begin|start)/.test(text) ? 'cut' : 'pass'
      t.ok(await failureOf(withTransaction(orm.em.fork(), (em) => accounts.count(em))) instanceof UnavailableError,
        'as it begins')
      proxy.rule = () => 'pass'
    }
    await usable(t)
  })

  t.test('withRetry repeats work whose connection was lost before the commit, unlike withTransaction', async (t) => {
    for (const [wrapper, expected] of [[withRetry({ baseDelay: 1 }), 3], [withTimeout(20_000, { baseDelay: 1 }), 1], [
      withTransaction(),
      1,
    ]] as const) {
      let runs = 0
      const outcome = wrapper(async (em) => {
        runs++
        await add(em, 'x')
        if (runs < 3) await kill(em)
      })(orm.em.fork())
      if (expected === 1) t.ok(await failureOf(outcome) instanceof UnavailableError)
      else await outcome
      t.equal(runs, expected)
    }
    t.strictSame(await owners(direct), ['a', 'b', 'x'])
    let runs = 0
    await withTimeout(orm.em.fork(), 20_000, (em) =>
      withRetry(em, async (em) => {
        if (++runs < 3) await kill(em)
      }, { baseDelay: 1 }))
    t.equal(runs, 3, 'an inner one asks the outer to')
    await usable(t)
  })

  t.test('withRetry waits for a database that is not up yet', async (t) => {
    let refused = 0
    proxy.rule = () => ++refused <= 2 ? 'cut' : 'pass'
    const fresh = await MikroORM.init({
      entities: [Account], clientUrl: proxy.url, ensureDatabase: false, pool: { min: 0, max: 1 },
    })
    t.teardown(() => fresh.close(true))
    t.equal(await withRetry(fresh.em.fork(), (em) => accounts.count(em), { readOnly: true, baseDelay: 1 }), 2)
    t.ok(refused > 2)
  })

  t.test('a connection lost during the commit repeats nothing, since the outcome is unknown', async (t) => {
    class HookedCrud extends CrudBase<any> {
      calls = 0
      override afterCreate (): void {
        this.calls++
      }
    }
    const hooked = new HookedCrud({ model: Account, writable: 'all' })
    for (const [committed, fate] of [[true, 'pass'], [false, 'cut']] as const) {
      for (const wrapper of [withRetry({ baseDelay: 1 }), withTransaction(), withTimeout(20_000)]) {
        let [runs, armed] = [0, false]
        proxy.rule = (text, from) => {
          if (armed && from === 'server') return 'cut'
          if (!/^Q[^]{4}commit/.test(text)) return 'pass'
          armed = true
          return fate
        }
        const error = await failureOf(
          wrapper(async (em) => {
            runs++
            await hooked.create(em, { owner: 'x' })
          })(orm.em.fork())
        )
        proxy.rule = () => 'pass'
        t.equal(hooked.calls, 0, 'no after hook runs for what may not have been written')
        t.ok(error instanceof OutcomeUnknownError)
        t.match(error, { statusCode: 503, code: 'FST_CRUD_OUTCOME_UNKNOWN', cause: Error })
        t.notOk('headers' in error, 'nobody is invited to try again')
        t.equal(runs, 1)
        await until(async () => (await owners(direct)).includes('x') === committed)
        await reset(direct)
      }
    }
    await withTransaction(orm.em.fork(), (em) => hooked.create(em, { owner: 'y' }))
    t.equal(hooked.calls, 1)
    await reset(direct)
    let runs = 0
    proxy.rule = (text) => /^Q[^]{4}commit/.test(text) && runs < 3 ? 'cut' : 'pass'
    t.equal(
      await withRetry({ readOnly: true, baseDelay: 1 })(async (em) => {
        runs++
        return await accounts.count(em)
      })(orm.em.fork()),
      2
    )
    t.equal(runs, 3, 'what has only read may be repeated')
    proxy.rule = () => 'pass'
    await usable(t)
  })

  t.test('a commit during which the server lost another server has an unknown outcome', async (t) => {
    await watcher.query(
      'create function lose() returns trigger language plpgsql as ' +
        "$$ begin raise 'connection to the remote node failed' using errcode = '08006'; end $$; " +
        'create constraint trigger lost after insert on account deferrable initially deferred ' +
        'for each row execute function lose()'
    )
    t.teardown(() => watcher.query('drop function lose cascade'))
    let runs = 0
    const adding = withTransaction(orm.em.fork(), async (em) => {
      runs++
      await add(em, 'a')
    })
    t.match(await failureOf(adding), { statusCode: 503, code: 'FST_CRUD_OUTCOME_UNKNOWN' })
    t.equal(runs, 1)
    await usable(t)
  })

  t.test('a commit that the server refuses is known to have failed', async (t) => {
    await watcher.query('alter table account add constraint once unique (owner) deferrable initially deferred')
    t.teardown(() => watcher.query('alter table account drop constraint once'))
    t.match(await failureOf(withTransaction(orm.em.fork(), (em) => add(em, 'a'))), { statusCode: 409 })
    await usable(t)
  })
})
