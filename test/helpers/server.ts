import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'

/** A server without routes, which is closed when the test ends. */
export function newServer (t: Pick<Test, 'teardown'>, options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify(options)
  t.teardown(() => app.close())
  return app
}
