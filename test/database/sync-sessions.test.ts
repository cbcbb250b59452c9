/** Sessions that return values: the values to which an EntityManager's methods resolve. */
import { p } from '@mikro-orm/core'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import t, { type Test } from 'tap'
import { conditionOfFiltersNow } from '../../src/borrowed/mikro-orm-filters.ts'
import {
  AllowedFilters, BaseModel, ConflictError, CrudBase, DatabaseFactory, parseQueryParams, primaryKey,
  ReadOnlyViolationError, UnavailableError, type AfterContext, type CrudContext, type QueryMessage, type SyncSession,
} from '../../src/index.ts'
import { createDatabase, pgliteUrl, skipReasons } from '../helpers/databases.ts'
import { resource } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const Author = entity('Author', { name: p.string().unique() }, { extends: BaseModel })
const Note = entity('Note', {
  ...primaryKey, version: p.integer().version(), title: p.string().length(20), size: p.bigint('bigint').nullable(),
  scan: p.blob().nullable(), author: () => p.manyToOne(Author).nullable(), labels: () => p.manyToMany(Label),
  pages: () => p.oneToMany(Page).mappedBy('note'), remarks: () => p.oneToMany(Remark).mappedBy('note'),
})
/** Owned by a note. */
const Page = entity('Page', {
  ...primaryKey, note: () => p.manyToOne(Note).deleteRule('cascade'), text: p.string().unique(),
})
/** Owned by a note, and written by MikroORM's unit of work. */
const Remark = entity('Remark', {
  ...primaryKey, note: () => p.manyToOne(Note).deleteRule('cascade'), text: p.string(),
}, { hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}], beforeDelete: [() => {}] } })
const Label = entity('Label', { ...primaryKey, name: p.string(), tenant: p.integer().nullable() })
const Draft = entity('Draft', { ...primaryKey, text: p.string() }, { hooks: { beforeCreate: [() => {}] } })
const entities = [Author, Note, Label, Draft, Page, Remark]

const config = {
  allowedFilters: [
    { title: ['eq', 'in'] }, 'author.name',
    AllowedFilters.custom('long', (qb: any) => qb.andWhere({ size: { $gt: 100 } })),
  ],
  allowedSorts: ['title'],
  allowedIncludes: ['author'],
}
const authors = resource(Author)
const notes = resource(Note, config)
const labels = resource(Label)
const family: any = new CrudBase({ model: Note, writable: ['title', { pages: ['text'], remarks: ['text'] }] } as never)
const drafts = resource(Draft)

const refused = (message: RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })
const failed = (statusCode: number) => ({ statusCode }) as never

const urls: ReadonlyArray<readonly [name: string, skip: string | false, open: (t: Test) => Promise<string>]> = [
  ['pglite', skipReasons.pglite, async (t) => pgliteUrl(t)],
  ['postgres', skipReasons.postgres, async (t) => {
    const { url, drop } = await createDatabase()
    t.teardown(drop)
    return url
  }],
]

