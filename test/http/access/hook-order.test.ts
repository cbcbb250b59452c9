/** When a generated route asks for the role of a request: after all `preValidation` hooks of the application. */
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import t from 'tap'
import { crudKit, type AccessOptions, type CrudKitOptions } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { countries, entities, seed, sender, Task, tasks } from './fixtures.ts'

type Hooks = Array<(request: FastifyRequest) => Promise<void>>

/** The ways in which plugins add a hook to routes. */
const ways: Readonly<Record<string, (route: any, hook: Hooks[number]) => void>> = {
  append: (route, hook) => {
    route.preValidation = [...[route.preValidation ?? []].flat(), hook]
  },
  push: (route, hook) => {
    if (Array.isArray(route.preValidation)) route.preValidation.push(hook)
    else route.preValidation = route.preValidation === undefined ? [hook] : [route.preValidation, hook]
  },
  replace: (route, hook) => {
    route.preValidation = hook
  },
}

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  for (const [name, add] of Object.entries(ways)) {
    for (const exposeHeadRoutes of [true, false]) {
      t.test(`hooks that an onRoute hook adds to routes: ${name}, HEAD routes: ${exposeHeadRoutes}`, async (t) => {
        const users = new WeakMap<FastifyRequest, string>()
        let asked = 0
        const authenticate = async (request: FastifyRequest): Promise<void> => {
          await new Promise((resolve) => setImmediate(resolve))
          if (request.headers['x-role'] === 'member') users.set(request, 'member')
        }
        const access: AccessOptions = {
          role: (request) => {
            asked++
            return users.get(request) ?? 'guest'
          },
          roles: {
            member: { Task: { rows: { tenant: 1 }, hidden: ['note'] } },
            guest: { Task: { operations: ['get'], only: ['id'] } },
          },
        }
        const app: FastifyInstance = Fastify({ exposeHeadRoutes })
        t.teardown(() => app.close())
        app.addHook('onRoute', (route) => add(route, authenticate))
        await app.register(crudKit, {
          orm, access, indexAdvice: false, shared: entities.map(({ name }) => name),
          resources: { '/tasks': { crud: tasks, operations: ['list', 'get', 'create', 'update', 'delete'] } },
        } as CrudKitOptions)
        const [member, guest] = [sender(app), sender(app, { role: 'guest' })]
        const list = await member('GET', '/tasks')
        t.equal(list.status, 200)
        t.strictSame(list.body.items.map(({ tenant }: any) => tenant), [1, 1])
        t.notOk('note' in list.body.items[0])
        t.equal(asked, 1)
        t.equal((await guest('GET', '/tasks')).status, 403)
        t.equal((await guest('GET', '/tasks/1')).status, 200)
        t.equal((await guest('DELETE', '/tasks/1')).status, 403)
        if (exposeHeadRoutes) {
          asked = 0
          t.equal((await member('HEAD', '/tasks')).status, 200)
          t.equal(asked, 1)
          t.equal((await guest('HEAD', '/tasks')).status, 403)
        }
        const unknown = await member('GET', '/tasks?filter[note]=moon')
        t.equal(unknown.status, 400)
        const created = await member('POST', '/tasks', { title: 'New', note: 'x' })
        t.strictSame([created.status, created.body.code], [400, 'FST_ERR_VALIDATION'])
        t.equal((await member('PATCH', '/tasks/1', { note: 'x' })).status, 400)
        t.equal(await orm.em.fork().count(Task, { title: 'New' }), 0)
      })
    }
  }

  t.test('such hooks run before the checks of requests, also without roles', async (t) => {
    const app: FastifyInstance = Fastify()
    t.teardown(() => app.close())
    app.addHook('onRoute', (route) =>
      ways['append']!(route, async (request) => {
        await new Promise((resolve) => setImmediate(resolve))
        const { 'x-query': query } = request.headers
        if (typeof query === 'string') request.query = JSON.parse(query)
      }))
    await app.register(crudKit, { orm, indexAdvice: false, resources: { '/countries': countries } })
    const send = sender(app)
    const bad = { 'x-query': '{"filter[nothing]":"1"}' }
    const seen = (await send('GET', '/countries', undefined, bad)).body
    t.match(seen, { statusCode: 400, errors: [{ source: { parameter: 'filter[nothing]' } }] })
    t.equal((await send('GET', '/countries', undefined, { 'x-query': '{"filter[name]":"Austria"}' })).body.total, 1)
  })
})
