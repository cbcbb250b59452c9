/** Single-table inheritance: the class of a row as a part of the key of upserts, and in the rows of roles. */
import { p } from '@mikro-orm/core'
import t, { type Test } from 'tap'
import type { CrudKitOptions, RoleRules } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { entity } from '../../helpers/entity.ts'
import { hooked, type Hooks } from '../../helpers/hooked.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { select, serve as serveResources } from '../helper.ts'
import { memberWith, sender } from './fixtures.ts'

/** A ticket, and a bug that extends it. */
function classes (name: string, more: object = {}) {
  const Ticket = entity(name, {
    id: p.integer().primary().autoincrement(), kind: p.string().default('ticket'), code: p.integer(),
    note: p.string().default(''),
  }, {
    discriminatorColumn: 'kind', discriminatorValue: 'ticket', uniques: [{ properties: ['kind', 'code'] }],
    tableName: name.toLowerCase(), ...more,
  })
  return [Ticket, entity(`${name}Bug`, {}, { extends: Ticket, discriminatorValue: 'bug', ...more })] as const
}
const [Ticket, Bug] = classes('Ticket')
/** The same, written by MikroORM's unit of work. */
const [Letter, LetterBug] = classes('Letter', { hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}] } })

const scope = () => ({ kind: 'bug' })

await forOneDatabase(t, { entities: [Ticket, Bug, Letter, LetterBug] }, async (t, { orm }) => {
  const resource = (model: unknown, hooks: Hooks = {}) => ({
    crud: hooked({ model, writable: 'all', upsertKeys: [['kind', 'code']] }, hooks),
    operations: ['create', 'update', 'upsert'] as const,
  })
  const resources: CrudKitOptions['resources'] = {
    '/tickets': resource(Ticket), '/bugs': resource(Bug), '/letters': resource(Letter),
    '/letter-bugs': resource(LetterBug),
  }
  const serve = (t: Test, rules: RoleRules) => memberWith(t, orm, rules, { resources, shared: [] })
  const clear = async () => {
    for (const table of ['ticket', 'letter']) await select(orm, `delete from ${table}`)
  }
  t.beforeEach(clear)

  const isUpserted = async (t: Test, send: ReturnType<typeof sender>, path: string, kind: string, what: string) => {
    await clear()
    const upsert = (body: unknown) => send('PUT', `${path}?on=kind,code`, body)
    t.match(await upsert({ code: 1 }), { status: 201, body: { kind, code: 1 } }, what)
    t.match(await upsert({ code: 1, note: 'x' }), { status: 200, body: { kind, note: 'x' } }, what)
    t.match(await upsert([{ code: 2 }, { code: 1, note: 'y' }]), {
      status: 200,
      body: [{ created: true, record: { kind } }, { created: false, record: { kind, note: 'y' } }],
    }, what)
    const refusal = (...pointers: string[]) => ({
      status: 400,
      body: { errors: pointers.map((pointer) => ({ source: { pointer } })) },
    })
    t.match(await upsert([{ code: 3 }, { code: 3 }]), refusal('/0/code', '/1/code'), what)
    t.match(await upsert({}), refusal('/code'), what)
  }

  const PATHS = [['/tickets', 'ticket'], ['/bugs', 'bug'], ['/letters', 'ticket'], ['/letter-bugs', 'bug']] as const

  t.test('the key of an upsert has the class of its resource, whether or not a condition names it', async (t) => {
    const open = sender(await serveResources(t, orm, resources))
    for (const [path, kind] of PATHS) {
      await isUpserted(t, open, path, kind, path)
      for (const rows of [{ kind }, () => ({ kind }), { id: { $gt: 0 } }, { kind: { $in: ['bug', 'ticket'] } }]) {
        await isUpserted(t, await serve(t, { '*': { rows } }), path, kind, `${path} ${JSON.stringify(rows)}`)
      }
    }
    const scoped = { '/bugs': { ...resource(Bug), scope }, '/letter-bugs': { ...resource(LetterBug), scope } }
    const send = sender(await serveResources(t, orm, scoped))
    for (const path of Object.keys(scoped)) await isUpserted(t, send, path, 'bug', `scope of ${path}`)
    const hooks = { beforeCreate: (data: object) => data, beforeUpdate: (_: unknown, data: object) => data }
    const looking = sender(await serveResources(t, orm, { '/bugs': { ...resource(Bug, hooks), scope } }))
    await isUpserted(t, looking, '/bugs', 'bug', 'hooks')
  })

  t.test('rows of another class than that of the resource are changed, and none are created', async (t) => {
    const send = await serve(t, { '*': { rows: scope } })
    for (const path of ['/tickets', '/letters']) {
      t.equal((await send('POST', path === '/tickets' ? '/bugs' : '/letter-bugs', { code: 1 })).status, 201)
      const upsert = (body: unknown) => send('PUT', `${path}?on=kind,code`, body)
      t.match(await upsert({ code: 1, note: 'x' }), { status: 200, body: { kind: 'bug', note: 'x' } }, path)
      t.match(await upsert({ code: 2 }), { status: 403, body: { code: 'FST_CRUD_OUT_OF_SCOPE' } }, path)
      t.match(await upsert([{ code: 1, note: 'y' }, { code: 2 }]), { status: 403 }, path)
    }
    t.strictSame(await select(orm, 'select kind, note from ticket'), [{ kind: 'bug', note: 'x' }])
    t.strictSame(await select(orm, 'select kind, note from letter'), [{ kind: 'bug', note: 'x' }])
  })

  t.test('the class of a resource in its own scope needs no check of the database', async (t) => {
    const send = sender(await serveResources(t, orm, { '/bugs': { ...resource(Bug), scope } }))
    const recorder = await recordStatements(orm, t)
    const { status, body: { id } } = await send('POST', '/bugs', { code: 1 })
    t.equal(status, 201)
    t.equal((await send('PATCH', `/bugs/${id}`, { note: 'x' })).status, 200)
    t.equal((await send('PUT', '/bugs?on=kind,code', { code: 1, note: 'y' })).status, 200)
    const texts = recorder.texts()
    t.equal(texts.length, 3)
    t.notOk(texts.some((sql) => sql.includes('outside of its scope')))
  })

  t.test('the class that a hook names does not decide about a new row', async (t) => {
    const crud = hooked({ model: Ticket, writable: 'all' }, { beforeCreate: (data) => ({ ...data, kind: 'bug' }) })
    const send = sender(await serveResources(t, orm, { '/tickets': { crud, operations: ['create'], scope } }))
    t.equal((await send('POST', '/tickets', { code: 1 })).status, 403)
    t.strictSame(await select(orm, 'select * from ticket'), [])
  })

  t.test('a role that does not see the class cannot use a key with it', async (t) => {
    await t.rejects(serve(t, { '*': { hidden: ['kind'] } }), { code: 'FST_CRUD_CONFIG_INVALID', message: /kind/ })
  })
})
