/** Writes with the header Idempotency-Key: a repeated request gets the answer of the first one and changes nothing. */
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import fs from 'node:fs'
import t from 'tap'
import {
  AllowedFilters, BaseModel, ConfigError, CrudBase, crudKit, IdempotencyRecord, type CrudKitOptions,
} from '../../../src/index.ts'
import { forEachDatabase, forOneDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { newServer } from '../../helpers/server.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { countOf, select, verdict } from '../helper.ts'

const Ticket = defineEntity({
  name: 'Ticket', tableName: 'ticket', extends: BaseModel,
  properties: {
    title: p.string(),
    slug: p.string().nullable().unique(),
    tenant: p.integer().default(0),
    details: p.json<any>().nullable(),
    version: p.integer().version(),
  },
})

const MISMATCH = '422 FST_CRUD_IDEMPOTENCY_MISMATCH'

const OPERATIONS = [
  'list', 'get', 'create', 'createMany', 'upsert', 'update', 'delete', 'restore', 'updateMany', 'deleteMany',
] as const

/** The calls of a resource's hooks, and what they do beside. */
const heard = {
  calls: 0,
  /** After hooks that ran before the commit. */
  early: 0, during: (): unknown => undefined,
}
const counted = (value?: unknown): unknown => {
  heard.calls++
  return value
}
const after = (_: unknown, { em }: { readonly em: EntityManager }): void => {
  heard.calls++
  if (em.isInTransaction()) heard.early++
}

const options = {
  model: Ticket, writable: ['title', 'slug', 'details'], upsertKeys: ['slug'],
  queryConfig: { allowedFilters: [AllowedFilters.exact('title')] },
} as const
const crud = (): CrudBase => new CrudBase(options) as CrudBase
const counting = (): CrudBase =>
  hooked(options, {
    beforeCreate: async (data) => {
      await heard.during()
      return counted(data)
    },
    beforeUpdate: (_, data) => counted(data), beforeUpdateMany: (data) => counted(data), beforeDelete: () => counted(),
    beforeDeleteMany: () => counted(), afterCreate: after, afterUpdate: after, afterDelete: after,
    afterUpdateMany: after, afterDeleteMany: after, afterRead: (record) => counted({ ...record, read: heard.calls }),
  })

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Sends requests to a server. A text as `key` is sent as it is. */
const sending = (app: FastifyInstance) =>
  (
    method: Method,
    url: string,
    key: string | undefined,
    payload?: object,
    headers: InjectOptions['headers'] = {}
  ): Promise<LightMyRequestResponse> =>
    app.inject({
      method, url, ...(payload && { payload }),
      headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    })

/** The parts of an answer that a repetition must have as well. */
function shownBy ({ statusCode, headers, body }: LightMyRequestResponse): unknown {
  const { date, 'idempotency-replayed': replayed, ...same } = headers
  return { statusCode, headers: same, body }
}

const isReplay = ({ headers }: LightMyRequestResponse): boolean => headers['idempotency-replayed'] === 'true'

let keys = 0
const newKey = (): string => `key-${++keys}`

await forEachDatabase(t, { entities: [Ticket, IdempotencyRecord] }, async (t, { orm, name }) => {
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    resources: {
      '/tickets': { crud: crud(), operations: OPERATIONS, allowHardDelete: true, idempotency: true },
      '/hooked': { crud: counting(), operations: OPERATIONS, idempotency: {} },
      '/many': { crud: crud(), operations: ['deleteMany'], idempotency: { required: true } },
      '/strict': {
        crud: crud(),
        operations: OPERATIONS.filter((operation) => !['upsert', 'updateMany', 'deleteMany'].includes(operation)),
        requireIfMatch: true,
        idempotency: { required: true, ttlHours: 1 },
        hooks: {
          create: {
            preHandler: async (request) => {
              Object.assign(request.body as object, { slug: `made-${++keys}` })
            },
          },
        },
      },
      '/serializable': { crud: crud(), idempotency: true, transaction: { isolationLevel: 'serializable' } },
      '/scoped': {
        crud: crud(), idempotency: true, scope: ({ headers }) => ({ tenant: Number(headers['x-tenant'] ?? 0) }),
      },
      '/users': {
        crud: crud(),
        idempotency: { principal: (request) => request.headers['x-user'] as string | undefined },
      },
      '/answered': {
        crud: crud(),
        idempotency: true,
        schemas: { create: { response: { 201: { type: 'object', properties: { title: { type: 'string' } } } } } },
        hooks: {
          all: {
            onSend: async (_, reply, payload) => {
              reply.header('x-sent', 'yes')
              return payload
            },
          },
        },
      },
      '/plain': { crud: crud() },
    } as CrudKitOptions['resources'] & {},
  })
  await app.ready()
  const send = sending(app)
  const count = async (from: string): Promise<number> => await countOf(orm, `${from}`)
  const kept = (): Promise<number> => count('idempotency_records')
  const add = async (title = 'old'): Promise<number> => (await send('POST', '/tickets', undefined, { title })).json().id

  t.test('a repeated write gets the same answer and changes nothing', async (t) => {
    const id = await add()
    const requests: ReadonlyArray<readonly [Method, string, object?]> = [
      ['POST', '', { title: 'one' }],
      ['POST', '', [{ title: 'one of two' }, { title: 'two of two' }]],
      ['PATCH', `/${id}`, { title: 'changed' }],
      ['PUT', `/${id}`, { title: 'changed again' }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/restore`],
      ['PATCH', '?filter[title]=one', { title: 'many' }],
      ['DELETE', '?filter[title]=many'],
    ]
    for (const resource of ['/tickets', '/hooked']) {
      const slug = `by ${resource}`
      const upserts = ['made', 'changed'].map((title) => ['PUT', '?on=slug', { slug, title }] as const)
      for (const [method, path, payload] of [...requests, ...upserts]) {
        const what = `${method} ${resource}${path}`
        const key = newKey()
        const first = await send(method, resource + path, key, payload)
        t.ok(first.statusCode < 300, `${what}: ${first.statusCode} ${first.body}`)
        t.notOk(isReplay(first), what)
        const [calls, rows, [before]] = [heard.calls, await count('ticket'), await select(orm, 'table ticket')]
        for (const again of [key, `"${key}"`]) {
          const second = await send(method, resource + path, again, payload)
          t.strictSame(shownBy(second), shownBy(first), what)
          t.ok(isReplay(second), what)
        }
        t.strictSame([heard.calls, await count('ticket')], [calls, rows], `${what}: hooks and rows`)
        t.strictSame((await select(orm, 'table ticket'))[0], before)
      }
    }
    t.equal(heard.early, 0)
    const answered = () => send('POST', '/answered', 'a', { title: 'x' })
    const [first, second] = [await answered(), await answered()]
    t.match(first, { statusCode: 201, body: '{"title":"x"}', headers: { 'x-sent': 'yes', etag: '"1"' } })
    t.strictSame(shownBy(second), shownBy(first), "the application's schema and hooks run for both")
  })

  t.test('a key belongs to one request', async (t) => {
    const [id, other] = [await add(), await add()]
    const withDetails = (details: object) => ({ title: 'a', details })
    const first = withDetails({ x: 1, y: [1, { z: 2, w: 3 }] })
    const cases: ReadonlyArray<readonly [what: string, Method, string, object | undefined, expected: string]> = [
      [
        'the names of objects in another order', 'POST', '/tickets', withDetails({ y: [1, { w: 3, z: 2 }], x: 1 }),
        '201 again',
      ],
      ['another value', 'POST', '/tickets', { ...first, title: 'b' }, MISMATCH],
      ['another order of a list', 'POST', '/tickets', withDetails({ x: 1, y: [{ z: 2, w: 3 }, 1] }), MISMATCH],
      ['an object for a list', 'POST', '/tickets', withDetails({ x: 1, y: { 0: 1, 1: { z: 2, w: 3 } } }), MISMATCH],
      ['another number of records', 'POST', '/tickets', [first], MISMATCH],
      ['a body that is not valid', 'POST', '/tickets', { titel: 'a' }, '400 FST_ERR_VALIDATION /titel /title'],
      ['another resource', 'POST', '/hooked', first, '201'],
      ['another operation', 'PATCH', `/tickets/${id}`, first, '200'],
      ['the path of another record', 'PATCH', `/tickets/${other}`, first, MISMATCH],
      ['a method of its own', 'PUT', `/tickets/${id}`, first, '200'],
      ['a first delete', 'DELETE', `/tickets/${id}`, undefined, '200'],
      ['another query string', 'DELETE', `/tickets/${id}?hard=true`, undefined, MISMATCH],
    ]
    const key = newKey()
    t.equal((await send('POST', '/tickets', key, first)).statusCode, 201)
    const rows = await count('ticket')
    for (const [what, method, url, payload, expected] of cases) {
      const answer = await send(method, url, key, payload)
      t.equal(`${verdict(answer)}${isReplay(answer) ? ' again' : ''}`, expected, what)
    }
    t.equal(await count('ticket'), rows + 1, 'one more, of the other resource')
  })

  t.test('a key has 1 to 255 characters, and may have quotes', async (t) => {
    const long = 'x'.repeat(255)
    const cases: ReadonlyArray<readonly [header: string, accepted: boolean]> = [
      ['8e03978e-40d5-43e8-bc93-6894a57f9324', true], ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', true],
      ['order:12/3+4=', true], ['"with spaces, commas; \\"quotes\\" and \\\\"', true], [long, true],
      [`"${long}"`, true], [`${long}x`, false], [`"${long}x"`, false], ['', false], ['""', false], ['"open', false],
      ['"a";b=1', false], ['a b', false], ['a, b', false], ['"a", "b"', false], ['a"b', false], ['"a\\b"', false],
      ['a\\b', false], ['a;b', false], ['k\u00e9y', false],
    ]
    for (const [header, accepted] of cases) {
      const answer = await send('POST', '/tickets', header, { title: 'k' })
      t.equal(verdict(answer), accepted ? '201' : '400 FST_CRUD_IDEMPOTENCY_KEY_INVALID', header)
      if (!accepted) {
        t.match(answer.json().detail, /must be .* 1 to 255 .* write \\" for " .* any of , ; " \\ needs no quotes/)
      }
    }
    t.ok(isReplay(await send('POST', '/tickets', cases[1]![0], { title: 'k' })), 'with and without quotes are the same')
    t.ok(isReplay(await send('POST', '/tickets', cases[3]![0], { title: 'k' })))
  })

  t.test('keys can be required of writes, and reads ignore them', async (t) => {
    const missing = await send('POST', '/strict', undefined, { title: 's' })
    t.match(missing.json(), {
      statusCode: 400, code: 'FST_CRUD_IDEMPOTENCY_KEY_INVALID',
      detail: 'This request needs the header Idempotency-Key.',
    })
    const key = newKey()
    const first = await send('POST', '/strict', key, { title: 's' })
    t.equal(first.statusCode, 201)
    t.strictSame(shownBy(await send('POST', '/strict', key, { title: 's' })), shownBy(first),
      'a hook on preHandler may change the body: what the client has sent counts')
    const url = `/strict/${first.json().id}`
    t.equal(verdict(await send('DELETE', url, newKey())), '428 FST_CRUD_PRECONDITION_REQUIRED')
    const removal = newKey()
    const remove = () => send('DELETE', url, removal, undefined, { 'if-match': '"1"' })
    const [one, two] = [await remove(), await remove()]
    t.equal(one.statusCode, 200)
    t.strictSame(shownBy(two), shownBy(one), 'the version of the first request has gone')
    for (const header of [undefined, 'x', 'a b']) {
      for (const method of ['GET', 'HEAD'] as Method[]) {
        t.equal((await send(method, '/strict', header)).statusCode, 200, 'a list')
      }
    }
    t.strictSame((await send('DELETE', '/many?filter[title]=none&dry_run=true', undefined)).json(), { affected: 0 })
    t.equal((await send('POST', '/plain', 'a b', { title: 'p' })).statusCode, 201, 'without the option')
  })

  t.test('answers of writes that were not done are not kept', async (t) => {
    const id = await add()
    await select(orm, "insert into ticket (title, slug) values ('taken', 'taken')")
    const key = newKey()
    const before = await kept()
    for (const [method, url, payload, expected] of [
      ['POST', '/tickets', { title: null }, '400 FST_ERR_VALIDATION /title'],
      ['PATCH', '/tickets/999999', { title: 'x' }, '404 FST_CRUD_NOT_FOUND'],
      ['PATCH', `/tickets/${id}`, { slug: 'taken' }, '409 FST_CRUD_CONFLICT /slug'],
    ] as const) t.equal(verdict(await send(method, url, key, payload)), expected)
    const conflict = await send('POST', '/tickets', key, { title: 'c', slug: 'taken' })
    t.equal(verdict(conflict), '409 FST_CRUD_CONFLICT /slug')
    t.equal(conflict.headers['retry-after'], undefined)
    heard.during = () => {
      throw new Error('no')
    }
    t.equal((await send('POST', '/hooked', key, { title: 'c' })).statusCode, 500)
    heard.during = () => undefined
    t.equal(await kept(), before)
    await select(orm, "delete from ticket where slug = 'taken'")
    t.equal((await send('POST', '/tickets', key, { title: 'c', slug: 'taken' })).statusCode, 201, 'it works')
    t.equal((await send('POST', '/hooked', key, { title: 'c' })).statusCode, 201)
  })

  t.test('while a write is running, its key is refused', async (t) => {
    const key = newKey()
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    heard.during = async () => {
      begun.resolve()
      await gate.promise
    }
    const running = send('POST', '/hooked', key, { title: 'slow' })
    await begun.promise
    heard.during = () => undefined
    const repeated = send('POST', '/hooked', key, { title: 'slow' })
    if (name === 'postgres') {
      const answer = await repeated
      t.equal(verdict(answer), '409 FST_CRUD_IDEMPOTENCY_RUNNING')
      t.equal(answer.headers['retry-after'], '1')
      t.equal((await send('POST', '/hooked', newKey(), { title: 'other' })).statusCode, 201, 'other keys are free')
    }
    gate.resolve()
    t.equal((await running).statusCode, 201)
    // PGlite has one connection: the second request has waited for it
    if (name === 'pglite') t.ok(isReplay(await repeated))
    t.ok(isReplay(await send('POST', '/hooked', key, { title: 'slow' })))
    t.equal(await count("ticket where title = 'slow'"), 1)
  })

  t.test('of requests at the same time, one is done', async (t) => {
    for (const resource of ['/tickets', '/serializable']) {
      for (let round = 0; round < 20; round++) {
        const key = newKey()
        const title = `race ${resource} ${round}`
        const answers = await Promise.all(Array.from({ length: 4 }, () => send('POST', resource, key, { title })))
        const done = answers.filter((answer) => answer.statusCode === 201)
        t.equal(done.filter((answer) => !isReplay(answer)).length, 1, title)
        t.equal(new Set(done.map(({ body }) => body)).size, 1, title)
        const others = answers.filter((answer) => answer.statusCode !== 201).map(verdict)
        t.ok(others.every((other) => other === '409 FST_CRUD_IDEMPOTENCY_RUNNING'), `${title}: ${others.join()}`)
        t.equal(await count(`ticket where title = '${title}'`), 1)
      }
    }
  })

  t.test('a key belongs to a principal', async (t) => {
    const key = newKey()
    const as = (user: string | undefined, title = 'u', authorization = 'Bearer 1') =>
      send('POST', '/users', key, { title }, { authorization, ...(user !== undefined && { 'x-user': user }) })
    const ann = await as('ann')
    t.equal(ann.statusCode, 201)
    const bob = await as('bob')
    t.equal(bob.statusCode, 201)
    t.notOk(isReplay(bob))
    t.not(bob.json().id, ann.json().id)
    t.equal((await as('ann', 'u', 'Bearer 2')).body, ann.body, 'with another token')
    t.equal(verdict(await as('bob', 'other')), MISMATCH)
    t.equal((await as(undefined)).statusCode, 201, 'a caller without a name has keys by credentials')
    t.ok(isReplay(await as(undefined)))
    t.equal(verdict(await as(undefined, 'u', 'Bearer 2')), MISMATCH)
  })

  t.test('without a principal, an answer is not given to other credentials, and no write is done twice', async (t) => {
    for (const [one, other] of [
      [{ authorization: 'Bearer 1' }, { authorization: 'Bearer 2' }],
      [{ cookie: 'session=1' }, { cookie: 'session=2' }],
      [{ 'x-api-key': '1' }, { 'x-api-key': '2' }],
      [{ host: 'one.example.com' }, { host: 'two.example.com' }],
      [{ authorization: 'Bearer 1' }, {}],
    ] as Array<[Record<string, string>, Record<string, string>]>) {
      const what = JSON.stringify([one, other])
      const key = newKey()
      const first = await send('POST', '/tickets', key, { title: 'mine' }, one)
      t.equal(first.statusCode, 201)
      const refused = await send('POST', '/tickets', key, { title: 'mine' }, other)
      t.match(refused.json(), {
        statusCode: 422, code: 'FST_CRUD_IDEMPOTENCY_MISMATCH', detail: /with other credentials/,
      }, what)
      const second = await send('POST', '/tickets', key, { title: 'theirs' }, other)
      t.equal(second.statusCode, 201, `${what}: another write is another key`)
      t.ok(isReplay(await send('POST', '/tickets', key, { title: 'theirs' }, other)))
      t.ok(isReplay(await send('POST', '/tickets', key, { title: 'mine' }, one)))
    }
    const rows = await select(orm, 'select * from idempotency_records')
    t.notMatch(JSON.stringify(rows), /Bearer|session=|example\.com|key-\d/, 'credentials and keys are hashes')
  })

  t.test('an answer is for callers of the same scope', async (t) => {
    const key = newKey()
    const as = (tenant: number) => send('POST', '/scoped', key, { title: 't' }, { 'x-tenant': String(tenant) })
    t.equal((await as(1)).statusCode, 201)
    t.ok(isReplay(await as(1)))
    t.equal(verdict(await as(2)), MISMATCH)
    t.equal(await count("ticket where title = 't'"), 1)
    const other = await send('POST', '/scoped', key, { title: 't' }, { 'x-tenant': '2', authorization: 'Bearer 2' })
    t.equal(other.statusCode, 201, 'with other credentials and another scope, the key is that of another caller')
    t.notOk(isReplay(other))
  })

  t.test('answers expire, and are removed in passing', async (t) => {
    const expire = async (where: string) =>
      await select(orm, `update idempotency_records set expires_at = now() - interval '1 second' where ${where}`)
    const own = newServer(t)
    await own.register(crudKit, { orm, indexAdvice: false, resources: { '/x': { crud: crud(), idempotency: true } } })
    const sendOwn = sending(own)
    const key = newKey()
    const first = await sendOwn('POST', '/x', key, { title: 'e' })
    const [{ hours }] = await select(orm,
      'select round(extract(epoch from max(expires_at) - now()) / 3600)::int as hours from idempotency_records')
    t.equal(hours, 24)
    await select(orm, 'delete from idempotency_records')
    t.equal((await sendOwn('POST', '/x', key, { title: 'e' })).statusCode, 201)
    await expire('true')
    const again = await sendOwn('POST', '/x', key, { title: 'another body' })
    t.equal(again.statusCode, 201, 'an expired key is new')
    t.notOk(isReplay(again))
    t.not(again.json().id, first.json().id)
    t.ok(isReplay(await sendOwn('POST', '/x', key, { title: 'another body' })))
    await select(
      orm,
      'insert into idempotency_records (key, caller, request, created_at, expires_at) ' +
        "select 'old' || n, '', '', now(), now() - interval '1 hour' from generate_series(1, 100) n"
    )
    for (let writes = 0; writes < 64; writes++) await sendOwn('POST', '/x', newKey(), { title: 'e' })
    t.equal(await count("idempotency_records where key like 'old%'"), 0, '64 writes have removed 100 rows')
    t.equal(await kept(), 65, 'and no others')
  })

  t.test('the schema tools know the table', async (t) => {
    t.equal(await orm.schema.getUpdateSchemaSQL(), '', 'nothing is left to change')
    const page = fs.readFileSync(new URL('../../../docs/operating/operations.md', import.meta.url), 'utf8')
    const [, statements] = /```sql\n(create table idempotency_records .*?)```/s.exec(page)!
    await orm.em.getConnection().executeDump(`drop table idempotency_records;\n${statements}`)
    t.equal(await orm.schema.getUpdateSchemaSQL(), '', 'nor after the statements of the documentation')
  })

  t.test('a write with a key takes two statements more, in one transaction', async (t) => {
    const recorder = await recordStatements(orm, t)
    const key = newKey()
    for (const [what, url, sent, statements] of [
      ['first', '/tickets', key, 'begin with insert update commit'],
      ['repeated', '/tickets', key, 'begin with commit'],
      ['without a key', '/tickets', undefined, 'insert'],
      ['without the option', '/plain', key, 'insert'],
    ] as const) {
      await send('POST', url, sent, { title: 's' })
      t.equal(recorder.words(), statements, what)
    }
  })
})

t.test('roles', async (t) => {
  await forEachDatabase(t, { entities: [Ticket, IdempotencyRecord] }, async (t, { orm }) => {
    const app = newServer(t)
    await app.register(crudKit, {
      orm, indexAdvice: false, resources: { '/tickets': { crud: crud(), idempotency: { principal: () => 'one' } } },
      access: {
        role: ({ headers }) => headers['x-role'] as string,
        roles: {
          editor: { Ticket: true },
          author: { Ticket: { hidden: ['tenant'] } },
          tenant: { Ticket: { rows: ({ headers }) => ({ tenant: Number(headers['x-tenant']) }) } },
          reader: { Ticket: { operations: ['list', 'get'] } },
        },
      },
    })
    const send = sending(app)
    const key = newKey()
    const as = (role: string, tenant = '1') =>
      send('POST', '/tickets', key, { title: 'r' }, { 'x-role': role, 'x-tenant': tenant })
    t.equal((await as('editor')).statusCode, 201)
    t.ok(isReplay(await as('editor')))
    t.equal(verdict(await as('reader')), '403 FST_CRUD_FORBIDDEN', 'rights are checked before')
    t.equal(verdict(await as('nobody')), '403 FST_CRUD_FORBIDDEN')
    t.equal(verdict(await as('author')), MISMATCH, 'a role that sees less')
    t.equal(verdict(await as('tenant')), MISMATCH, 'a role that sees other rows')
    const other = newKey()
    const inTenant = (tenant: string) =>
      send('POST', '/tickets', other, { title: 'r' }, { 'x-role': 'tenant', 'x-tenant': tenant })
    t.equal((await inTenant('1')).statusCode, 201)
    t.ok(isReplay(await inTenant('1')))
    t.equal(verdict(await inTenant('2')), MISMATCH)
  })
})

/** Its records are written together with pages, which a role may see by tenant. */
const Book = defineEntity({
  name: 'Book',
  properties: { id: p.integer().primary(), project: p.integer(), pages: () => p.oneToMany(Page).mappedBy('book') },
})

const Page = defineEntity({
  name: 'Page',
  properties: {
    id: p.integer().primary(), book: () => p.manyToOne(Book), tenant: p.integer(), text: p.string(),
    secret: p.string().default('secret'),
  },
})

t.test('an answer is for callers with the same rights', async (t) => {
  await forEachDatabase(t, { entities: [Book, Page, IdempotencyRecord] }, async (t, { orm }) => {
    await select(orm, 'insert into book (id, project) values (101, 5)')
    await select(orm, "insert into page (id, book_id, tenant, text) values (1, 101, 1, 'a')")
    const asked = (headers: Readonly<Record<string, unknown>>, name: string): number[] =>
      String(headers[name]).split(',').map(Number)
    const app = newServer(t)
    await app.register(crudKit, {
      orm,
      indexAdvice: false,
      resources: {
        '/books': {
          crud: new CrudBase<any>({ model: Book, writable: ['project', { pages: ['text', 'tenant'] }] }) as CrudBase,
          idempotency: { principal: () => 'me' },
        },
      },
      access: {
        role: ({ headers }) => String(headers['role'] ?? 'tenant'),
        roles: {
          tenant: { Book: true, Page: { rows: async ({ headers }) => ({ tenant: Number(headers['tenant']) }) } },
          member: { Book: { rows: ({ headers }) => ({ project: { $in: asked(headers, 'projects') } }) }, Page: true },
        },
      },
    })
    const send = sending(app)
    const change = { pages: { update: [{ id: 1, text: 'q' }] } }
    for (const [first, other, payload] of [
      [{ tenant: '1' }, { tenant: '2' }, change],
      [{ tenant: '1' }, { role: 'member', projects: '5' }, change],
      [{ role: 'member', projects: '4,5' }, { role: 'member', projects: '4' }, { project: 5 }],
      [{ role: 'member', projects: '4,5' }, { role: 'member', projects: '4,5,6' }, { project: 5 }],
    ] as ReadonlyArray<readonly [Record<string, string>, Record<string, string>, object]>) {
      const what = JSON.stringify([first, other])
      const key = newKey()
      t.equal((await send('PATCH', '/books/101', key, payload, first)).statusCode, 200, what)
      t.ok(isReplay(await send('PATCH', '/books/101', key, payload, first)), what)
      const refused = await send('PATCH', '/books/101', key, payload, other)
      t.equal(verdict(refused), MISMATCH, what)
      t.notMatch(refused.body, /secret/)
    }
    const key = newKey()
    const as = (projects: string) => send('PATCH', '/books/101', key, { project: 5 }, { role: 'member', projects })
    t.equal((await as('4,5')).statusCode, 200)
    t.ok(isReplay(await as('5,4')), 'the order of a list says nothing')
  })
})

t.test('an answer is for requests with the same parameters of filters', async (t) => {
  const Order = defineEntity({
    name: 'Order', tableName: 'ticket', extends: BaseModel, properties: { title: p.string(), tenant: p.integer() },
    filters: {
      ofTenant: { name: 'ofTenant', cond: ({ tenant }) => ({ tenant }), default: true },
      writable: { name: 'writable', cond: (args, type) => type === 'read' ? {} : args, default: true },
    },
  })
  await forOneDatabase(t, { entities: [Order, IdempotencyRecord] }, async (t, { orm }) => {
    const app = newServer(t)
    app.addHook('onRequest', async ({ em, headers }) => {
      em.setFilterParams('ofTenant', { tenant: Number(headers['x-tenant']) })
      em.setFilterParams('writable', { title: headers['x-title'] ?? 'old' })
    })
    await app.register(crudKit, {
      orm,
      indexAdvice: false,
      resources: {
        '/orders': {
          crud: new CrudBase({ model: Order, writable: ['title', 'tenant'], queryConfig: {} }) as CrudBase,
          idempotency: true,
        },
      },
    })
    const send = sending(app)
    for (
      const [method, path, title] of [['POST', '', 'old'], ['PATCH', '/1', 'old'], ['DELETE', '/1', undefined]] as const
    ) {
      const key = newKey()
      const as = (headers: InjectOptions['headers']) =>
        send(method, `/orders${path}`, key, title === undefined ? undefined : { title, tenant: 1 }, headers)
      const first = await as({ 'x-tenant': '1' })
      t.ok(first.statusCode < 300, `${method}: ${first.statusCode} ${first.body}`)
      t.equal(verdict(await as({ 'x-tenant': '2' })), MISMATCH, `${method} of another tenant`)
      t.equal(verdict(await as({ 'x-tenant': '1', 'x-title': 'new' })), MISMATCH, `${method} of other rows`)
      const again = await as({ 'x-tenant': '1' })
      t.strictSame([shownBy(again), isReplay(again)], [shownBy(first), true], `${method} of the same tenant`)
    }
  })
})

t.test('mistakes in the option are errors at start-up', async (t) => {
  await forEachDatabase(t, { entities: [Ticket] }, async (t, { orm }) => {
    for (const [idempotency, message] of [
      [true,
        /'idempotency' keeps answers in the table of IdempotencyRecord, .* entities: \[\.\.\., IdempotencyRecord\]/],
      [{ ttl: 1 }, /there is no option 'ttl' in 'idempotency'. It has: required, ttlHours, principal/],
      [{ ttlHours: 0 }, /idempotency\.ttlHours: expected integer to be greater or equal to 1, got 0/],
      ['yes', /idempotency/],
    ] as const) {
      const app = newServer(t)
      const resources = { '/tickets': { crud: crud(), idempotency: idempotency as boolean } }
      await t.rejects(Promise.resolve(app.register(crudKit, { orm, resources })), { constructor: ConfigError, message },
        JSON.stringify(idempotency))
    }
  })
})
