/** Scopes that are not certainly a condition: nothing is read or written, and the log says why. */
import { p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { AllowedInclude, CrudBase, parseQueryParams, primaryKey, ScopeError, softDelete } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { keptLog } from '../helpers/log.ts'
import { recordStatements } from '../helpers/statements.ts'
import { bodyOf, client, resource, select, serve, whitelist, writes } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Ledger = entity('Ledger', {
  ...primaryKey, ...softDelete, title: p.string(), secretTenant: p.integer().hidden(), opened: p.datetime(3).nullable(),
  closed: p.datetime(3).onCreate(() => new Date(0)).hidden(), entries: () => p.oneToMany(Entry).mappedBy('ledger'),
})
const Entry = entity('Entry', { ...primaryKey, text: p.string(), ledger: () => p.manyToOne(Ledger) })

const opened = new Date('2024-05-06T07:08:09.123Z')
const SENTENCE = 'The server could not tell which records this request may use.'
const ANSWER = {
  statusCode: 500, code: 'FST_CRUD_SCOPE_INVALID', error: 'Internal Server Error', message: SENTENCE, detail: SENTENCE,
  errors: [{ code: 'FST_CRUD_SCOPE_INVALID', detail: SENTENCE }],
}

class Guarded extends CrudBase<any> {
  deletions = 0
  creations = 0
  override beforeDelete (): void {
    this.deletions++
  }

  override beforeCreate (data: any): any {
    this.creations++
    return data
  }
}

/** Scopes that an application may return by mistake, and their log messages. */
const ODD: ReadonlyArray<readonly [scope: unknown, log: RegExp]> = [
  [undefined, /it is undefined/],
  [null, /it is null/],
  ['secretTenant = 5', /it is a string/],
  [[], /it is an array/],
  [new Map([['secretTenant', 5]]), /it is of the class Map/],
  [new Date(), /it is of the class Date/],
  [{ secretTenant: undefined }, /secretTenant: it is undefined/],
  [{ secretTenant: {} }, /secretTenant: an empty object is not a condition/],
  [{ secretTenant: NaN }, /secretTenant: it is NaN/],
  [{ secretTenant: new Map() }, /secretTenant: it is of the class Map/],
  [{ secretTenant: [1, undefined] }, /secretTenant\[1\]: it is undefined/],
  [{ secretTenant: { $in: undefined } }, /secretTenant\.\$in: \$in takes a list/],
  [{ secretTenant: { $foo: 5 } }, /there is no operator \$foo/],
  [{ secretTenat: 5 }, /Ledger has no property 'secretTenat'. Did you mean 'secretTenant'\?/],
  [{ $or: [{ secretTenant: 5 }, {}] }, /one of its conditions is empty/],
  [{ $and: [] }, /would hold for all rows/],
  [{ entries: {} }, /entries: it contains no condition/],
  [{ entries: { text: undefined } }, /entries\.text: it is undefined/],
  [{ opened: new Date(NaN) }, /opened: it is an invalid date/],
  [() => ({}), /it is a function/],
]

/** Scopes with a value that no row can have, and their log messages. */
const IMPOSSIBLE: ReadonlyArray<readonly [scope: unknown, log: RegExp]> = [
  [{ secretTenant: 'five' }, /secretTenant: it is 'five', but its column takes an integer/],
  [{ secretTenant: null }, /secretTenant: it is null, which its column cannot hold/],
  [{ opened: { $gt: 5 } }, /opened: it is 5, but its column takes a Date, or an ISO 8601 date and time/],
  [{ secretTenant: { $ne: Buffer.from('5') } }, /secretTenant: it is an instance of Buffer, but its column takes an i/],
  [{ $or: [{ id: 5 }, { secretTenant: [5, new Uint8Array(1)] }] }, /secretTenant: it is an instance of Uint8Array, but/],
]

type Request = readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: any, headers?: any]

const send = (app: FastifyInstance, [method, url, payload, headers = {}]: Request) =>
  app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
const name = ([method, url, , headers]: Request): string => [method, url, JSON.stringify(headers)].join(' ')

