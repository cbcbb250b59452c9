/**
 * Decorates requests with `em`, an EntityManager for one request. It is forked at the first read, since most requests
 * never read it.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { accessOf } from './access.ts'
import {
  checkPluginOptions, EM_PROPERTIES, emGetter, INPUT_PROPERTY, metaOnDatabase, refuseSecond, rememberReply,
} from '../src/http/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's own EntityManager. Its queries are cancelled in PostgreSQL when the client disconnects. */
    readonly em: EntityManager
  }
}

const NAME = 'fastify-crud-kit/request-em'

async function register (fastify: FastifyInstance, options: object): Promise<void> {
  checkPluginOptions(NAME, options)
  refuseSecond(NAME, 'request.em', fastify.hasRequestDecorator('em'))
  const emOf = emGetter(fastify.orm, ({ server }) => accessOf(server))
  for (const property of [...EM_PROPERTIES, INPUT_PROPERTY]) fastify.decorateRequest(property as never, null as never)
  fastify.addHook('onRequest', (request, reply, done) => {
    rememberReply(request, reply)
    done()
  })
  fastify.decorateRequest('em', {
    getter (this: FastifyRequest) {
      return emOf(this)
    },
  })
}

/**
 * The plugin that gives each request an EntityManager.
 *
 * @example
 * await fastify.register(requestEm)
 * fastify.get('/', async ({ em }) => await em.find(Category, {}))
 */
export const requestEm = fp(register, metaOnDatabase(NAME))
export default requestEm
