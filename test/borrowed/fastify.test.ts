import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import assert from 'node:assert/strict'
import * as borrowed from '../../src/borrowed/fastify.ts'
import { testContracts } from './helper.ts'

const schema = { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false }

/** The verdict of an instance's compiler on a body, and the body afterwards. */
function verdictOf (fastify: ReturnType<typeof Fastify>, body: object): unknown {
  const { compile, isCustom } = borrowed.validatorCompilerOf(fastify)
  const validate = compile({ schema, httpPart: 'body', method: 'POST', url: '/' }) as (data: object) => unknown
  return { isCustom, valid: validate(body), body }
}

await testContracts(borrowed.FASTIFY_MEMBERS, {
  'FastifyInstance.fastify.schemaController': {
    does: 'makes the default compiler before the first route, and knows the compiler of the application',
    holds: async () => {
      assert.deepEqual(verdictOf(Fastify(), { size: '3' }), { isCustom: false, valid: true, body: { size: 3 } })
      const app = Fastify()
      app.setValidatorCompiler(() => () => false)
      assert.deepEqual(verdictOf(app, { size: 3 }), { isCustom: true, valid: false, body: { size: 3 } })
      await Fastify().register(async (inner) => {
        assert.deepEqual(verdictOf(inner, { size: '3' }), { isCustom: false, valid: true, body: { size: 3 } })
      })
    },
  },
  'FastifyInstance.fastify.options': {
    does: "has the application's options of Ajv",
    holds: () => {
      const app = Fastify({ ajv: { customOptions: { coerceTypes: false } } })
      assert.deepEqual(verdictOf(app, { size: '3' }), { isCustom: false, valid: false, body: { size: '3' } })
    },
  },
  'FastifyInstance.fastify.schemaErrorFormatter': {
    does: "is the application's function, bound or not, or nothing",
    holds: async () => {
      const own = (): Error => new Error('own')
      assert.equal(borrowed.schemaErrorFormatterOf(Fastify()), undefined)
      const named = (fastify: FastifyInstance): string | undefined =>
        borrowed.schemaErrorFormatterOf(fastify)?.([], 'body').message
      assert.equal(named(Fastify({ schemaErrorFormatter: own })), 'own')
      const app = Fastify()
      await app.register(async (inner) => {
        inner.setSchemaErrorFormatter(own)
        // Fastify binds the function to the instance
        assert.equal(named(inner), 'own')
      })
      assert.equal(borrowed.schemaErrorFormatterOf(app), undefined)
    },
  },
  'FastifyInstance.fastify.contentTypeParser': {
    does: 'finds the parser of a media type, of a pattern and of all types, and can be replaced for some routes',
    holds: async () => {
      const parse = (request: unknown, body: unknown, done: (error: null) => void): void => done(null)
      const app = Fastify()
      assert.equal(borrowed.hasParserFor(app, 'application/json'), true)
      assert.equal(borrowed.hasParserFor(app, 'application/merge-patch+json'), false)
      app.addContentTypeParser('application/merge-patch+json', parse)
      assert.equal(borrowed.hasParserFor(app, 'application/merge-patch+json'), true)
      app.addContentTypeParser(/\+json$/, parse)
      assert.equal(borrowed.hasParserFor(app, 'application/hal+json'), true)
      assert.equal(borrowed.hasParserFor(app, 'text/csv'), false)
      app.addContentTypeParser('*', parse)
      assert.equal(borrowed.hasParserFor(app, 'text/csv'), true)
      const other = Fastify()
      other.addContentTypeParser('text/csv', { parseAs: 'string' }, (request, body, done) => done(null, 'parsed'))
      const both = Fastify()
      both.addHook('onRequest', async (request, reply) => {
        reply.header('x-hook', 'run')
      })
      const body = async (request: FastifyRequest): Promise<unknown> => request.body
      both.post('/own', body)
      borrowed.withParsers(both, borrowed.parsersOf(other)).post('/other', body)
      const send = async (url: string) =>
        await both.inject({ method: 'POST', url, payload: 'a,b', headers: { 'content-type': 'text/csv' } })
      assert.equal((await send('/own')).statusCode, 415)
      const answer = await send('/other')
      assert.deepEqual([answer.body, answer.headers['x-hook']], ['parsed', 'run'])
    },
  },
  'Request.fastify.context': {
    does: 'has the hooks between validation and handler, of the route and of all instances around it',
    holds: async () => {
      const found = async (prepare: (app: FastifyInstance) => unknown, hooks: object = {}): Promise<unknown> => {
        const app = Fastify()
        await app.register(async (inner) => {
          inner.get('/', hooks, async (request) => ({ found: borrowed.hasPreHandler(request) }))
        })
        await prepare(app)
        return (await app.inject('/')).json().found
      }
      const hook = async (): Promise<void> => {}
      assert.equal(await found(() => {}), false)
      assert.equal(await found((app) => app.addHook('preHandler', hook)), true)
      assert.equal(await found(() => {}, { preHandler: hook }), true)
      assert.equal(await found((app) => app.addHook('preValidation', hook)), false)
    },
  },
})