await forOneDatabase(t, {
  entities: [Ledger, Entry],
  async seed (em) {
    for (const secretTenant of [5, 6]) {
      em.create(Ledger, { title: `of ${secretTenant}`, secretTenant, opened, closed: opened })
    }
    await em.flush()
  },
}, async (t, { orm }) => {
  const crud = new Guarded({
    model: Ledger, writable: 'all', queryConfig: whitelist({ allowedFilters: ['title'], allowedIncludes: ['entries'] }),
  })
  /** A server with one scope, its log, and requests for each of its routes. */
  const server = async (scope: unknown, options: object = {}, level = 'error') => {
    const log = keptLog()
    const app = await serve(t, orm, {
      '/ledgers': {
        crud, scope: scope as never, operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'],
        allowHardDelete: true, stream: true, ...options,
      },
    }, { logger: { level, stream: log.stream } })
    return { app, log }
  }
  const REQUESTS: readonly Request[] = [
    ['GET', '/ledgers'],
    ['GET', '/ledgers?cursor='],
    ['GET', '/ledgers?include=entries&filter[title]=x'],
    ['GET', '/ledgers', undefined, { accept: 'application/x-ndjson' }],
    ['GET', '/ledgers', undefined, { accept: 'text/csv' }],
    ['GET', '/ledgers/1'],
    ['POST', '/ledgers', { title: 'new' }],
    ['POST', '/ledgers', [{ title: 'new' }, { title: 'newer' }]],
    ['PATCH', '/ledgers/1', { title: 'changed' }],
    ['PATCH', '/ledgers/1', {}],
    ['DELETE', '/ledgers/1'],
    ['DELETE', '/ledgers/1?hard=true'],
    ['POST', '/ledgers/1/restore'],
  ]
  const rows = () => select(orm, 'select * from ledger order by id')

  for (const [index, [scope, message]] of ODD.entries()) {
    t.test(`scope ${index}: ${String(message)}`, async (t) => {
      const before = await rows()
      const { app, log } = await server(index % 2 === 0 ? () => scope : async () => scope)
      const recorder = await recordStatements(orm, t)
      const [creations, deletions] = [crud.creations, crud.deletions]
      for (const request of REQUESTS) {
        const response = await send(app, request)
        t.strictSame(JSON.parse(response.body), ANSWER, name(request))
      }
      t.strictSame(recorder.take(), [], 'no statement')
      t.strictSame([crud.creations, crud.deletions], [creations, deletions], 'no hook of the resource')
      recorder.stop()
      t.strictSame(await rows(), before)
      const { lines } = log
      t.equal(lines.length, REQUESTS.length)
      for (const { err } of lines) {
        t.match(err.message, message)
        t.match(err.message, /The scope of Ledger is not certainly a condition/)
      }
    })
  }

  t.test('methods refuse the same scopes, and an undefined scope', async (t) => {
    for (const [scope] of ODD) {
      const options = { scope } as never
      const em = (): EntityManager => orm.em.fork()
      const calls: Record<string, () => Promise<unknown>> = {
        list: () => crud.list(em(), undefined, options),
        get: () => crud.get(em(), 1, undefined, options),
        count: () => crud.count(em(), undefined, options),
        exists: () => crud.exists(em(), 1, options),
        query: () => crud.query(em(), undefined, options),
        stream: () => crud.stream(em(), undefined, options).next(),
        create: () => crud.create(em(), { title: 'x' }, options),
        createMany: () => crud.createMany(em(), [{ title: 'x' }], options),
        update: () => crud.update(em(), 1, { title: 'x' }, options),
        delete: () => crud.delete(em(), 1, options),
        restore: () => crud.restore(em(), 1, options),
      }
      for (const [name, call] of Object.entries(calls)) {
        const error = await call().then(() => undefined, (error) => error)
        t.ok(error instanceof ScopeError, `${name}: ${String(error)}`)
        t.notMatch(`${error?.message} ${JSON.stringify(error?.errors)}`, /tenant|Ledger/i)
      }
    }
    t.equal((await rows()).length, 2)
  })

  t.test("an application's own methods are not called with an invalid scope", async (t) => {
    const called: string[] = []
    const own = resource(Ledger)
    for (const method of ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore', 'streamJson']) {
      Object.defineProperty(own, method, {
        value: () => {
          called.push(method)
          throw new Error(`${method} was called`)
        },
      })
    }
    for (const [scope] of ODD) {
      const { app } = await server(() => scope, { crud: own })
      for (const request of REQUESTS.filter(([, url]) => !url.includes('include='))) {
        const { body } = await send(app, request)
        t.strictSame(JSON.parse(body), ANSWER, name(request))
      }
    }
    t.strictSame(called, [])
    const { app } = await server(() => ({ secretTenant: 5 }), { crud: own })
    await app.inject('/ledgers')
    t.strictSame(called, ['list'], 'they are with one that is a condition')
  })

  t.test('an error thrown by a scope keeps its status', async (t) => {
    const forbidden = Object.assign(new Error('Ask for access first.'), { statusCode: 403 })
    const refuse = () => {
      throw forbidden
    }
    for (const scope of [refuse, async () => refuse()]) {
      const { app } = await server(scope)
      for (const request of REQUESTS) {
        const { statusCode, body } = await send(app, request)
        t.strictSame([statusCode, JSON.parse(body).message], [403, 'Ask for access first.'], name(request))
      }
    }
  })

  t.test('a date in a scope works the same for creates and reads', async (t) => {
    const { app } = await server(() => ({ opened, secretTenant: '5' }))
    const { created, check } = writes(app)
    const { id, ...record } = await created('/ledgers', { title: 'dated' })
    t.equal(record.opened, opened.toISOString())
    t.strictSame(await client(app, '/ledgers').all('title'), ['of 5', 'dated'])
    await check(t, [
      ['POST /ledgers', { title: 'late', opened: '2024-05-06T07:08:09.124Z' }, 403],
      [`PATCH /ledgers/${id}`, { opened: null }, 403],
    ])
    await orm.em.getConnection().execute("delete from ledger where title = 'dated'")
  })

  t.test('an entity in a scope works like its key', async (t) => {
    const ledger = await orm.em.fork().findOneOrFail(Ledger, 1)
    const app = await serve(t, orm, { '/entries': { crud: resource(Entry), scope: () => ({ ledger }) } })
    await writes(app).check(t, [
      ['POST /entries', { text: 'x' }, { ledger: 1 }],
      ['GET /entries', { total: 1 }],
      ['POST /entries', { text: 'x', ledger: 2 }, 403],
    ])
    await orm.em.getConnection().execute('delete from entry')
  })

  t.test('no record is inside a scope whose value no row can have', async (t) => {
    for (const [scope, message] of IMPOSSIBLE) {
      const { app, log } = await server(() => scope, {}, 'info')
      for (const request of REQUESTS) {
        const response = await send(app, request)
        const { statusCode, code } = bodyOf(response)
        t.match({ statusCode, code }, { statusCode: 403, code: 'FST_CRUD_OUT_OF_SCOPE' }, name(request))
        t.notMatch(response.body, /tenant|Ledger|opened|five/i)
      }
      t.match(log.text, message)
    }
    t.equal(await orm.em.fork().count(Ledger), 2)
  })

  t.test('conditions of MikroORM filters pass the same check', async (t) => {
    const em = (cond: unknown): EntityManager => {
      const fork = orm.em.fork()
      fork.addFilter({ name: 'odd', entity: Ledger as never, cond: cond as never, args: false })
      return fork
    }
    for (const cond of [
      { secretTenant: {} }, { secretTenant: { $foo: 1 } }, { secretTenat: 5 }, { $or: [{ secretTenant: 5 }, {}] },
      { $and: [{ entries: {} }] }, () => ({ secretTenant: NaN }),
    ]) {
      for (const call of [
        () => crud.list(em(cond)), () => crud.query(em(cond)), () => crud.update(em(cond), 1, { title: 'x' }),
        () => crud.delete(em(cond), 1), () => resource(Entry).create(em(cond), { text: 'x', ledger: 1 }),
      ]) {
        const error = await call().then(() => undefined, (error) => error)
        t.ok(error instanceof ScopeError, String(error))
        t.match(error?.cause.message, /^A MikroORM filter of Ledger is not certainly a condition/)
      }
    }
    t.equal((await crud.list(em({ data: 1 })).then(() => undefined, (error) => error)).message, SENTENCE)
    t.equal((await crud.list(em({ $and: [{ secretTenant: 5 }, {}] }), parseQueryParams(''))).items.length, 1)
  })
})

