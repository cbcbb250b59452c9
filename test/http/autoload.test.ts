/** The plugins of the folder without crudKit: loaded together by @fastify/autoload, or one by one. */
import autoload from '@fastify/autoload'
import { UniqueConstraintViolationException } from '@mikro-orm/postgresql'
import Fastify, { type FastifyInstance } from 'fastify'
import path from 'node:path'
import t, { type Test } from 'tap'
import {
  crudAdvice, crudDatabase, crudErrors, crudHealth, crudKit, crudRoutes, requestEm, requestQueryParams, serverTiming,
} from '../../src/index.ts'
import { entities, Group, Plant, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase, pgliteUrl } from '../helpers/databases.ts'
import { bodyOf, resource } from './helper.ts'

const folder = path.join(import.meta.dirname, '../../plugins')

// the folder holds TypeScript here, and JavaScript in the package
process.env['FASTIFY_AUTOLOAD_TYPESCRIPT'] = '1'

/** Registers the files of the folder with the same options, those that others depend on first. */
const loadFolder = (app: FastifyInstance, options: object) => app.register(autoload, { dir: folder, options })

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const server = (t: Test): FastifyInstance => {
    const app = Fastify()
    t.teardown(() => app.close())
    return app
  }
  const plants = resource(Plant, { allowedFilters: ['name'] })

  t.test('a folder that is loaded gives a server everything that crudKit gives it, except resources', async (t) => {
    const app = server(t)
    await loadFolder(app, { orm, serverTiming: true, shared: ['Tag'] })
    await app.register(crudRoutes, { prefix: '/plants', crud: plants })
    app.get('/count', async ({ em }) => await em.count(Tag))
    const response = await app.inject('/plants?filter[name]=Lavender')
    t.equal(bodyOf(response).total, 1)
    t.match(response.headers['server-timing'], /^parse;dur=/)
    t.equal((await app.inject('/count')).body, '5')
    t.match(bodyOf(await app.inject('/plants?filter[nmae]=x')), { statusCode: 400, errors: [{}] })
    t.match(await app.crudHealth(), { status: 'up' })
  })

  t.test('the options of all plugins in the folder are checked at once', async (t) => {
    for (const [options, message] of [
      [{ orm, sharde: [] }, /^fastify-crud-kit\/\w+: .*'sharde'.*'shared'/],
      [{ orm, serverTiming: 'yes' }, /serverTiming: expected boolean, got 'yes'$/],
      [{}, /^fastify-crud-kit\/database: give 'orm', an open MikroORM, or 'database'/],
    ] as const) {
      const app = server(t)
      await t.rejects(async () => await loadFolder(app, options), { code: 'FST_CRUD_CONFIG_INVALID', message })
    }
  })

  t.test('the EntityManager and error answers need only the database plugin', async (t) => {
    const app = server(t)
    await app.register(crudDatabase, { orm })
    await app.register(requestEm)
    await app.register(crudErrors)
    app.post('/', {
      schema: { response: { '4xx': { $ref: 'fastify-crud-kit/error#' } } },
    }, async ({ em }) => await em.insert(Group, { id: 1, name: 'Perennials' } as never))
    app.get('/', {
      errorHandler: (error, _request, reply) =>
        reply.code(418).send({ is: error instanceof UniqueConstraintViolationException }),
    }, async ({ em }) => await em.insert(Group, { id: 1, name: 'Perennials' } as never))
    const conflict = await app.inject({ method: 'POST', url: '/' })
    t.match(bodyOf(conflict), { statusCode: 409, code: 'FST_CRUD_CONFLICT', errors: [] })
    t.strictSame((await app.inject('/')).json(), { is: true }, 'but not what the application handles')
  })

  t.test('the parsed query string needs no database', async (t) => {
    const app = server(t)
    await app.register(requestQueryParams)
    app.get('/', async ({ queryParams }) => queryParams.sort)
    t.strictSame((await app.inject('/?sort=-name')).json(), ['-name'])
  })

  t.test('Fastify names the plugin that is missing', async (t) => {
    for (const plugin of [requestEm, crudErrors, crudHealth, crudAdvice]) {
      const app = server(t)
      app.register(plugin)
      await t.rejects(async () => await app.ready(), {
        code: /^FST_ERR_PLUGIN_(DEPENDENCY_NOT_REGISTERED|NOT_PRESENT_IN_INSTANCE)$/,
      })
    }
  })

  t.test('a database opened by one of the plugins is closed with the server', async (t) => {
    const app = server(t)
    await app.register(crudDatabase, { database: { databaseUrl: pgliteUrl(t), entities: [Tag] } })
    await app.register(serverTiming)
    await app.ready()
    const { orm } = app
    t.equal(await orm.isConnected(), true)
    await app.close()
    t.equal(await orm.isConnected(), false)
  })

  t.test('printPlugins lists all plugins of the folder', async (t) => {
    const app = server(t)
    await app.register(crudKit, { orm, resources: { '/plants': plants } })
    await app.ready()
    const names = app.printPlugins().split('\n').map((line) => /[├└]─[─┬] (\S+)/.exec(line)?.[1])
    t.strictSame(names.filter((name) => name?.startsWith('fastify-crud-kit')), [
      'fastify-crud-kit', 'fastify-crud-kit/database', 'fastify-crud-kit/errors', 'fastify-crud-kit/access',
      'fastify-crud-kit/health', 'fastify-crud-kit/request-em', 'fastify-crud-kit/query-params',
      'fastify-crud-kit/server-timing', 'fastify-crud-kit/advice', 'fastify-crud-kit/crud-routes',
    ])
  })
})
