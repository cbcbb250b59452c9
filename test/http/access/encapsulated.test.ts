/** Rules that `crudAccess` adds to an instance: they hold for all routes inside of it, and for no others. */
import t from 'tap'
import { crudAccess, CrudBase, crudRoutes, parseQueryParams, type AccessOptions } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import { entities, Project, seed, sender, serveWith } from './fixtures.ts'
import { resource } from '../../helpers/resource.ts'

const ALL = parseQueryParams('')

/** A class with overridden methods, which work with `request.em`. */
class Projects extends CrudBase<any> {
  override list (session: any, ...rest: any[]): any {
    return this.#later(() => super.list(session, ...rest))
  }

  override update (session: any, id: any, data: any, options: any): any {
    return this.#later(() => super.update(session, id, data, options))
  }

  async #later (work: () => unknown): Promise<unknown> {
    return await work()
  }
}

const rules = (tenant: number): AccessOptions => ({
  role: () => 'member',
  roles: { member: { Project: { rows: { tenant }, hidden: ['budget'] } } },
})

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const plain = resource(Project)
  const overridden = new Projects({ model: Project, writable: 'all' })
  const operations = ['list', 'get', 'update'] as const

  const app = await serveWith(t, orm, { access: undefined, resources: {} } as never, async (app) => {
    for (const tenant of [1, 2]) {
      await app.register(async (child) => {
        child.get('/early', async ({ em }) => await plain.list(em, ALL))
        await child.register(crudAccess, { access: rules(tenant) })
        await child.register(crudRoutes, { prefix: '/plain', crud: plain, operations })
        await child.register(crudRoutes, { prefix: '/overridden', crud: overridden, operations })
        child.get('/own', async ({ em }) => await plain.list(em, ALL))
        await child.register(async (inner) => {
          inner.get('/inner',
            async ({ em }) => await em.transactional(async (em) => await plain.list(em as never, ALL)))
        })
      }, { prefix: `/v${tenant}` })
    }
    await app.register(crudRoutes, { prefix: '/outside', crud: overridden, operations })
    app.get('/own', async ({ em }) => await plain.list(em, ALL))
  })
  const send = sender(app)

  for (const tenant of [1, 2]) {
    for (const url of ['plain', 'overridden', 'own', 'early', 'inner']) {
      t.test(`/v${tenant}/${url} has the rows and properties of its instance`, async (t) => {
        const { status, body } = await send('GET', `/v${tenant}/${url}`)
        t.equal(status, 200)
        t.equal(body.items.length, 2)
        t.ok(body.items.every((item: any) => item.tenant === tenant && !('budget' in item)))
      })
    }
  }

  t.test('an overridden update changes no row outside of the rules', async (t) => {
    const [{ id }] = await select(orm, "select id from project where tenant = 2 and name = 'Apollo'") as any
    t.equal((await send('PATCH', `/v1/overridden/${id}`, { name: 'Mine' })).status, 404)
    t.equal((await send('PATCH', `/v2/overridden/${id}`, { tenant: 1 })).status, 403)
    t.equal((await send('PATCH', `/v2/overridden/${id}`, { budget: 7 })).status, 400)
    const { status, body } = await send('PATCH', `/v2/overridden/${id}`, { name: 'Apollo' })
    t.equal(status, 200)
    t.notOk('budget' in body)
  })

  t.test('routes outside of the instances have no rules', async (t) => {
    for (const url of ['/outside', '/own']) {
      const { body } = await send('GET', url)
      t.equal(body.items.length, 4)
      t.ok(body.items.every((item: any) => 'budget' in item))
    }
  })
})