t.test('a scope is read once for each request', async (t) => {
  await forOneDatabase(t, { entities: [Ledger, Entry] }, async (t, { orm }) => {
    for (const id of [1, 2, 3]) {
      await orm.em.getConnection().execute(
        `insert into ledger (id, title, secret_tenant, closed) values (${id}, 'ledger ${id}', 5, now())`
      )
    }
    await orm.em.getConnection().execute("select setval('ledger_id_seq', 3)")
    let reads = 0
    const scope = (more: object) => () => ({
      get secretTenant () {
        reads++
        return 5
      },
      ...more,
    })
    const routes = (more: object) => ({
      crud: resource(Ledger),
      operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const, scope: scope(more),
      stream: true,
    })
    const app = await serve(t, orm, { '/plain': routes({}), '/compiled': routes({ title: { $like: 'l%' } }) })
    for (const prefix of ['/plain', '/compiled']) {
      for (const [method, url, ...rest] of [
        ['GET', '/'],
        ['GET', '/?cursor=&per_page=2'],
        ['GET', '/', undefined, { accept: 'application/x-ndjson' }],
        ['GET', '/1'],
        ['GET', '/99'],
        ['POST', '/', { title: 'ledger 4' }],
        ['POST', '/', [{ title: 'ledger 5' }, { title: 'ledger 6' }]],
        ['PATCH', '/1', { title: 'ledger 1' }],
        ['PATCH', '/1', {}],
        ['PATCH', '/99', { title: 'ledger 99' }],
        ['DELETE', '/1'],
        ['POST', '/1/restore'],
      ] as readonly Request[]) {
        reads = 0
        const { statusCode, body } = await send(app, [method, `${prefix}${url}`, ...rest])
        t.equal(statusCode < 300, !url.includes('99'), body)
        t.equal(reads, 1, `${prefix}${url}`)
      }
    }
  })
})

