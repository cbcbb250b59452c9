/** Conditional requests: entity tags of reads, 304, and Vary. */
import caching from '@fastify/caching'
import etag from '@fastify/etag'
import { AllowedAggregate, CrudBase, crudKit, type CrudKitOptions } from '../../src/index.ts'
import t from 'tap'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { entities, Project, projects, seed, tasks, User } from './access/fixtures.ts'
import { client } from './helper.ts'

const options = { conditional: true, operations: ['list', 'get', 'update'] as const }
const DIGEST = /^W\/"[\w-]{22}"$/
const WHOLE = /^"\d+"$/
const VERSION = /^"\d+~[\w-]{22}"$/

class Changing extends CrudBase<any> {
  override afterRead (record: any): any {
    return { ...record, at: 'once' }
  }
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const begin = async (more: Partial<CrudKitOptions> = {}, before?: (app: ReturnType<typeof newServer>) => unknown) => {
    const app = newServer(t)
    await before?.(app)
    await app.register(crudKit, {
      orm, indexAdvice: false,
      resources: {
        '/projects': { crud: projects, ...options, stream: true },
        '/tasks': { crud: tasks, ...options },
        '/sums': {
          crud: new CrudBase<any>({ model: Project, queryConfig: { allowedAggregates: [AllowedAggregate.count()] } }),
          conditional: true,
          operations: ['aggregate'],
          name: 'sums',
        },
        '/plain': { crud: projects, operations: ['list', 'get'], name: 'plain' },
        '/scoped': { crud: projects, ...options, scope: () => ({ tenant: 1 }), name: 'scoped' },
        '/changed': { crud: new Changing({ model: Project, writable: 'all' }), ...options, name: 'changed' },
        '/schema': {
          crud: projects,
          ...options,
          name: 'schema',
          schemas: {
            get: { response: { 200: { type: 'object', properties: { id: { type: 'integer' } } } } },
          },
        },
      },
      ...more,
    } as CrudKitOptions)
    await app.ready()
    const ask = async (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'PATCH' = 'GET') => {
      const { statusCode, headers: { etag, vary }, body } = await app.inject({
        method, url, headers, ...(method === 'PATCH' && { payload: { name: 'Apollo' } }),
      })
      return { status: statusCode, tag: String(etag), hasTag: etag !== undefined, vary, body }
    }
    return { app, ask }
  }
  const { app, ask } = await begin()

  t.test('a record as a whole has its version, other views of it a digest as well, lists only that', async (t) => {
    for (const [url, expected] of [
      ['/projects/1', WHOLE],
      ['/projects/1?fields=', WHOLE],
      ['/projects/1?fields=id,name', VERSION],
      ['/projects/1?include=owner', VERSION],
      ['/projects/1?include=tasksCount', VERSION],
      ['/projects', DIGEST],
      ['/projects?cursor=', DIGEST],
      ['/tasks/1', DIGEST],
      ['/sums/aggregate?aggregate=count', DIGEST],
      ['/changed/1', VERSION],
      ['/schema/1', WHOLE],
      ['/schema/1?include=owner', VERSION],
    ] as const) {
      const { status, tag, body } = await ask(url)
      t.equal(status, 200, body)
      t.match(tag, expected, url)
      t.match(await ask(url, { 'if-none-match': tag }), { status: 304, tag, body: '' }, url)
      t.match(await ask(url, { 'if-none-match': tag }, 'HEAD'), { status: 304, tag, body: '' }, `HEAD ${url}`)
      t.match(await ask(url, {}, 'HEAD'), { status: 200, tag, body: '' })
    }
    t.not((await ask('/projects/1?fields=id')).tag, (await ask('/projects/1?fields=name')).tag)
    t.match(await ask('/plain/1'), { tag: '"1"', vary: undefined }, 'as without the option')
    t.match(await ask('/plain/1', { 'if-none-match': '"1"' }), { status: 200 })
    t.match(await ask('/plain'), { hasTag: false })
  })

