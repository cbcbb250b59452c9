/** The explorer explains requests: statements, plans and missing indexes, for callers who may send the request. */
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import t from 'tap'
import { AllowedFilters } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource } from '../http/helper.ts'
import { describedBy, explored } from './nursery.ts'

const plants = resource(Plant, {
  allowedFilters: [{ position: ['gte'] }], allowedSorts: ['name'], allowedIncludes: ['tags'],
})
const explainUrl = (path: string): string => `/explorer/explain?path=${encodeURIComponent(path)}`
const EXPLAIN = { explorer: { explain: true } }

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('a list has its statement, its values, its plan and the indexes that it lacks', async (t) => {
    const app = await explored(t, orm, { resources: { '/plants': plants } }, EXPLAIN)
    t.equal((await describedBy(app)).explain, true)
    const response = await app.inject(explainUrl('/plants?filter[position]=3&sort=name&include=tags'))
    t.equal(response.statusCode, 200, response.body)
    t.equal(response.headers['cache-control'], 'no-store')
    const { statements, advice } = response.json()
    t.equal(statements.length, 1)
    const [{ sql, parameters, plan, milliseconds }] = statements
    t.match(sql, /^(select|with) .*"order" >= \$\d/)
    t.ok(parameters.includes('3'))
    t.match(plan.join('\n'), /actual time=[^]*Execution Time: /)
    t.ok(milliseconds > 0)
    t.strictSame(advice.map((sentence: string) => sentence.split(':')[0]), [
      'There is no index behind filter[position]',
      'There is no index behind sort=name',
    ])
  })

  t.test('a record, and a list that is refused', async (t) => {
    const app = await explored(t, orm, { resources: { '/plants': plants } }, EXPLAIN)
    const record = await app.inject(explainUrl('/plants/1'))
    t.equal(record.json().statements.length, 1)
    for (const path of ['/plants?filter[absent]=1', '/plants/x', '/absent']) {
      const [explained, sent] = [await app.inject(explainUrl(path)), await app.inject(path)]
      t.equal(explained.statusCode, sent.statusCode, path)
      t.equal(explained.body, sent.body)
    }
  })

  t.test('the order of a list is no advice for a record, which has none', async (t) => {
    const sorted = resource(Plant, { allowedSorts: ['name'], defaultSort: ['name'] })
    const app = await explored(t, orm, { resources: { '/plants': sorted } }, EXPLAIN)
    const adviceOf = async (path: string) => (await app.inject(explainUrl(path))).json().advice
    t.match(await adviceOf('/plants'), [/^There is no index behind the default sort:/])
    t.strictSame(await adviceOf('/plants/1'), [])
  })

  t.test('it has the authorization of the request that it explains', async (t) => {
    const app = await explored(t, orm, {
      resources: {
        '/plants': {
          crud: plants,
          hooks: {
            all: {
              onRequest: async (request, reply) => {
                if (request.headers.authorization === undefined) await reply.code(401).send({ message: 'Who?' })
              },
            },
          },
        },
      },
    }, EXPLAIN)
    const refused = await app.inject(explainUrl('/plants'))
    t.equal(refused.statusCode, 401)
    t.strictSame(refused.json(), { message: 'Who?' })
    const headers = { authorization: 'Bearer token' }
    t.equal((await app.inject({ url: explainUrl('/plants'), headers })).statusCode, 200)
  })

  t.test('other routes, other paths, and servers without the option', async (t) => {
    const app = await explored(t, orm, { resources: { '/plants': plants } }, {
      ...EXPLAIN,
      prepare: (app) => app.get('/own', () => ({ secret: 1 })),
    })
    const own = await app.inject(explainUrl('/own'))
    t.equal(own.statusCode, 400)
    t.notMatch(own.body, /secret/)
    t.equal((await app.inject('/explorer/explain?path=http://example.com')).statusCode, 400)
    t.equal((await app.inject('/explorer/explain')).statusCode, 400)

    const typed = await explored(t, orm, { resources: { '/plants': plants } }, {
      ...EXPLAIN,
      prepare: (app) => app.setValidatorCompiler(TypeBoxValidatorCompiler),
    })
    t.equal((await typed.inject(explainUrl('/plants'))).statusCode, 200, 'with the validator of the type provider')
    t.equal((await typed.inject('/explorer/explain')).statusCode, 400)

    const off = await explored(t, orm, { resources: { '/plants': plants } })
    t.equal((await describedBy(off)).explain, false)
    t.match((await off.inject(explainUrl('/plants'))).headers['content-type'], /html/, 'a place in the page')
  })
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('in production it is off', async (t) => {
    const before = process.env['NODE_ENV']
    process.env['NODE_ENV'] = 'production'
    t.teardown(() => {
      if (before === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = before
    })
    const app = await explored(t, orm, { resources: { '/plants': plants } }, EXPLAIN)
    t.equal((await describedBy(app)).explain, false)
    t.match((await app.inject(explainUrl('/plants'))).headers['content-type'], /html/)
  })

  t.test('a filter of the application and a total are explained, too', async (t) => {
    const app = await explored(t, orm, {
      resources: {
        '/plants': resource(Plant, {
          allowedFilters: [AllowedFilters.custom('cheap', (qb) => qb.andWhere({ price: { $lt: 5 } }))],
          pagination: { count: 'exact' },
        }),
      },
    }, EXPLAIN)
    const { statements } = (await app.inject(explainUrl('/plants?filter[cheap]=1'))).json()
    t.match(statements[0].plan.join('\n'), /actual time/)
  })
})
