/** A server for the entities of the co-located layout. Requests name their tenant in a header, which is the scope. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyServerOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { crudKit } from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'
import { comments, labels, projects, tasks } from './colocated.ts'

const scope = (request: { readonly headers: Record<string, unknown> }) => ({
  tenant_id: Number(request.headers.tenant),
})
const WRITES = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'updateMany', 'deleteMany'] as const
const MORE = { query: true, links: true, conditional: true }

export async function serveColocated (
  t: Test,
  orm: MikroORM,
  options?: FastifyServerOptions
): Promise<FastifyInstance> {
  const app = newServer(t, options)
  await app.register(crudKit, {
    orm,
    shared: ['Country'],
    resources: {
      '/projects': { crud: projects, scope, operations: [...WRITES, 'restore', 'aggregate'], stream: true, ...MORE },
      '/tasks': { crud: tasks, scope, operations: [...WRITES, 'aggregate'], stream: true, ...MORE },
      '/labels': { crud: labels, scope, operations: [...WRITES, 'upsert'], maxAffected: 1 },
      '/comments': { crud: comments, scope, operations: WRITES },
    } as never,
  })
  await app.ready()
  return app
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly payload?: any
  readonly tenant?: number
  readonly headers?: Record<string, string>
}

export async function send (
  app: FastifyInstance,
  { method = 'GET', url, payload, tenant = 1, headers }: Call
): Promise<LightMyRequestResponse> {
  return await app.inject({ method, url, payload, headers: { tenant: String(tenant), ...headers } })
}

/** Rows for all tables: three tenants with the same number of rows. The values are the same in every database. */
export const rows = [
  "insert into country values ('de', 'Germany'), ('fr', 'France'), ('it', 'Italy')",
  'insert into project (tenant_id, id, name, stage, budget, country, deleted_at) ' +
  "select t, md5(t || 'p' || n)::uuid, 'Project ' || n % 7, (array['draft', 'running', 'done'])[1 + n % 3]::stage, " +
  "n * 1.25, (array['de', 'fr', 'it', null])[1 + n % 4], case when n % 9 = 0 then timestamptz '2026-01-01Z' end " +
  'from generate_series(1, 3) t, generate_series(1, 20) n',
  'insert into label (tenant_id, id, name) ' +
  "select t, md5(t || 'l' || n)::uuid, 'Label ' || n from generate_series(1, 3) t, generate_series(1, 8) n",
  'insert into task (tenant_id, id, title, priority, weight, done, due, data, changed, project_id) ' +
  "select t, md5(t || 't' || n)::uuid, 'Task ' || n % 31, n % 5, n / 3::float8, n % 2 = 0, " +
  "timestamptz '2026-02-03 04:05:06.789Z' + n * interval '1 day', json_build_object('n', n), " +
  "timestamptz '2026-01-01Z', case when n % 6 > 0 then md5(t || 'p' || 1 + n % 20)::uuid end " +
  'from generate_series(1, 3) t, generate_series(1, 120) n',
  'insert into task_labels (tenant_id, task_id, label_id) ' +
  "select t, md5(t || 't' || n)::uuid, md5(t || 'l' || l)::uuid " +
  'from generate_series(1, 3) t, generate_series(1, 120) n, generate_series(1, 8) l where (n + l) % 3 = 0',
  'insert into comment (tenant_id, id, body, task_id) ' +
  "select t, 1000 * t + n, 'Comment ' || n % 13, md5(t || 't' || n % 50 + 1)::uuid " +
  'from generate_series(1, 3) t, generate_series(1, 90) n',
]
