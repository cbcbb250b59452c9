/** The OpenAPI document names the statuses that each operation answers with, and no others. */
import { p } from '@mikro-orm/core'
import swagger from '@fastify/swagger'
import t from 'tap'
import { AllowedAggregate, BaseModel, crudKit, IdempotencyRecord, primaryKey } from '../../src/index.ts'
import { OPERATIONS, type CrudOperation } from '../../src/config/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'
import { newServer } from '../helpers/server.ts'
import { resource, writes, type Headers, type Json } from './helper.ts'

const Note = entity('Note', {
  name: p.string().unique(), room: p.integer().default(1), version: p.integer().version(),
}, { extends: BaseModel })
const Reply = entity('Reply', { ...primaryKey, note: () => p.manyToOne(Note) })
const Draft = entity('Draft', {
  name: p.string().unique(), version: p.integer().version().hidden(),
}, { extends: BaseModel })

const notes = () => resource(Note, {
  allowedFilters: ['name', 'room'],
  allowedAggregates: [AllowedAggregate.count()],
}, { upsertKeys: ['name'] })

/** A request, its body, its headers, and the status of its answer. */
type Row = readonly [request: string, status: number, body?: unknown, headers?: Headers]

const STALE = { 'if-match': '"9"' }
/** No room has this number, which the scope compares. */
const NOWHERE = { room: 'nowhere' }
const LARGE = { name: 'x'.repeat(3_000) }
const FORM = { 'content-type': 'text/plain' }
let keys = 0
/** A request that uses a key, and another one with the same key. */
const keyed = (request: string, status: number, body: unknown, another: string, otherBody: unknown): readonly Row[] => {
  const headers = { 'idempotency-key': `key-${++keys}` }
  return [[request, status, body, headers], [another, 422, otherBody, headers]]
}

/** What each operation answers. Record 1 is referred to, record 2 may be changed, and 3 to 6 may be deleted. */
const ANSWERS: Readonly<Record<CrudOperation, readonly Row[]>> = {
  list: [['GET /notes', 200], ['GET /notes?nope=1', 400], ['GET /notes', 403, undefined, NOWHERE]],
  get: [
    ['GET /notes/1', 200], ['GET /notes/x', 400], ['GET /notes/1', 403, undefined, NOWHERE], ['GET /notes/99', 404],
  ],
  aggregate: [
    ['GET /notes/aggregate?aggregate=count', 200], ['GET /notes/aggregate?nope=1', 400],
    ['GET /notes/aggregate?aggregate=count', 403, undefined, NOWHERE],
  ],
  create: [
    ['POST /notes', 400, {}], ['POST /notes', 403, { name: 'c' }, NOWHERE], ['POST /notes', 409, { name: 'one' }],
    ['POST /notes', 413, LARGE], ['POST /notes', 415, {}, FORM],
    ...keyed('POST /notes', 201, { name: 'created' }, 'POST /notes', { name: 'another' }),
  ],
  createMany: [['POST /notes', 201, [{ name: 'm' }]], ['POST /notes', 409, [{ name: 'one' }]]],
  upsert: [
    ['PUT /notes?on=name', 200, { name: 'two' }], ['PUT /notes?on=name', 400, {}],
    ['PUT /notes?on=name', 403, { name: 'two' }, NOWHERE], ['PUT /notes?on=name', 409, { name: 'gone' }],
    ['PUT /notes?on=name', 412, { name: 'two' }, STALE], ['PUT /notes?on=name', 412, [{ name: 'two' }], STALE],
    ['PUT /notes?on=name', 413, LARGE], ['PUT /notes?on=name', 415, {}, FORM],
    ...keyed('PUT /notes?on=name', 201, { name: 'upserted' }, 'PUT /notes?on=name', { name: 'other' }),
  ],
  update: [
    ['PATCH /notes/2', 400, { nope: 1 }], ['PATCH /notes/2', 403, { name: 'x' }, NOWHERE],
    ['PATCH /notes/99', 404, { name: 'x' }], ['PATCH /notes/2', 409, { name: 'one' }],
    ['PATCH /notes/2', 412, { name: 'x' }, STALE], ['PATCH /notes/2', 413, LARGE], ['PATCH /notes/2', 415, {}, FORM],
    ...keyed('PATCH /notes/2', 200, { room: 2 }, 'PATCH /notes/2', { room: 3 }),
    ['PATCH /strict/2', 428, { room: 2 }],
  ],
  delete: [
    ['DELETE /notes/x', 400], ['DELETE /notes/3', 403, undefined, NOWHERE], ['DELETE /notes/99', 404],
    ['DELETE /notes/1?hard=true', 409], ['DELETE /notes/3', 412, undefined, STALE],
    ['DELETE /notes/3', 413, LARGE], ['DELETE /notes/3', 415, {}, FORM],
    ...keyed('DELETE /notes/3', 200, undefined, 'DELETE /notes/4', undefined),
    ['DELETE /strict/4', 428],
  ],
  restore: [
    ['POST /notes/x/restore', 400], ['POST /notes/3/restore', 403, undefined, NOWHERE],
    ['POST /notes/99/restore', 404], ['POST /notes/3/restore', 412, undefined, STALE],
    ['POST /notes/3/restore', 413, LARGE], ['POST /notes/3/restore', 415, {}, FORM],
    ...keyed('POST /notes/3/restore', 200, undefined, 'POST /notes/4/restore', undefined),
  ],
  updateMany: [
    ['PATCH /notes', 400, { room: 2 }], ['PATCH /notes?filter[name]=two', 403, { room: 2 }, NOWHERE],
    ['PATCH /notes?filter[name]=two', 409, { name: 'one' }], ['PATCH /notes?filter[name]=two', 412, { room: 2 }, STALE],
    ['PATCH /notes?filter[name]=two', 413, LARGE], ['PATCH /notes?filter[name]=two', 415, {}, FORM],
    ...keyed('PATCH /notes?filter[name]=two', 200, { room: 2 }, 'PATCH /notes?filter[name]=two', { room: 3 }),
  ],
  deleteMany: [
    ['DELETE /notes', 400], ['DELETE /notes?filter[name]=five', 403, undefined, NOWHERE],
    ['DELETE /notes?filter[name]=one&hard=true', 409], ['DELETE /notes?filter[name]=five', 412, undefined, STALE],
    ['DELETE /notes?filter[name]=five', 413, LARGE], ['DELETE /notes?filter[name]=five', 415, {}, FORM],
    ...keyed('DELETE /notes?filter[name]=five', 200, undefined, 'DELETE /notes?filter[name]=six', undefined),
  ],
}

