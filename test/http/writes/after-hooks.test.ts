/** After hooks: when they run, what they get, and what they can't break. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import t from 'tap'
import {
  AllowedFilters, CrudBase, parseQueryParams, withTransaction, crudKit, type AfterContext, type CrudRecord,
} from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { failureOf } from '../../helpers/accounts.ts'
import { bodyOf, select, verdict, writes, type Json } from '../helper.ts'

const properties = {
  id: p.integer().primary().autoincrement(), title: p.string().serializedName('name'),
  status: p.string().default('open'), due: p.datetime(3).nullable(), secret: p.string().nullable().hidden(),
  /** Unique, checked at the commit. */
  number: p.integer().nullable(), version: p.integer().version(), deleted_at: p.datetime(3).nullable(),
}
const Ticket = defineEntity({ name: 'Ticket', properties })
/** The same, written by MikroORM's unit of work. */
const Job = defineEntity({
  name: 'Job', properties, hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}], beforeDelete: [() => {}] },
})
type Ticket = InferEntity<typeof Ticket>

const tables = ['ticket', 'job'].map((name) =>
  `create table ${name} (id serial primary key, title text not null, status text not null default 'open', ` +
  'due timestamptz(3), secret text, number int unique deferrable initially deferred, version int not null default 1, ' +
  'deleted_at timestamptz(3));'
).join('\n')

type Context = AfterContext<Ticket, 'status' | 'due' | 'secret'>

/** The calls of hooks since the last look. */
let calls: Json[] = []
const seen = (): Json[] => calls.splice(0)
/** What the hooks do in a test. */
let act: (context: Context, record: CrudRecord) => unknown = () => {}

const noted = (hook: string) => async (record: CrudRecord, context: Context): Promise<void> => {
  await act(context, record)
  const { id, name, status, version } = record
  const { changed, previous } = context
  calls.push({ hook, id, name, status, version, changed, ...(previous !== undefined && { previous }) })
}
const notedMany = (hook: string) => (keys: readonly unknown[], { changed }: AfterContext<Ticket>): void => {
  calls.push({ hook, keys: [...keys].sort(), changed })
}

class Recording extends CrudBase<Ticket> {
  override afterCreate = noted('create')
  override afterUpdate = noted('update')
  override afterDelete = noted('delete')
  override afterUpdateMany = notedMany('updateMany')
  override afterDeleteMany = notedMany('deleteMany')

  constructor (model: any) {
    super({
      model, writable: ['title', 'status', 'due', 'number'], previous: ['status', 'due', 'secret'],
      queryConfig: { allowedFilters: [AllowedFilters.exact('title')] },
    })
  }

  override afterRead (record: CrudRecord): CrudRecord {
    return { ...record, read: true }
  }
}

const tickets = new Recording(Ticket)
const jobs = new Recording(Job)

type Run = (em: EntityManager, work: (em: EntityManager) => Promise<unknown>) => Promise<unknown>

/** Every way to be in a transaction, alone and inside of another one. */
const SIMPLE: Readonly<Record<string, Run>> = {
  withTransaction: (em, work) => withTransaction(em, work),
  'em.transactional': (em, work) => em.transactional((em) => work(em as EntityManager)),
}
const TRANSACTIONS: Readonly<Record<string, Run>> = {
  ...SIMPLE,
  'em.begin and em.commit': async (em, work) => {
    await em.begin()
    try {
      await work(em)
      await em.commit()
    } catch (error) {
      await em.rollback()
      throw error
    }
  },
  ...Object.fromEntries(
    Object.entries(SIMPLE).flatMap(([outer, begin]) =>
      Object.entries(SIMPLE).map(([inner, nest]): [string, Run] => [
        `${inner} in ${outer}`,
        (em, work) => begin(em, (em) => nest(em, work)),
      ])
    )
  ),
}

