/**
 * A process that opens many servers on one PGlite, one after the other, and then uses many schemas for a role. It
 * prints what remains of them.
 */
import { p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/pglite'
import Fastify from 'fastify'
import { setImmediate as turn } from 'node:timers/promises'
import { AllowedFilters, CrudBase, crudKit, parseQueryParams, QueryBuilderConfig } from '../../src/index.ts'
import { accessFor, MAX_SCHEMAS } from '../../src/resource/models.ts'
import { entity } from '../helpers/entity.ts'

const SERVERS = 30
const SCHEMAS = MAX_SCHEMAS + 30
const Thing = entity('Thing', { id: p.integer().primary(), name: p.text() })
const orm = await MikroORM.init({ entities: [Thing], dbName: 'memory://' } as object)
await orm.schema.create()
const servers: WeakRef<object>[] = []
const resources: WeakRef<object>[] = []

async function useServer (): Promise<void> {
  const app = Fastify()
  const crud = new CrudBase<any>({
    model: Thing,
    queryConfig: new QueryBuilderConfig<any>({ allowedFilters: [new AllowedFilters('id')] }),
  })
  servers.push(new WeakRef(app))
  resources.push(new WeakRef(crud))
  await app.register(crudKit, {
    orm: orm as never,
    resources: { '/things': { crud, operations: ['list', 'get'], stream: true } },
  })
  for (const accept of ['application/json', 'application/x-ndjson']) {
    await app.inject({ url: '/things?filter[id]=1', headers: { accept } })
  }
  // often enough that the statement would get a name
  for (let i = 0; i < 8; i++) await app.inject('/things/1')
  await app.close()
}

for (let i = 0; i < SERVERS; i++) await useServer()
const client = await orm.em.getConnection().getNativeClient() as unknown as {
  query(sql: string): Promise<{ rows: [{ n: number }] }>,
  exec(sql: string): Promise<unknown>,
}

const access = { role: () => 'member', roles: { member: { Thing: { rows: { name: 'own' } } } } }
const things = new CrudBase<any>({ model: Thing })
const models: WeakRef<object>[] = []

async function useSchema (schema: string): Promise<void> {
  await client.exec(`create schema ${schema}; create table ${schema}.thing (id int primary key, name text not null)`)
  const em = orm.em.fork({ schema }) as never
  await things.forRole('member', { access }).list(em, parseQueryParams(''))
  models.push(new WeakRef(things.bind(em, accessFor(access, em).roles.get('member')).model))
}

for (let i = 0; i < SCHEMAS; i++) await useSchema(`s${i}`)
const { rows: [{ n: prepared }] } = await client.query('select count(*)::int as n from pg_prepared_statements')
const left = (refs: readonly WeakRef<object>[]): number => refs.filter((ref) => ref.deref() !== undefined).length
// some objects wait for finalizers of others
for (let round = 0; round < 2 || (round < 20 && left([...servers, ...resources]) > 0); round++) {
  await turn()
  globalThis.gc!()
}
const schemas = left(models) - MAX_SCHEMAS
console.log(JSON.stringify({ prepared, servers: left(servers), resources: left(resources), schemas }))
await orm.close(true)
