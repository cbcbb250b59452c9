/** The order in which the plugins of access and of routes must be registered. */
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import {
  ConfigError, crudAccess, crudDatabase, crudKit, crudRoutes, requestEm, requestQueryParams, type AccessOptions,
} from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { access, countries, entities, seed, sender, tasks } from './fixtures.ts'

const other: AccessOptions = { role: () => 'all', roles: { all: true } }

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const server = async (t: Test): Promise<FastifyInstance> => {
    const app = newServer(t)
    await app.register(crudDatabase, { orm })
    return app
  }
  const prepared = async (t: Test): Promise<FastifyInstance> => {
    const app = await server(t)
    await app.register(requestEm)
    await app.register(requestQueryParams)
    return app
  }
  const refuses = async (t: Test, register: () => PromiseLike<unknown>, message: RegExp): Promise<void> => {
    const error = await t.rejects(async () => await register())
    t.ok(error instanceof ConfigError, String(error))
    t.match(String((error as unknown as Error).message), message)
  }

  t.test('rules that come after the routes of a resource are refused', async (t) => {
    const late =
      /^fastify-crud-kit\/access: routes of \/countries are registered already, .* Register the plugin before crudRoutes/
    const app = await prepared(t)
    await app.register(crudRoutes, { prefix: '/countries', crud: countries })
    await refuses(t, () => app.register(crudAccess, { access }), late)
    const kit = newServer(t)
    await kit.register(crudKit, { orm, indexAdvice: false, resources: { '/countries': countries } })
    await refuses(t, () => kit.register(crudAccess, { access }), late)
    const outer = await prepared(t)
    await outer.register(async (child) => {
      await child.register(crudRoutes, { prefix: '/countries', crud: countries })
    })
    await refuses(t, () => outer.register(crudAccess, { access }), late)
  })

  t.test('rules for other routes may come later', async (t) => {
    const app = await prepared(t)
    await app.register(crudRoutes, { prefix: '/countries', crud: countries })
    await app.register(async (child) => {
      await child.register(crudAccess, { access })
      await child.register(crudRoutes, { prefix: '/tasks', crud: tasks })
    })
    await app.register(crudAccess, {})
    await app.ready()
    t.equal((await sender(app, { role: 'stranger' })('GET', '/countries')).status, 200)
    t.equal((await sender(app, { role: 'stranger' })('GET', '/tasks')).status, 403)
  })

  t.test('the rules of an instance are given once', async (t) => {
    const second = /^fastify-crud-kit\/access: the option 'access' exists already\. Register the plugin once, or/
    const app = await prepared(t)
    await app.register(crudAccess, { access })
    await refuses(t, () => app.register(crudAccess, { access: other }), second)
    const nested = await prepared(t)
    await nested.register(crudAccess, { access })
    await refuses(t, () => nested.register(async (child) => await child.register(crudAccess, { access: other })),
      second)
    const kit = newServer(t)
    await kit.register(crudKit, { orm, access, indexAdvice: false })
    await refuses(t, () => kit.register(crudAccess, { access: other }), second)
  })

  t.test('routes without a plugin that they need are refused', async (t) => {
    const needs = (plugin: string): RegExp =>
      new RegExp(`^The resource /countries: register ${plugin} first, or crudKit, which contains it\\.$`)
    const options = { prefix: '/countries', crud: countries }
    const none = await server(t)
    await refuses(t, () => none.register(crudRoutes, options), needs('requestEm'))
    const withoutQuery = await server(t)
    await withoutQuery.register(requestEm)
    await refuses(t, () => withoutQuery.register(crudRoutes, options), needs('requestQueryParams'))
    const withoutEm = await server(t)
    await withoutEm.register(requestQueryParams)
    await refuses(t, () => withoutEm.register(crudRoutes, options), needs('requestEm'))
    const elsewhere = await server(t)
    await elsewhere.register(requestQueryParams)
    await elsewhere.register(async (child) => {
      await child.register(requestEm)
    })
    await refuses(t, () => elsewhere.register(crudRoutes, options), needs('requestEm'))
    const app = await prepared(t)
    await app.register(async (child) => {
      await child.register(async (inner) => {
        await inner.register(crudRoutes, options)
      })
    }, { prefix: '/v1' })
    t.equal((await sender(app)('GET', '/v1/countries')).body.total, 2)
  })
})
