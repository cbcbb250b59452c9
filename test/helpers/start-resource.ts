/** Servers with one resource, whose options differ from test to test. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { crudKit, type CrudRoutesOptions } from '../../src/index.ts'
import { newServer } from './server.ts'

/** Starts a server. `prepare` gets it before the resource is registered. It is closed when the test ends. */
type StartResource = (
  t: Test,
  options?: Partial<CrudRoutesOptions>,
  prepare?: (app: FastifyInstance) => unknown
) => Promise<FastifyInstance>

/**
 * A function that starts a server with a resource.
 *
 * @param usual the options of the resource, to which a test adds its own
 * @example const start = startResource(orm, '/jars', () => ({ crud: jars() }))
 *   const app = await start(t, { operations: ['list'] })
 */
export function startResource (orm: MikroORM, path: `/${string}`, usual: () => CrudRoutesOptions): StartResource {
  return async (t, options = {}, prepare = () => {}) => {
    const app = newServer(t)
    await prepare(app)
    await app.register(crudKit, { orm, indexAdvice: false, resources: { [path]: { ...usual(), ...options } } })
    return app
  }
}