/** Statuses that take another request at the same time, or an outage. */
const OTHERS: Readonly<Partial<Record<CrudOperation, readonly string[]>>> = { restore: ['409'] }

await forOneDatabase(t, { entities: [Note, Reply, Draft, IdempotencyRecord] }, async (t, { orm }) => {
  const app = newServer(t, { bodyLimit: 2_000 })
  await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Test', version: '1' } } })
  const scope = ({ headers: { room } }: Json) => room === undefined ? {} : { room }
  await app.register(crudKit, {
    orm,
    resources: {
      '/notes': {
        crud: notes(), operations: OPERATIONS, allowHardDelete: true, idempotency: true, conditional: true, scope,
      },
      '/replies': resource(Reply),
      '/drafts': {
        crud: resource(Draft, { allowedFilters: ['name'] }, { upsertKeys: ['name'] }),
        operations: OPERATIONS.filter((operation) => operation !== 'aggregate'),
      },
      '/strict': { crud: notes(), name: 'strict', operations: ['update', 'delete'], requireIfMatch: true },
    } as never,
  })
  await app.ready()
  const { paths } = app.swagger() as Json
  const { created, check, remove } = writes(app)
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'gone']) await created('/notes', { name })
  await orm.em.fork().insert(Reply, { note: 1 })
  await created('/drafts', { name: 'one' })
  await remove('/notes/7')

  /** The documented operation of a request. */
  const documented = (request: string): Json => {
    const [, method, path] = /^(\S+) ([^?]*)/.exec(request)!
    return paths[path!.replace(/\/(?:\d+|x)(?=\/|$)/, '/{id}')][method!.toLowerCase()]
  }

  const produced = new Map<Json, Set<string>>()
  for (const operation of OPERATIONS) {
    t.test(operation, async (t) => {
      for (const [request, status, body, headers] of ANSWERS[operation]) {
        await check(t, [[request, body, status, headers ?? {}]])
        const { operationId, responses } = documented(request)
        t.ok(String(status) in responses, `${operationId} documents ${status}`)
        if (request.includes('/notes')) {
          produced.set(operationId, (produced.get(operationId) ?? new Set()).add(String(status)))
        }
        if (status !== 200 || !request.startsWith('GET')) continue
        const url = request.slice('GET '.length)
        const { etag } = (await app.inject(url)).headers
        await check(t, [[request, undefined, 304, { 'if-none-match': String(etag) }]])
        t.ok('304' in responses)
        produced.get(operationId)!.add('304')
      }
    })
  }

  t.test('records whose version clients cannot know refuse any, and document no header for it', async (t) => {
    for (const request of [
      'PATCH /replies/1', 'DELETE /replies/1', 'PATCH /drafts/1', 'DELETE /drafts/1', 'POST /drafts/1/restore',
      'PUT /drafts?on=name', 'PATCH /drafts?filter[name]=one', 'DELETE /drafts?filter[name]=one',
    ]) {
      const body = request.includes('/replies') ? { note: 2 } : { name: 'one' }
      await check(t, [[request, /^P(?:ATCH|UT)/.test(request) ? body : undefined, 412, STALE]])
      const { parameters = [], responses } = documented(request)
      t.match(responses[412].description, /no version|several records/, request)
      t.notOk(parameters.some(({ name }: Json) => name === 'If-Match'), request)
    }
    t.notOk(412 in documented('POST /drafts').responses)
  })

  t.test('no other statuses are documented', async (t) => {
    for (const operation of OPERATIONS) {
      const { operationId, responses } = documented(ANSWERS[operation][0]![0])
      const others = ['503', ...OTHERS[operation] ?? []]
      t.strictSame(Object.keys(responses).filter((status) => !others.includes(status)).sort(),
        [...produced.get(operationId)!].filter((status) => !others.includes(status)).sort(), operationId)
    }
  })
})