for (const [name, skip, open] of urls) {
  t.test(name, { skip }, async (t) => {
    const databaseUrl = await open(t)
    const factory = new DatabaseFactory({ databaseUrl, entities, useAsync: false })
    const engine = factory.getEngine()
    t.teardown(() => factory.close())
    t.equal(factory.getEngine(), engine)
    const makeSession = factory.getSessionMaker(engine)
    const session = makeSession()
    session.executeScript(await engine.orm.schema.getCreateSchemaSQL())
    t.beforeEach(() =>
      session.executeScript('truncate note, author, label, draft, note_labels, page, remark restart identity')
    )

    t.test('every method returns a value', async (t) => {
      const ada = authors.create(session, { name: 'Ada' })
      t.match(ada, { id: 1, name: 'Ada', deleted_at: null })
      t.match(notes.createMany(session, [{ title: 'b', author: 1, size: '200' }, { title: 'a', scan: 'AAH/' }]), [{
        id: 1, author: 1, size: '200', version: 1,
      }, { id: 2, scan: 'AAH/' }])
      t.match(notes.list(session, parseQueryParams('sort=title&include=author')), {
        items: [{ title: 'a', author: null }, { title: 'b', author: { name: 'Ada' } }], total: 2, page: 1,
      })
      t.match(JSON.parse(notes.listJson(session, parseQueryParams('filter[author.name]=Ada'))), {
        items: [{ id: 1 }],
        total: 1,
      })
      t.match(notes.list(session, parseQueryParams('filter[long]=1')).items, [{ id: 1 }])
      t.match(notes.get(session, 1, parseQueryParams('include=author')), { id: 1, author: { name: 'Ada' } })
      t.equal(notes.get(session, 9), null)
      t.equal(notes.getJson(session, 9), null)
      t.match(JSON.parse(notes.getJson(session, 2)!), { id: 2, title: 'a' })
      t.match(notes.get(session, 2), { version: 1 })
      t.strictSame([
        notes.count(session), notes.count(session, parseQueryParams('filter[title]=a')), notes.exists(session, 1),
        notes.exists(session, 9),
      ], [2, 1, true, false])
      t.match(notes.update(session, 2, { title: 'c' }, { ifMatch: '"1"' }), { id: 2, title: 'c', version: 2 })
      t.match(authors.delete(session, ada['uuid']), { id: 1, deleted_at: /Z$/ })
      t.equal(authors.list(session).total, 0)
      t.match(authors.restore(session, 1), { id: 1, deleted_at: null })
      t.match(notes.delete(session, 2), { id: 2 })
      t.equal(notes.list(session, undefined, { scope: { title: 'c' } }).total, 0)
      t.match(notes.list(session, undefined, { scope: { title: { $like: 'b%' } } }), { total: 1 })
      t.match(notes.create(session, { title: 'scoped' }, { scope: { author: 1 } }), { author: 1 })
      const scoped = parseQueryParams('filter[title]=scoped')
      t.strictSame(notes.updateMany(session, scoped, { size: '7' }, { dryRun: true }), { affected: 1 })
      t.strictSame(notes.updateMany(session, scoped, { size: '7' }), { affected: 1 })
      t.match(notes.list(session, scoped).items, [{ size: '7', version: 2 }])
      labels.createMany(session, [{ name: 'new' }, { name: 'newer' }])
      const linked = notes.create(session, { title: 'scoped', labels: [1] })
      t.match(notes.update(session, linked.id as number, { labels: [1, 2] }), { version: 2 })
      t.match(session.execute('select note_id, label_id from note_labels order by label_id'), [
        { note_id: linked.id, label_id: 1 }, { note_id: linked.id, label_id: 2 },
      ])
      t.strictSame(notes.updateMany(session, scoped, { labels: [] }), { affected: 2 })
      t.match(session.execute('select * from note_labels'), [])
      notes.delete(session, linked.id as number)
      t.throws(() => notes.deleteMany(session, parseQueryParams('')), { code: 'FST_CRUD_FILTER_INVALID' })
      t.strictSame(notes.deleteMany(session, scoped), { affected: 1 })
      t.strictSame(notes.deleteMany(session, scoped), { affected: 0 })
    })

    t.test('subscribers get its statements', async (t) => {
      const messages: QueryMessage[] = []
      const listen = (message: unknown) => {
        messages.push(message as QueryMessage)
      }
      subscribe('fastify-crud-kit:query', listen)
      authors.create(session, { name: 'Ada' })
      t.throws(() => authors.create(session, { name: 'Ada' }), failed(409))
      session.transaction((session) => authors.get(session, 1))
      session.execute('select 1')
      unsubscribe('fastify-crud-kit:query', listen)
      t.match(messages, [
        { operation: 'create', resource: 'author', rows: 1, duration: Number, text: /^insert|^with/ },
        { operation: 'create', rows: 0, error: { code: 'FST_CRUD_CONFLICT' } },
        { operation: 'get', rows: 1 },
      ])
      t.equal(messages.length, 3)
      t.equal(messages[0]!.shape, messages[1]!.shape)
    })

    t.test('errors equal those of an EntityManager in class, status, code, detail and cause', async (t) => {
      authors.create(session, { name: 'Ada' })
      t.throws(
        () => authors.create(session, { name: 'Ada' }),
        {
          constructor: ConflictError, statusCode: 409, code: 'FST_CRUD_CONFLICT',
          detail: "There is another record with this value of 'name'.", errors: [{ source: { pointer: '/name' } }],
          cause: { message: /duplicate key/, code: '23505' },
        } as never
      )
      t.equal(authors.count(session), 1)
      t.throws(() => notes.create(session, { title: 'x', author: 7 }), { code: 'FST_CRUD_CONFLICT' })
      t.throws(() => notes.create(session, { title: 'x'.repeat(21) }), failed(400))
      t.throws(() => notes.update(session, 1, { title: 'x' }), { statusCode: 404, code: 'FST_CRUD_NOT_FOUND' })
      t.throws(() => notes.list(session, parseQueryParams('filter[nope]=1')), {
        statusCode: 400,
        code: 'FST_CRUD_FILTER_INVALID',
      })
      t.throws(() => notes.create(session, { title: 'x' }, { scope: { title: { $like: 'y%' } } }), failed(403))
      t.equal(notes.count(session), 0, 'what lay outside of the scope was undone')
      notes.create(session, { title: 'x' })
      t.throws(() => notes.update(session, 2, { title: 'y' }, { ifMatch: '"9"' }), failed(412))
      t.throws(() => session.execute('select 1 / $1::int', [0]),
        { code: 'FST_CRUD_DATABASE_ERROR', cause: { code: '22012' } } as never)
      t.throws(() => session.execute('selec'), { code: 'FST_CRUD_DATABASE_ERROR', cause: { code: '42601' } } as never)
      t.equal(notes.count(session), 1, 'the session goes on')
    })

    t.test('a write may change nothing, and a version or a mark decides', async (t) => {
      authors.create(session, { name: 'Ada' })
      notes.create(session, { title: 'a', author: 1 })
      authors.delete(session, 1)
      t.match(notes.update(session, 1, { title: 'b', author: 1 }), { version: 2 }, 'no change is looked for')
      t.match(notes.update(session, 1, {}), { title: 'b', version: 2 }, 'nothing is changed')
      t.match(notes.update(session, 1, { title: 'c' }, { values: { size: 7n } }), { size: '7' })
      t.throws(() => notes.delete(session, 1, { ifMatch: '"1"' }), failed(412))
      t.throws(() => notes.update(session, '1'.repeat(20), { title: 'x' }), failed(404))
      t.throws(() => notes.restore(session, 1), refused(/has no 'deleted_at'/))
      t.match(authors.restore(session, 1), { deleted_at: null })
      t.match(authors.restore(session, 1), { name: 'Ada', deleted_at: null }, 'a live row stays unchanged')
      t.match(authors.delete(session, 1, { hard: true }), { name: 'Ada' })
      t.equal(authors.exists(session, 1, { includeDeleted: true }), false)
      t.strictSame(notes.createMany(session, []), [])
    })

    t.test('hand-written SQL takes values of every kind', async (t) => {
      const at = new Date('2024-05-06T07:08:09.123Z')
      const [row] = session.execute<Record<string, any>>(
        'select $1::text as text, $2::bigint::text as big, $3::bytea as bytes, $4::jsonb as json, ' +
          '$5::int[] as list, $6::timestamptz = $7::timestamptz as same, $8::text as nothing, ' +
          'length($3::bytea) as length',
        ['é', 2n ** 60n, Buffer.from([0, 255]), { a: [1] }, [1, 2], at, at.toISOString(), null]
      )
      t.match(row, { text: 'é', big: String(2n ** 60n), same: true, nothing: null, length: 2 })
      t.strictSame([...row!['bytes']], [0, 255])
      t.strictSame(typeof row!['json'] === 'string' ? JSON.parse(row!['json']) : row!['json'], { a: [1] })
      t.throws(() => session.execute('select $1::int', [() => 1]), refused(/can't be given this/))
    })

    t.test('a transaction is committed, or undone by an error, and nested ones are savepoints', async (t) => {
      const result = session.transaction((session) => {
        authors.create(session, { name: 'Ada' })
        t.throws(() =>
          session.transaction((session) => {
            authors.create(session, { name: 'Bob' })
            session.transaction((session) => authors.create(session, { name: 'Cleo' }))
            throw new Error('no')
          }), { message: 'no' })
        return 7
      })
      t.equal(result, 7)
      t.equal(authors.count(session), 1)
      t.throws(
        () =>
          session.transaction((session) => {
            authors.create(session, { name: 'Eve' })
            t.throws(() => authors.create(session, { name: 'Ada' }), failed(409))
          }),
        failed(409),
        'an error of the database ends it, caught or not'
      )
      t.equal(authors.count(session), 1)

      session.transaction((session) => {
        t.throws(
          () => session.transaction((session) => authors.createMany(session, [{ name: 'Bob' }, { name: 'Ada' }])),
          failed(409)
        )
        authors.createMany(session, [{ name: 'Cleo' }])
      })
      t.strictSame(authors.list(session).items.map(({ name }) => name), ['Ada', 'Cleo'])
      t.throws(() =>
        session.transaction((session) => {
          authors.create(session, { name: 'Dan' })
          throw new TypeError('mine')
        }), new TypeError('mine'))
      t.equal(authors.count(session), 2)
    })

    t.test('a read-only server is unavailable, and a declared read-only is a mistake', async (t) => {
      const readOnlyServer = {
        constructor: UnavailableError, code: 'FST_CRUD_UNAVAILABLE', message: new UnavailableError().message,
        cause: { code: '25006' },
      } as never
      const declared = { constructor: ReadOnlyViolationError, code: 'FST_CRUD_READ_ONLY' } as never
      const write = (session: SyncSession) => authors.create(session, { name: 'Ada' })
      for (const fail of [
        write,
        (session: SyncSession) => session.executeScript("insert into label (name) values ('x')"),
        (session: SyncSession) => session.transaction(write),
        (session: SyncSession) => session.transaction((session) => session.transaction(write)),
        (session: SyncSession) =>
          session.transaction((session) => {
            t.throws(() => write(session), readOnlyServer)
          }),
      ]) {
        session.execute('set session characteristics as transaction read only')
        t.throws(() => fail(session), readOnlyServer)
        // PGlite has no other connection
        if (name === 'pglite') session.execute('set session characteristics as transaction read write')
      }
      t.throws(() =>
        session.transaction((session) => {
          session.execute('set transaction read only')
          session.transaction(write)
        }), declared)
      t.equal(authors.count(session), 0)
      write(session)
    })

    t.test('inside a transaction, its own session must be used', async (t) => {
      let inner: SyncSession
      session.transaction((own) => {
        inner = own
        t.throws(() => authors.list(session), refused(/use the session that its callback was given/))
        t.throws(() => authors.list(makeSession()), refused(/use the session that its callback was given/))
        t.throws(() => makeSession().transaction(() => {}), refused(/use the session that its callback was given/))
        t.equal(authors.count(own), 0)
      })
      t.throws(() => authors.list(inner), refused(/is over/))
      t.equal(authors.count(session), 0)
    })

    t.test('an async callback is undone and refused', async (t) => {
      t.throws(() =>
        session.transaction(async (session) => {
          authors.create(session, { name: 'Ada' })
        }), refused(/must not be async/))
      t.throws(() =>
        session.transaction(async () => {
          throw new Error('nobody hears of it')
        }), refused(/must not be async/))
      t.equal(authors.count(session), 0)
    })

    t.test('wrong arguments throw errors', async (t) => {
      t.throws(() => authors.list(session, 'name=Ada' as any), refused(/takes query parameters as 'params'/))
      t.throws(() => authors.count(session, undefined, { scop: {} } as any), refused(/Did you mean 'scope'\?/))
      t.throws(() => authors.list(engine as any),
        refused(/takes a session first: database\.getSessionMaker\(engine\)\(\); it got a SyncEngine\./))
      await t.rejects(async () => await authors.query(session as any, 'name=Ada' as any),
        refused(/takes query parameters/))
    })

    t.test('the EntityManager of a session is refused where the session itself is meant', async (t) => {
      const calls: Readonly<Record<string, (given: any) => unknown>> = {
        list: (given) => notes.list(given),
        get: (given) => notes.get(given, 1),
        count: (given) => notes.count(given),
        create: (given) => notes.create(given, { title: 'x' }),
        update: (given) => notes.update(given, 1, { title: 'x' }),
        delete: (given) => notes.delete(given, 1),
        query: (given) => notes.query(given),
      }
      for (const [method, call] of Object.entries(calls)) {
        for (const em of [session.em, session.em.fork()]) {
          t.throws(() => call(em), {
            code: 'FST_CRUD_CONFIG_INVALID',
            message:
              `CrudBase.${method} takes a synchronous session first; it got the session's EntityManager, which ` +
              'has no connection: pass the session itself, which is context.session in a hook.',
          }, method)
        }
      }
    })

    t.test('hooks get the session, and hooks that return promises are refused by name', async (t) => {
      const seen: CrudContext[] = []
      class Hooked extends CrudBase {
        override beforeCreate (data: any, context: CrudContext) {
          seen.push(context)
          return { ...data, title: data.title.toUpperCase() }
        }

        override afterRead (record: any) {
          return { ...record, read: true }
        }
      }
      const hooked = new Hooked({ model: Note, writable: 'all' })
      t.match(hooked.createMany(session, [{ title: 'a' }, { title: 'b' }], { context: { who: 'me' } }), [{
        title: 'A',
        read: true,
      }, { title: 'B', read: true }])
      t.equal(seen[0]?.session, session)
      t.equal(seen[0]?.['who'], 'me')
      t.match(hooked.list(session), { items: [{ read: true }, { read: true }], total: 2 })
      await t.rejects(seen[0]!.em.find(Note, {}), { message: /has no connection: use the methods of CrudBase/ })

      for (const hook of ['beforeCreate', 'beforeUpdate', 'beforeDelete', 'afterRead'] as const) {
        const crud = new (class extends CrudBase<any> {})({ model: Note, writable: 'all' })
        crud[hook] = (async () => {
          throw new Error('nobody hears of it')
        }) as never
        const use = {
          beforeCreate: () => crud.create(session, { title: 'x' }),
          beforeUpdate: () => crud.update(session, 1, { title: 'x' }),
          beforeDelete: () => crud.delete(session, 1),
          afterRead: () => crud.list(session),
        }[hook]
        t.throws(use, refused(new RegExp(`^${hook} returned a promise`)))
      }
      t.equal(notes.count(session), 2)
    })

    t.test('after hooks run once the transaction is committed', (t) => {
      const seen: string[] = []
      class Hooked extends CrudBase {
        override afterCreate ({ title }: any, { session: own }: AfterContext) {
          own!.execute('select 1')
          seen.push(title)
        }

        override async afterUpdate () {}

        override afterDelete ({ title }: any, { previous }: AfterContext) {
          seen.push(`${title} was ${previous!['title']}`)
        }
      }
      const hooked = new Hooked({ model: Note, writable: 'all', previous: ['title'] })
      const { id } = hooked.create(session, { title: 'a' })
      t.strictSame(seen.splice(0), ['a'])
      session.transaction((session) => {
        hooked.create(session, { title: 'b' })
        t.throws(() =>
          session.transaction((session) => {
            hooked.create(session, { title: 'c' })
            session.transaction((session) => hooked.create(session, { title: 'd' }))
            throw new Error('no')
          })
        )
        session.transaction((session) => hooked.create(session, { title: 'e' }))
        t.strictSame(seen, [])
      })
      t.strictSame(seen.splice(0), ['b', 'e'])
      t.throws(() =>
        session.transaction((session) => {
          hooked.create(session, { title: 'f' })
          throw new Error('no')
        })
      )
      session.transaction((session) => session.execute('select 1'))
      t.strictSame(seen, [])
      hooked.delete(session, id)
      t.strictSame(seen, ['a was a'])
      const warning = new Promise<any>((resolve) => process.once('warning', resolve))
      t.equal(hooked.update(session, hooked.create(session, { title: 'g' }).id, { title: 'h' }).title, 'h',
        'it is done')
      session.execute("delete from note where title in ('b', 'e', 'h')")
      return warning.then(({ detail }) => t.match(detail, /afterUpdate returned a promise/))
    })

    t.test("writes that need MikroORM's unit of work are refused before anything is written", async (t) => {
      t.throws(
        () => drafts.create(session, { text: 'x' }),
        refused(
          /^To create Draft takes MikroORM's unit of work, because of its lifecycle hooks or a subscriber, .*without useAsync: false/
        )
      )
      t.equal(drafts.count(session), 0)
      await t.rejects(async () => await notes.query(session as never),
        refused(/^query\(\) makes a query that MikroORM runs, /))
      await t.rejects(async () => await notes.stream(session as never).next(),
        refused(/^stream\(\) waits for one batch after the other, /))
    })

    t.test('owned children are written with their parent, and nothing is half written', async (t) => {
      const pages = () => session.execute('select id, text from page order by id')
      t.match(family.create(session, { title: 'a', pages: [{ text: '1' }, { text: '2' }] }), {
        id: 1, version: 1, pages: [{ id: 1, text: '1', note: 1 }, { id: 2, text: '2', note: 1 }],
      })
      const changed = family.update(session, 1, {
        pages: { add: [{ text: '3' }], update: [{ id: 1, text: 'one' }], remove: [2] },
      }, { ifMatch: '"1"' })
      t.match(changed, { version: 2, pages: [{ id: 3, text: '3' }, { id: 1, text: 'one' }] })
      t.strictSame(pages(), [{ id: 1, text: 'one' }, { id: 3, text: '3' }])
      for (const [data, error] of [
        [{ pages: { add: [{ text: '4' }], remove: [2] } }, { code: 'FST_CRUD_CONFLICT' }],
        [{ pages: { update: [{ id: 1, text: '3' }] } }, { code: 'FST_CRUD_CONFLICT' }],
        [{ pages: { add: [{ text: '4' }] }, remarks: { add: [{ text: 'r' }] } },
          refused(/^To create Remark takes MikroORM's unit of work, .*without useAsync: false/)],
      ] as const) t.throws(() => family.update(session, 1, { title: 'b', ...data }), error)
      t.throws(() => family.create(session, { title: 'b', remarks: [{ text: 'r' }] }), refused(/To create Remark/))
      t.strictSame(pages(), [{ id: 1, text: 'one' }, { id: 3, text: '3' }])
      t.match(notes.list(session).items, [{ title: 'a', version: 2 }])
      t.throws(() =>
        session.transaction((inner) => {
          family.update(inner, 1, { pages: { remove: [1, 3] } })
          throw new Error('changed my mind')
        }), /changed my mind/)
      t.equal(pages().length, 2)
    })

    t.test("MikroORM's filters apply, including those added to a session", async (t) => {
      labels.createMany(session, [{ name: 'a', tenant: 1 }, { name: 'b', tenant: 2 }, { name: 'c' }])
      const own = makeSession()
      own.em.addFilter({ name: 'tenant', entity: [Label], cond: ({ tenant }: any) => ({ tenant }) })
      t.throws(() => labels.list(own), {
        code: 'FST_CRUD_DATABASE_ERROR',
        cause: { message: /No arguments provided for filter 'tenant'/ },
      })
      own.em.setFilterParams('tenant', { tenant: 2 })
      t.match(labels.list(own), { items: [{ name: 'b' }], total: 1 })
      own.em.addFilter({ name: 'named', entity: [Label], cond: { name: { $ne: 'b' } } })
      t.equal(labels.count(own), 0)
      t.equal(notes.count(own), 0)
      t.equal(own.transaction((inner) => labels.count(inner)), 0)
      t.equal(labels.count(session), 3, 'other sessions have their own')
      for (const type of ['read', 'update'] as const) {
        t.strictSame(conditionOfFiltersNow(own.em, Label, type, {}),
          await own.em.applyFilters(Label as never, undefined as never, {}, type))
      }
      own.em.addFilter({
        name: 'late',
        cond: async () => {
          throw new Error('nobody waits for this')
        },
      })
      t.throws(() => labels.list(own), refused(/The filter 'late' of Label returns a promise/))
    })

    t.test('a closed session stays closed, and the factory opens a new one', async (t) => {
      const other = new DatabaseFactory({ databaseUrl, entities, useAsync: false })
      if (name === 'pglite') {
        t.throws(() => other.getEngine(), refused(/is already open, in this process or in another one/))
      }
      factory.close()
      factory.close()
      t.throws(() => authors.list(session), refused(/is closed/))
      t.equal(authors.count(other.getSessionMaker(other.getEngine())()), 0)
      other.close()
    })
  })
}
