/** Row level security: the session context of a request's EntityManager applies to reads and writes of the routes. */
import { p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { crudKit, crudRoutes } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Doc = entity('Doc', { id: p.integer().primary().autoincrement(), tenant: p.integer().default(0), name: p.text() },
  { tableName: 'doc' })
const Note = entity('Note', {
  id: p.integer().primary().autoincrement(), text: p.text(), doc: () => p.manyToOne(Doc).nullable(),
  docs: () => p.manyToMany(Doc),
}, { tableName: 'note' })
const HookedNote = entity('HookedNote', {
  id: p.integer().primary().autoincrement(), text: p.text(), doc: () => p.manyToOne(Doc).nullable(),
}, { tableName: 'hooked_note', hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}] } })
const ROLE = 'crud_kit_tenant'

await forEachDatabase(t, { entities: [Doc, Note, HookedNote] }, async (t, { orm, name }) => {
  const admin = orm.em.fork()
  for (const sql of [
    `do $$ begin if not exists (select from pg_roles where rolname = '${ROLE}') ` +
    `then create role ${ROLE}; end if; end $$`,
    "insert into doc (tenant, name) values (1, 'one'), (2, 'two')",
    'alter table doc enable row level security',
    "create policy tenants on doc using (tenant = nullif(current_setting('app.tenant', true), '')::int)",
    `grant all on doc to ${ROLE}`,
    `grant all on sequence doc_id_seq to ${ROLE}`,
    `grant all on note, note_docs, hooked_note to ${ROLE}`,
    `grant all on sequence note_id_seq, hooked_note_id_seq to ${ROLE}`,
  ]) await admin.execute(sql)

  const serve = async (t: Test, orm: MikroORM): Promise<FastifyInstance> => {
    const app = newServer(t)
    await app.register(crudKit, { orm, indexAdvice: false })
    app.addHook('onRequest', async (request) => {
      request.em.setSessionContext({ role: ROLE, variables: { 'app.tenant': String(request.headers['x-tenant']) } })
    })
    await app.register(crudRoutes, {
      prefix: '/docs', crud: resource(Doc), stream: true,
      operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'],
    })
    for (const [prefix, model] of [['/notes', Note], ['/hooked-notes', HookedNote]] as const) {
      await app.register(crudRoutes, {
        prefix, crud: resource(model), operations: ['get', 'create', 'createMany', 'update'],
      })
    }
    await app.register(crudRoutes, {
      prefix: '/transacted-notes', crud: resource(Note), operations: ['create', 'update'], transaction: true,
    })
    await app.register(crudRoutes, { prefix: '/transacted', crud: resource(Doc), transaction: true })
    return app
  }
  const isolates = async (t: Test, app: FastifyInstance) => {
    const ask = async (tenant: number, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const answer = await app.inject({
        method, url, headers: { 'x-tenant': `${tenant}` }, ...(payload !== undefined && { payload }),
      })
      return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() }
    }
    for (const prefix of ['/docs', '/transacted']) {
      // first one after the other, then all at once
      const answers = await Promise.all([1, 2, 1, 2, 1, 2].map(async (tenant) => ask(tenant, 'GET', prefix)))
      for (const [index, { status, body }] of answers.entries()) {
        t.match([status, body.total, body.items], [200, 1, [{ tenant: index % 2 + 1 }]], prefix)
      }
      t.match(await ask(1, 'GET', `${prefix}/1`), { status: 200, body: { name: 'one' } })
      t.match(await ask(1, 'GET', `${prefix}/2`), { status: 404 })
      t.match(await ask(1, 'PATCH', `${prefix}/2`, { name: 'stolen' }), { status: 404 })
      t.match(await ask(1, 'DELETE', `${prefix}/2`), { status: 404 })
      t.match(await ask(1, 'PATCH', `${prefix}/1`, { name: 'one' }), { status: 200, body: { tenant: 1 } })
    }
    t.match(await ask(1, 'POST', '/docs', { name: 'mine', tenant: 1 }), { status: 201 })
    for (const [method, url, body] of [
      ['POST', '/docs', { name: 'theirs', tenant: 2 }],
      ['POST', '/docs', [{ name: 'mine', tenant: 1 }, { name: 'theirs', tenant: 2 }]],
      ['POST', '/transacted', { name: 'theirs', tenant: 2 }],
      ['PATCH', '/docs/1', { tenant: 2 }],
      ['PATCH', '/transacted/1', { tenant: 2 }],
    ] as const) {
      const { status, body: answer } = await ask(1, method, url, body)
      t.match([status, answer], [403, { code: 'FST_CRUD_OUT_OF_SCOPE' }], `${method} ${url}`)
      const { errors: [{ source }] } = answer
      t.strictSame(source, Array.isArray(body) ? { pointer: '/1' } : undefined)
      t.notMatch(JSON.stringify(answer), /policy|security|tenants/)
    }
    t.strictSame(
      (await admin.execute<{ tenant: number, name: string }[]>('select tenant, name from doc order by id')).map((
        { tenant, name }
      ) => `${tenant} ${name}`),
      ['1 one', '2 two', '1 mine']
    )
    await admin.execute("delete from doc where name = 'mine'")
  }

  t.test('each statement sets the context in its own transaction', async (t) => {
    await isolates(t, await serve(t, orm))
  })

  t.test('a link that a policy of the pivot table refuses has a pointer', async (t) => {
    const app = await serve(t, orm)
    const shut = 300
    await admin.execute(`insert into doc (id, tenant, name) values (${shut}, 1, 'shut')`)
    await admin.execute('alter table note_docs enable row level security')
    await admin.execute(`create policy shut on note_docs using (true) with check (doc_id <> ${shut})`)
    t.teardown(async () => {
      for (const sql of [
        'drop policy shut on note_docs', 'alter table note_docs disable row level security', 'delete from note_docs',
        'delete from note', `delete from doc where id = ${shut}`,
      ]) await admin.execute(sql)
    })
    await admin.execute("insert into note (id, text) values (200, 'mine')")
    for (const [method, url, payload, pointer] of [
      ['POST', '/notes', { text: 'x', docs: [1, shut] }, '/docs'],
      ['POST', '/transacted-notes', { text: 'x', docs: [shut] }, '/docs'],
      ['POST', '/notes', [{ text: 'x', docs: [1] }, { text: 'y', docs: [1, shut] }], '/1/docs'],
      ['PATCH', '/notes/200', { docs: [shut] }, '/docs'],
    ] as const) {
      const answer = await app.inject({ method, url, payload, headers: { 'x-tenant': '1' } })
      t.match([answer.statusCode, answer.json()], [403, {
        code: 'FST_CRUD_OUT_OF_SCOPE',
        errors: [{ source: { pointer }, detail: "A rule of the data refuses a link of 'docs'." }],
      }], `${method} ${url}`)
    }
    t.match(await admin.execute('select count(*)::int as links from note_docs'), [{ links: 0 }])
  })

  t.test('a record hidden by policies gets the same answer as an absent one', async (t) => {
    const app = await serve(t, orm)
    for (const table of ['note', 'hooked_note']) {
      await admin.execute(`insert into ${table} (id, text, doc_id) values (100, 'mine', 1), (101, 'theirs', 2)`)
    }
    await admin.execute('insert into note_docs values (100, 1), (101, 2)')
    t.teardown(async () => {
      for (const table of ['note_docs', 'note', 'hooked_note']) await admin.execute(`delete from ${table}`)
    })
    const send = (method: 'POST' | 'PATCH', url: string, payload: object) =>
      app.inject({ method, url, payload, headers: { 'x-tenant': '1' } })
    const missing = (property: string, index = '') => ({
      statusCode: 409,
      body: {
        code: 'FST_CRUD_CONFLICT',
        errors: [{
          source: { pointer: `${index}/${property}` },
          detail: `'${property}' refers to a record that does not exist.`,
        }],
      },
    })
    const tables = () =>
      admin.execute(
        'select (select count(*) from note) + (select count(*) from hooked_note) as rows, ' +
          '(select array_agg(doc_id order by id)::text from note) as docs, ' +
          '(select array_agg(doc_id order by id)::text from hooked_note) as hooked, ' +
          '(select array_agg(docs order by docs)::text from note_docs as docs) as links'
      )
    const before = await tables()
    for (const prefix of ['/notes', '/transacted-notes', '/hooked-notes']) {
      const requests: (readonly [
        method: 'POST' | 'PATCH', url: string, body: (id: number) => object, property: string, index?: string
      ])[] = [
        ['POST', prefix, (doc) => ({ text: 'x', doc }), 'doc'],
        ['PATCH', `${prefix}/100`, (doc) => ({ doc }), 'doc'],
      ]
      if (prefix !== '/transacted-notes') {
        requests.push(['POST', prefix, (doc) => [{ text: 'x', doc: 1 }, { text: 'y', doc }], 'doc', '/1'])
      }
      if (prefix !== '/hooked-notes') {
        requests.push(['POST', prefix, (id) => ({ text: 'x', docs: [1, id] }), 'docs'], [
          'PATCH', `${prefix}/100`, (id) => ({ docs: [id] }), 'docs',
        ])
      }
      for (const [method, url, body, property, index] of requests) {
        const [hidden, absent] = [await send(method, url, body(2)), await send(method, url, body(999))]
        t.match({ statusCode: hidden.statusCode, body: hidden.json() }, missing(property, index),
          `${method} ${url} ${property}`)
        t.equal(hidden.body, absent.body, `${method} ${url} ${property}: not to be told from one that is not there`)
      }
    }
    t.strictSame(await tables(), before, 'nothing was written')
    for (const prefix of ['/notes', '/transacted-notes', '/hooked-notes']) {
      t.match((await send('POST', prefix, { text: 'x', doc: 1 })).json(), { doc: 1 })
      t.match((await send('PATCH', `${prefix}/100`, { doc: 1 })).json(), { doc: 1 })
      t.match((await send('PATCH', `${prefix}/101`, { doc: 2, text: 'sent back' })).json(), {
        doc: 2,
        text: 'sent back',
      }, 'what is there already is no change')
    }
  })

  t.test('without a session context, only a foreign key checks references', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, {
      orm, indexAdvice: false, resources: { '/notes': { crud: resource(Note), operations: ['create', 'update'] } },
    })
    await app.ready()
    const recorder = await recordStatements(orm, t)
    const created = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'x', doc: 2 } })
    t.equal(created.statusCode, 201)
    t.equal((await app.inject({ method: 'PATCH', url: `/notes/${created.json().id}`, payload: { doc: 1 } })).statusCode,
      200)
    t.equal((await app.inject({ method: 'POST', url: '/notes', payload: { text: 'x', doc: 999 } })).statusCode, 409)
    t.notMatch(recorder.texts().join('\n'), /exists/)
    await admin.execute('delete from note')
  })

  t.test('a missing privilege is a mistake of the server, and stays a 500', async (t) => {
    await admin.execute(`revoke insert on doc from ${ROLE}`)
    t.teardown(() => admin.execute(`grant insert on doc to ${ROLE}`))
    const app = await serve(t, orm)
    const answer = await app.inject({
      method: 'POST', url: '/docs', headers: { 'x-tenant': '1' }, payload: { name: 'mine', tenant: 1 },
    })
    t.match([answer.statusCode, answer.json().code], [500, 'FST_CRUD_DATABASE_ERROR'])
  })

  t.test('an unavailable server is reported as such, whatever the statement needs before it', {
    skip: name === 'pglite' && 'it is always there',
  }, async (t) => {
    const away = await MikroORM.init(
      { clientUrl: 'postgresql://127.0.0.1:1/none', dbName: 'none', entities: [Doc], connect: false } as never
    )
    t.teardown(() => away.close())
    const em = away.em.fork()
    em.setSessionContext({ variables: { 'app.tenant': '1' } })
    const docs = resource(Doc)
    for (const work of [() => docs.list(em), () => docs.get(em, 1), () => docs.create(em, { name: 'x' })]) {
      await t.rejects(work(), { code: 'FST_CRUD_UNAVAILABLE', statusCode: 503 })
    }
  })

  t.test('work that an application does on connections of the pool is also done for our connections', {
    skip: name === 'pglite' && 'there is one connection',
  }, async (t) => {
    let reserved = 0
    const reserving = await MikroORM.init({
      clientUrl: orm.config.get('clientUrl')!, dbName: orm.config.get('dbName')!, entities: [Doc, Note, HookedNote],
      onReserveConnection: async () => {
        reserved++
      },
    })
    t.teardown(() => reserving.close())
    await isolates(t, await serve(t, reserving))
    const app = newServer(t)
    await app.register(crudKit, { orm: reserving, indexAdvice: false, resources: { '/docs': resource(Doc) } })
    // the start compares the entities with the database
    await app.ready()
    for (const [method, url, payload] of [['GET', '/docs'], ['GET', '/docs/1'], ['PATCH', '/docs/1', {
      name: 'one',
    }]] as const) {
      const before = reserved
      t.equal((await app.inject({ method, url, ...(payload !== undefined && { payload }) })).statusCode, 200)
      t.equal(reserved, before + 1, `${method} ${url}`)
    }
  })
})
