/** `request.em`: an EntityManager for one request, forked when first asked for. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const kEm = Symbol('fastify-crud-kit.em')
const kReply = Symbol('fastify-crud-kit.reply')
const kAbort = Symbol('fastify-crud-kit.abort')

/** Absent, not null, in contexts that are older than the decorators, such as that of a route registered before. */
interface WithEm { [kEm]?: EntityManager | null, [kReply]?: FastifyReply | null, [kAbort]?: AbortController | null }

/** Decorates requests with `em`. */
export function decorateEm (fastify: FastifyInstance, orm: MikroORM): void {
  // PGlite runs one statement at a time, in this process, and has no way to cancel it
  const strategy = cancelStrategy(orm)
  for (const symbol of [kEm, kReply, kAbort]) fastify.decorateRequest(symbol as never, null as never)
  fastify.addHook('onRequest', (request, reply, done) => {
    const withEm = request as unknown as WithEm
    withEm[kReply] = reply
    // an earlier hook of the application has asked for the EntityManager already
    if (withEm[kAbort]) abortOnClose(withEm[kAbort], reply)
    done()
  })
  fastify.decorateRequest('em', {
    getter (this: FastifyRequest) {
      const request = this as FastifyRequest & WithEm
      if (!request[kEm]) {
        const controller = new AbortController()
        if (!request[kReply]) request[kAbort] = controller
        else abortOnClose(controller, request[kReply])
        request[kEm] = orm.em.fork({ signal: controller.signal, ...strategy }) as EntityManager
      }
      return request[kEm]
    },
  })
}

function cancelStrategy (orm: MikroORM): { inflightQueryAbortStrategy: 'cancel query' } | undefined {
  return orm.driver.constructor.name === 'PgliteDriver' ? undefined : { inflightQueryAbortStrategy: 'cancel query' }
}

/** When the response closes before it is finished, the client has gone. */
function abortOnClose (controller: AbortController, { raw }: FastifyReply): void {
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
}

/** Runs a function while `request.em` is another one: that of a transaction. */
export async function switchEm<Result> (request: FastifyRequest, em: EntityManager, fn: () => Promise<Result>): Promise<Result> {
  const withEm = request as unknown as WithEm
  const before = withEm[kEm] ?? null
  withEm[kEm] = em
  try {
    return await fn()
  } finally {
    withEm[kEm] = before
  }
}
