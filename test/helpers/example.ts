/** The example application on a separate database. */
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { buildApp } from '../../example/app.ts'
import { entities } from '../../example/entities/index.ts'
import { DatabaseFactory } from '../../src/index.ts'
import { pgliteUrl } from './databases.ts'

/** The application with its catalogue, on PGlite, as in development; closed when the test ends. */
export async function openExample (t: Pick<Test, 'teardown'>): Promise<FastifyInstance> {
  const app = await buildApp(new DatabaseFactory({ databaseUrl: pgliteUrl(t), entities, schema: 'create' }), {
    forceCloseConnections: true, // a browser may keep a connection that it has not used yet
  }, {})
  t.teardown(() => app.close())
  return app
}
