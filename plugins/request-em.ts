/** `request.em`: an EntityManager for one request, forked when first asked for. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** An EntityManager of this request's own. Its queries are cancelled in the server when the client goes away. */
    readonly em: EntityManager
  }
}

const kEm = Symbol('fastify-crud-kit.em')
const kReply = Symbol('fastify-crud-kit.reply')

interface WithEm { [kEm]: EntityManager | null, [kReply]: FastifyReply | null }

/** Decorates requests with `em`. */
export function decorateEm (fastify: FastifyInstance, orm: MikroORM): void {
  // PGlite runs one statement at a time, in this process, and has no way to cancel it
  const strategy = cancelStrategy(orm)
  fastify.decorateRequest(kEm as never, null as never)
  fastify.decorateRequest(kReply as never, null as never)
  fastify.addHook('onRequest', (request, reply, done) => {
    (request as unknown as WithEm)[kReply] = reply
    done()
  })
  fastify.decorateRequest('em', {
    getter (this: FastifyRequest) {
      const request = this as FastifyRequest & WithEm
      request[kEm] ??= orm.em.fork({ signal: abortSignal(request[kReply]), ...strategy }) as EntityManager
      return request[kEm]
    },
  })
}

function cancelStrategy (orm: MikroORM): { inflightQueryAbortStrategy: 'cancel query' } | undefined {
  return orm.driver.constructor.name === 'PgliteDriver' ? undefined : { inflightQueryAbortStrategy: 'cancel query' }
}

/** Aborts when the response closes before it is finished: the client has gone. */
function abortSignal (reply: FastifyReply | null): AbortSignal | undefined {
  if (reply === null) return undefined
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