t.test('conditions that are the same for all requests are checked at start-up', async (t) => {
  const { MikroORM } = await import('@mikro-orm/postgresql')
  const bind = (cond: unknown, where: unknown = { text: 'x' }, include: unknown = { text: 'x' }): void => {
    const Book = entity('Book', {
      ...primaryKey, tenant: p.integer(), pages: () => p.oneToMany(Page).mappedBy('book').where(where as never),
    }, { filters: { own: { name: 'own', cond: cond as never, default: false } } })
    const Page = entity('Page', { ...primaryKey, text: p.string(), book: () => p.manyToOne(Book) })
    const orm = new MikroORM({ entities: [Book, Page], dbName: 'none' })
    new CrudBase<any>({
      model: Book,
      queryConfig: whitelist({ allowedIncludes: [new AllowedInclude('pages', { where: include as never })] }),
    }).bind(orm.em.fork())
  }
  bind({ tenant: 5 })
  bind(() => undefined)
  for (const [args, message] of [
    [
      [{ tenant: undefined }],
      "The MikroORM filter 'own' is not certainly a condition on Book: tenant: it is undefined, " +
      'which is neither a value nor null.',
    ],
    [
      [{ tenat: 5 }],
      "The MikroORM filter 'own' is not certainly a condition on Book: tenat: Book has no property 'tenat'. " +
      "Did you mean 'tenant'?",
    ],
    [
      [{ tenant: 5 }, { text: {} }],
      "The 'where' of the relation 'pages' is not certainly a condition on Page: text: " +
      'an empty object is not a condition.',
    ],
    [
      [{ tenant: 5 }, undefined, { text: { $like: undefined } }],
      "allowedIncludes, 'pages': its 'where' is not certainly a condition on Page: text.$like: it is undefined, " +
      'which is neither a value nor null.',
    ],
  ] as const) t.throws(() => bind(...args as unknown as [unknown]), { code: 'FST_CRUD_CONFIG_INVALID', message })
})