await forEachDatabase(t, { entities: [Ticket, Job], tables }, async (t, { orm, name: database }) => {
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    resources: Object.fromEntries(
      [['tickets', tickets], ['jobs', jobs]].flatMap(([path, crud]) => {
        const resource = {
          crud: crud as CrudBase,
          allowHardDelete: true,
          operations: [
            'list', 'get', 'create', 'createMany', 'update', 'delete', 'restore', 'updateMany', 'deleteMany',
          ] as const,
        }
        return [[`/${path as string}`, resource], [`/${path as string}-in-transaction`, {
          ...resource,
          transaction: true,
        }]]
      })
    ),
  })
  await app.ready()
  const { post, patch, remove, restore, created, updated } = writes(app)
  t.beforeEach(() => {
    calls = []
    act = () => {}
  })

  for (const path of ['/tickets', '/tickets-in-transaction', '/jobs', '/jobs-in-transaction']) {
    t.test(`${path}: hooks run before the answer, with the record, and what has changed`, async (t) => {
      const { id, ...rest } = await created(path, { name: 'a', due: '2026-01-01' })
      t.match(rest, { name: 'a', status: 'open', version: 1, read: true })
      t.strictSame(seen(), [{ hook: 'create', id, name: 'a', status: 'open', version: 1, changed: ['title', 'due'] }])

      await orm.em.fork().execute(`update ${path.startsWith('/t') ? 'ticket' : 'job'} set secret = 's'`)
      await updated(`${path}/${id}`, { status: 'closed', name: 'b' })
      const before = { status: 'open', due: '2026-01-01T00:00:00.000Z', secret: 's' }
      t.strictSame(seen(), [
        { hook: 'update', id, name: 'b', status: 'closed', version: 2, changed: ['title', 'status'], previous: before },
      ])
      await updated(`${path}/${id}`, {})
      await updated(`${path}/${id}`, { id })
      t.strictSame(seen(), [], 'nothing has changed')

      await updated(`${path}/${id}`, { id, due: null })
      const closed = { ...before, status: 'closed' }
      t.match(seen(), [{ hook: 'update', changed: ['due'], previous: closed }])
      t.equal(verdict(await remove(`${path}/${id}`)), '200')
      t.match(seen(), [{ hook: 'delete', id, changed: [], previous: { ...closed, due: null } }])
      t.equal(verdict(await restore(`${path}/${id}`)), '200')
      t.match(seen(), [{ hook: 'update', id, changed: ['deleted_at'], previous: { ...closed, due: null } }])
      t.equal(verdict(await restore(`${path}/${id}`)), '200')
      t.strictSame(seen(), [], 'it was restored already')
      t.equal(verdict(await remove(`${path}/${id}?hard=true`)), '200')
      t.match(seen(), [{
        hook: 'delete', id, name: 'b', status: 'closed', changed: [], previous: { status: 'closed' },
      }])

      const many = bodyOf(await post(path, [{ name: 'x' }, { name: 'y', status: 'closed' }]))
      t.match(seen(), [
        { hook: 'create', id: many[0].id, name: 'x', changed: ['title'] },
        { hook: 'create', id: many[1].id, name: 'y', status: 'closed', changed: ['title', 'status'] },
      ])
    })

    t.test(`${path}: writes of many records run one hook with all keys`, async (t) => {
      const many = bodyOf(await post(path, [{ name: 'm' }, { name: 'm' }, { name: 'n' }]))
      const keys = many.slice(0, 2).map(({ id }: Json) => id)
      seen()
      const url = `${path}?filter[name]=m`
      for (const [method, hook] of [['PATCH', 'updateMany'], ['DELETE', 'deleteMany']] as const) {
        const send = (query: string, payload: object = {}) =>
          app.inject({ method, url: url + query, ...(method === 'PATCH' && { payload }) })
        t.strictSame((await send('&dry_run=true', { status: 'done' })).json(), { affected: 2 })
        t.strictSame((await send('')).json(), { affected: method === 'PATCH' ? 0 : 2 })
        t.strictSame(seen(), method === 'PATCH' ? [] : [{ hook, keys, changed: [] }])
        if (method === 'DELETE') continue
        t.strictSame((await send('', { status: 'done' })).json(), { affected: 2 })
        t.strictSame(seen(), [{ hook, keys, changed: ['status'] }])
      }
      t.strictSame((await app.inject({ method: 'DELETE', url })).json(), { affected: 0 })
      t.strictSame(seen(), [])
    })

    t.test(`${path}: hooks do not run for what is refused`, async (t) => {
      const { id } = await created(path, { name: 'a', number: 1 })
      const { id: deleted } = await created(path, { name: 'b' })
      await remove(`${path}/${deleted}`)
      seen()
      const refused = [
        post(path, { name: 5 }), post(path, [{ name: 'x' }, { name: 'y', number: 1 }]),
        post(path, { name: 'x', number: 1 }), patch(`${path}/${id}`, { status: 'x' }, { 'if-match': '"9"' }),
        patch(`${path}/${deleted}`, { status: 'x' }), remove(`${path}/${deleted}`), remove(`${path}/0`),
        restore(`${path}/0`),
      ]
      t.strictSame((await Promise.all(refused)).map(verdict).map((verdict) => verdict.slice(0, 3)), [
        '400', '409', '409', '412', '404', '404', '404', '404',
      ])
      t.strictSame(seen(), [])
      for (const table of ['ticket', 'job']) await orm.em.fork().execute(`delete from ${table}`)
    })
  }

  for (const [name, run] of Object.entries(TRANSACTIONS)) {
    t.test(`${name}: hooks run once it has committed`, async (t) => {
      act = async ({ em }, { id }) => {
        const [row] = await em.execute<[{ n: number }]>('select count(*)::int as n from ticket where id = ?', [id])
        calls.push({ committed: row.n })
      }
      let during: Json[] = []
      await run(orm.em.fork(), async (em) => {
        await tickets.create(em, { name: 'x' } as any)
        await tickets.createMany(em, [{ name: 'y' }, { name: 'z' }] as any)
        await tickets.updateMany(em, parseQueryParams('filter[name]=y'), { status: 'done' } as any)
        await tickets.deleteMany(em, parseQueryParams('filter[name]=z'))
        during = seen()
      })
      t.strictSame(during, [])
      t.strictSame(seen().map(({ name, committed, hook }) => name ?? committed ?? hook), [
        1, 'x', 1, 'y', 1, 'z', 'updateMany', 'deleteMany',
      ])

      act = () => {}
      const error = await failureOf(run(orm.em.fork(), async (em) => {
        await tickets.create(em, { name: 'lost' } as any)
        await tickets.updateMany(em, parseQueryParams('filter[name]=lost'), { status: 'done' } as any)
        await tickets.deleteMany(em, parseQueryParams('filter[name]=lost'))
        throw new Error('no')
      }))
      t.equal(error.message, 'no')
      t.strictSame(seen(), [], 'rolled back')

      const refused = await failureOf(run(orm.em.fork(), async (em) => {
        await tickets.create(em, { name: 'one', number: 7 } as any)
        await tickets.create(em, { name: 'two', number: 7 } as any)
      }))
      t.ok(/unique|conflict/i.test(`${refused.message} ${refused.code}`), refused.message)
      t.strictSame(seen(), [], 'refused at the commit')
    })
  }
  for (const [outer, begin] of Object.entries(SIMPLE)) {
    for (const [inner, nest] of Object.entries(SIMPLE)) {
      t.test(`${inner} in ${outer}: hooks do not run for a savepoint that is rolled back`, async (t) => {
        await begin(orm.em.fork(), async (em) => {
          await tickets.create(em, { name: '1' } as any)
          await nest(em, (em) => tickets.create(em, { name: '2' } as any))
          await failureOf(nest(em, async (em) => {
            await tickets.create(em, { name: '3' } as any)
            await nest(em, (em) => tickets.create(em, { name: '4' } as any))
            await tickets.updateMany(em, parseQueryParams('filter[name]=4'), { status: 'done' } as any)
            await nest(em, (em) => tickets.deleteMany(em, parseQueryParams('filter[name]=1')))
            throw new Error('no')
          }))
          await tickets.create(em, { name: '5' } as any)
          await nest(em, (em) => tickets.updateMany(em, parseQueryParams('filter[name]=5'), { status: 'done' } as any))
        })
        t.strictSame(seen().map(({ name, hook }) => name ?? hook), ['1', '2', '5', 'updateMany'])
        // no hook is expected before the first savepoint
        await begin(orm.em.fork(), async (em) => {
          await failureOf(nest(em, async (em) => {
            await nest(em, (em) => tickets.create(em, { name: '6' } as any))
            throw new Error('no')
          }))
          await nest(em, (em) => nest(em, (em) => tickets.create(em, { name: '7' } as any)))
        })
        t.strictSame(seen().map(({ name }) => name), ['7'])
      })
    }
    t.test(`${outer}: savepoints of SQL count, too`, async (t) => {
      await begin(orm.em.fork(), async (em) => {
        await em.execute('SAVEPOINT "Mine"')
        await tickets.create(em, { name: '1' } as any)
        await em.execute('savepoint mine')
        await tickets.create(em, { name: '2' } as any)
        await em.execute('rollback to savepoint mine')
        await tickets.create(em, { name: '3' } as any)
        await em.execute('release MINE')
        await em.execute('release savepoint "Mine"')
        await em.execute('savepoint other')
        await tickets.create(em, { name: '4' } as any)
        await em.execute('ROLLBACK WORK TO other;')
      })
      t.strictSame(seen().map(({ name }) => name), ['1', '3'])
    })
  }

  t.test('savepoints that are open at once keep their own hooks', async (t) => {
    await withTransaction(orm.em.fork(), async (em) => {
      await Promise.allSettled(['a', 'b', 'c', 'd'].flatMap((title) => [
        tickets.create(em, { name: title } as any),
        withTransaction(em, async (em) => {
          await tickets.create(em, { name: `${title} in` } as any)
          if (title !== 'b') throw new Error('no')
        }),
      ]))
    })
    t.strictSame(seen().map(({ name }) => name).sort(), ['a', 'b', 'b in', 'c', 'd'])
  })

  t.test('a transaction that is repeated runs the hooks of its last attempt', async (t) => {
    let attempts = 0
    await withTransaction(orm.em.fork(), async (em) => {
      await tickets.create(em, { name: `attempt ${++attempts}` } as any)
      if (attempts < 3) await em.execute("do $$ begin raise exception 'again' using errcode = '40001'; end $$")
    }, { baseDelay: 1 })
    t.strictSame(seen().map(({ name }) => name), ['attempt 3'])
  })

  t.test('a statement that is repeated runs the hook once', async (t) => {
    for (const sql of [
      'create sequence attempts',
      "create function refuse() returns trigger language plpgsql as $$ begin if nextval('attempts') < 3 then " +
      "raise exception 'again' using errcode = '40P01'; end if; return new; end $$",
      'create trigger refuse before insert on ticket for each row execute function refuse()',
    ]) await orm.em.fork().execute(sql)
    await created('/tickets', { name: 'x' })
    t.strictSame(seen().map(({ name }) => name), ['x'])
    t.strictSame(await select(orm, 'select last_value::int as n from attempts'), [{ n: 3 }])
    await orm.em.fork().execute('drop trigger refuse on ticket')
  })

  t.test('previous is read by the statement that replaces it, also beside concurrent ones', async (t) => {
    const { id } = await created('/tickets', { name: 'x', status: '0' })
    const recorder = await recordStatements(orm)
    await updated(`/tickets/${id}`, { status: '1' })
    const [{ sql }, ...more] = recorder.take() as [Json]
    recorder.stop()
    t.strictSame(more, [])
    const before =
      ' from (select "e2"."status" as "status", "e2"."due" as "due", "e2"."secret" as "secret", "e2"."id" as "id" ' +
      'from "ticket" as "e2" where "e2"."id" = $2 for no key update) as "e1" where "e1"."id" = "e0"."id" and '
    t.ok(sql.includes(before), sql)
    seen()
    const statuses = Array.from({ length: 20 }, (_, index) => String(index + 2))
    await Promise.all(statuses.map((status) => updated(`/tickets/${id}`, { status })))
    const steps = new Map(seen().map(({ status, previous }) => [previous.status, status]))
    let status = '1'
    const way: string[] = []
    for (let next = steps.get(status); next !== undefined; next = steps.get(status)) way.push(status = next)
    t.strictSame(way.sort(), statuses.sort(), 'each update has replaced the value of another one')
    await Promise.all([remove(`/tickets/${id}`), patch(`/tickets/${id}`, { status: 'last' })])
    const deletion = seen().find(({ hook }) => hook === 'delete')
    t.equal(deletion.previous.status, deletion.status)
  })

  t.test('hooks get what the role of the request does not see', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, {
      orm, indexAdvice: false,
      access: {
        role: () => 'guest',
        roles: { guest: { Ticket: { hidden: ['status'] }, Job: { hidden: ['status'] } } },
      },
      resources: { '/tickets': tickets as CrudBase, '/jobs': jobs as CrudBase },
    })
    const { created, updated, remove } = writes(app)
    act = async ({ em }) => {
      const [first] = (await tickets.list(em)).items
      if (first !== undefined) t.notOk('status' in first, 'em acts for the role')
    }
    for (const path of ['/tickets', '/jobs']) {
      const record = await created(path, { name: 'x' })
      t.notOk('status' in record, 'the role does not see it')
      t.match(seen(), [{ hook: 'create', name: 'x', status: 'open' }])
      t.notOk('status' in await updated(`${path}/${record.id}`, { name: 'y' }))
      t.match(seen(), [{ hook: 'update', name: 'y', status: 'open', previous: { status: 'open' } }])
      await remove(`${path}/${record.id}`)
      t.match(seen(), [{ hook: 'delete', name: 'y', status: 'open', previous: { status: 'open' } }])
    }
  })

  t.test('a server that closes waits for hooks', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm, indexAdvice: false, resources: { '/tickets': tickets as CrudBase } })
    await app.ready()
    const { promise, resolve } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    act = async () => {
      begun.resolve()
      await promise
    }
    const writing = withTransaction(orm.em.fork(), (em) => tickets.create(em, { name: 'x' } as any))
    await begun.promise
    let isClosed = false
    const closing = app.close().then(() => {
      isClosed = true
    })
    await orm.em.fork().execute('select 1')
    t.equal(isClosed, false)
    resolve()
    await Promise.all([closing, writing])
    t.equal(seen().length, 1)
  })

  t.test('a failing hook is logged, with the operation and the key, and changes nothing', async (t) => {
    const lines: Json[] = []
    const app = newServer(t, {
      logger: { level: 'error', stream: { write: (line: string) => lines.push(JSON.parse(line)) } },
    })
    await app.register(crudKit, {
      orm, indexAdvice: false, resources: { '/tickets': { crud: tickets, operations: ['create', 'createMany'] } },
    })
    act = (_, { name }) => {
      if (name === 'bad') throw new Error('the receiver is down')
    }
    const response = await writes(app).post('/tickets', [{ name: 'bad' }, { name: 'good' }])
    t.equal(response.statusCode, 201)
    t.strictSame(seen().map(({ name }) => name), ['good'], 'the next one runs')
    const [{ id }] = bodyOf(response)
    t.match(lines, [{
      err: { message: 'the receiver is down' }, operation: 'createMany', key: id,
      msg: 'Recording.afterCreate has failed. The write before it is done.',
    }])
    t.type(lines[0].reqId, 'string')
    await tickets.create(app.orm.em.fork(), { name: 'bad' } as any)
    t.match(lines[1], { operation: 'create', err: { message: 'the receiver is down' }, reqId: undefined })
  })

  t.test('without a log, a failing hook is a warning of the process', async (t) => {
    const { promise, resolve } = Promise.withResolvers<Json>()
    process.once('warning', resolve)
    act = () => {
      throw new Error('the receiver is down')
    }
    const record = await tickets.create(orm.em.fork(), { name: 'bad' } as any)
    t.match(await promise, {
      code: 'FST_CRUD_AFTER_HOOK',
      message: `Recording.afterCreate has failed. The write before it is done. Operation: create. Key: ${record.id}.`,
      detail: /the receiver is down/,
    })
  })

  t.test('a hook gets the request and the context, and an em outside of the transaction', async (t) => {
    const found: Json[] = []
    act = async (context) => {
      const { request, em } = context
      found.push([request?.method, em.isInTransaction(), await tickets.count(em) > 0, context['tenant']])
    }
    await created('/tickets-in-transaction', { name: 'x' })
    await created('/tickets', { name: 'x' })
    await withTransaction(orm.em.fork(), (em) => tickets.create(em, { name: 'x' } as any, { context: { tenant: 5 } }))
    t.strictSame(found, [['POST', false, true, undefined], ['POST', false, true, undefined], [
      undefined, false, true, 5,
    ]])
  })
})