  t.test('If-None-Match is compared weakly, takes lists and *, or matches nothing', async (t) => {
    const { tag } = await ask('/projects')
    const { tag: own } = await ask('/projects/1?include=owner')
    for (const [url, header, status] of [
      ['/projects/1', 'W/"1"', 304],
      ['/projects/1', '"0", "1"', 304],
      ['/projects/1', '  W/"0" ,"a,b",\t"1" ', 304],
      ['/projects/1', '*', 304],
      ['/projects/1', own, 200],
      ['/projects/1', '"11"', 200],
      ['/projects/1', '1', 200],
      ['/projects/1', '"1" "2"', 200],
      ['/projects/1', '"1', 200],
      ['/projects/1?include=owner', `W/${own}`, 304],
      ['/projects/1?include=owner', '"1"', 200],
      ['/projects/1', '', 200],
      ['/projects', tag.slice(2), 304],
      ['/projects', `"x", ${tag}`, 304],
      ['/projects', '*', 304],
      ['/projects?per_page=1', tag, 200],
      ['/projects/99', '*', 404],
      ['/projects?sort=wrong', '*', 400],
    ] as const) {
      t.equal((await ask(url, { 'if-none-match': header })).status, status, `${url} ${header}`)
    }
  })

  t.test('a digest changes with what the answer shows, and If-Match compares only the version before it', async (t) => {
    const before = await ask('/projects/1?include=owner')
    const list = await ask('/projects')
    const whole = await ask('/projects/1')
    t.match(await ask('/projects/1', { 'if-match': list.tag }, 'PATCH'), { status: 412, body: /without W\// })
    t.match(await ask('/projects/1', { 'if-match': `W/${whole.tag}` }, 'PATCH'), { status: 412 })
    t.match(await ask('/projects/1', { 'if-match': before.tag.replace('"1', '"2') }, 'PATCH'), { status: 412 })
    t.match(await ask('/projects/1', { 'if-match': before.tag.replace('~', '~~') }, 'PATCH'), { status: 412 })
    await orm.em.fork().nativeUpdate(User, { id: 1 }, { name: 'Anna' })
    t.equal((await ask('/projects', { 'if-none-match': list.tag })).status, 304, 'a list that does not show it')
    t.equal((await ask('/projects/1', { 'if-none-match': whole.tag })).status, 304)
    t.equal((await ask('/projects/1?include=owner', { 'if-none-match': before.tag })).status, 200)
    const shown = await ask('/schema/1?include=owner')
    await orm.em.fork().nativeUpdate(User, { id: 1 }, { name: 'Ann' })
    t.equal((await ask('/projects/1?include=owner', { 'if-none-match': before.tag })).status, 304, 'as it was')
    t.equal((await ask('/schema/1?include=owner')).tag, shown.tag, 'what a schema of the application leaves out')
  })

  t.test('the answer to a write has the tag that a read then has', async (t) => {
    const tagOf = async (url: string, more = {}) => (await ask(url, more)).tag
    for (const [url, tag] of [['/projects/1', WHOLE], ['/changed/1', VERSION], ['/scoped/1', WHOLE]] as const) {
      const written = await ask(url, { 'if-match': await tagOf(url) }, 'PATCH')
      t.match(written, { status: 200, tag }, written.body)
      t.match(await ask(url, { 'if-none-match': written.tag }), { status: 304 }, url)
    }
    const related = await tagOf('/projects/1?include=owner')
    t.match(await ask('/projects/1', { 'if-match': related }, 'PATCH'), { status: 200 }, 'the tag of another view')
    await orm.em.getConnection().execute('update project set version = 1 where id = 1')
  })

  t.test('streams have no tag, and lists tell caches that Accept decides', async (t) => {
    const stream = await ask('/projects', { accept: 'text/csv', 'if-none-match': '*' })
    t.match(stream, { status: 200, hasTag: false, vary: 'accept' })
    t.match(await ask('/projects'), { vary: 'accept' })
    t.match(await ask('/projects', { 'if-none-match': '*' }), { status: 304, vary: 'accept' })
    t.match(await ask('/projects/1'), { vary: undefined }, 'a record has one form')
    t.match(await ask('/scoped/1'), { vary: 'authorization, cookie' }, 'a scope tells callers apart')
    const { ask: beside } = await begin({}, (app) => {
      app.addHook('onRequest', async (_, reply) => {
        reply.header('vary', 'Origin')
      })
    })
    t.match(await beside('/projects'), { vary: 'Origin, accept' }, 'what others have set is kept')
  })

  t.test('what a role does not see changes no byte, and no tag stands for the records of two roles', async (t) => {
    const { ask } = await begin({
      access: {
        role: ({ headers }) => String(headers['x-role']),
        roles: {
          admin: true,
          member: { Project: { hidden: ['budget'] }, User: { operations: ['get'], rows: {} } },
          guest: { Project: { hidden: ['version', 'budget'], rows: { tenant: 1 } } },
        },
      },
    })
    const urls = ['/projects/1', '/projects', '/projects?sort=name&per_page=1']
    const tagsOf = async (role: string) => {
      const tags: string[] = []
      for (const url of urls) tags.push((await ask(url, { 'x-role': role })).tag)
      return tags
    }
    const [admin, member, guest] = [await tagsOf('admin'), await tagsOf('member'), await tagsOf('guest')]
    t.match(admin[0], WHOLE)
    t.match(member[0], VERSION)
    for (const tag of [...admin.slice(1), ...member.slice(1), ...guest]) t.match(tag, DIGEST)
    for (const [role, url] of [['member', '/projects/1'], ['guest', '/projects/1']] as const) {
      const written = await ask(url, { 'x-role': role }, 'PATCH')
      t.equal(written.status, 200, written.body)
      const read = await ask(url, { 'x-role': role })
      t.ok(role === 'guest' ? !written.hasTag : written.tag === read.tag, `${role} ${written.tag} ${read.tag}`)
    }
    await orm.em.getConnection().execute('update project set version = 1 where id = 1')
    t.equal(new Set([...admin, ...member, ...guest]).size, 9, 'each view has its own')
    t.equal((await ask('/projects/1', { 'x-role': 'member', 'if-none-match': '"1"' })).status, 200)
    t.equal((await ask('/projects/1', { 'x-role': 'member' })).vary, 'authorization, cookie')
    t.equal((await ask('/projects', { 'x-role': 'member' })).vary, 'accept, authorization, cookie')
    // a hidden property, and rows that the role does not see
    await orm.em.getConnection().execute('update project set budget = budget + 1 where id = 1')
    await orm.em.getConnection().execute("update project set name = 'Other' where id = 3")
    t.strictSame(await tagsOf('guest'), guest)
    t.equal((await tagsOf('member'))[0], member[0])
    t.not((await tagsOf('admin'))[1], admin[1])
    await orm.em.getConnection().execute('update project set budget = budget - 1 where id = 1')
    await orm.em.getConnection().execute("update project set name = 'Apollo' where id = 3")
  })

  t.test('@fastify/etag and @fastify/caching work beside it', async (t) => {
    const { app, ask: beside } = await begin({}, async (app) => {
      await app.register(etag as never)
      await app.register(caching as never, { privacy: 'private', expiresIn: 60 } as never)
      app.get('/own', async () => ({ own: true }))
    })
    t.match((await app.inject('/projects/1')).headers, { etag: '"1"', 'cache-control': 'private, max-age=60' })
    for (const url of ['/projects/1', '/projects', '/own', '/plain', '/plain/1']) {
      const { tag } = await beside(url)
      t.equal((await beside(url, { 'if-none-match': tag })).status, 304, url)
    }
    t.match((await beside('/projects')).tag, DIGEST)
  })

  t.test('the client sends the tag of a record with its next write', async (t) => {
    const { createClient } = await import('../../src/client/index.ts')
    const api: any = createClient('http://local', {
      fetch: async (url, init) => {
        const { statusCode, headers, body } = await app.inject({
          method: init.method as 'GET',
          url: url.replace('http://local', ''),
          headers: Object.fromEntries(init.headers as Headers),
          ...(init.body != null && { payload: String(init.body) }),
        })
        return new Response(body, { status: statusCode, headers: headers as never })
      },
    })
    const whole = await api['/projects'].get(1)
    t.match(await api['/projects'].update(1, { name: 'Apollo' }, { ifMatch: whole }), { version: 2 })
    await t.rejects(api['/projects'].update(1, { name: 'Apollo' }, { ifMatch: whole }), { status: 412 } as never)
    const part = await api['/projects'].get(1, { include: ['owner'] })
    t.match(await api['/projects'].update(1, { name: 'Apollo' }, { ifMatch: part }), { version: 3 })
    const task = await api['/tasks'].get(1)
    await t.rejects(api['/tasks'].update(1, {}, { ifMatch: task }), /this record has no version/)
  })

  t.test('without the option, nothing is read or sent for it', async (t) => {
    const { headers } = await app.inject({ url: '/plain?sort=name', headers: { 'if-none-match': '*' } })
    t.notOk('etag' in headers || 'vary' in headers)
    t.ok((await client(app, '/plain').get()).items.length)
  })
})
