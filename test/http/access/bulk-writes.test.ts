/** Roles and writes of many records: what a role may not do leaves the whole table as it was. */
import { p } from '@mikro-orm/core'
import type { FastifyRequest } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { AllowedFilters, crudKit, CrudBase } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { select, verdict, writes, type Json } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const properties = {
  id: p.integer().primary().autoincrement(), tenant: p.integer().default(0), code: p.string().unique(),
  status: p.string().default('open'), level: p.integer().default(0), note: p.string().nullable(),
  version: p.integer().version(),
}
const Asset = entity('Asset', properties)
/** The same, written by MikroORM's unit of work. */
const Machine = entity('Machine', properties, {
  hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}], beforeDelete: [() => {}] },
})

const rules = {
  member: { rows: { tenant: 1, status: { $ne: 'closed' } } },
  either: { rows: { $or: [{ status: 'open' }, { level: { $gte: 5 } }] } },
  clerk: { rows: { tenant: 1 }, readonly: ['level'] },
  reader: { operations: ['list', 'get', 'update'] },
} as const
type Role = keyof typeof rules

const crud = (model: any): CrudBase =>
  new CrudBase({
    model,
    writable: ['tenant', 'code', 'status', 'level', 'note'],
    upsertKeys: ['code'],
    queryConfig: { allowedFilters: [new AllowedFilters('level', 'eq', ['eq', 'gte'])] },
  } as never)

const operations = ['list', 'get', 'create', 'update', 'updateMany', 'deleteMany', 'upsert'] as const

const SCOPE = '403 FST_CRUD_OUT_OF_SCOPE'
const FORBIDDEN = '403 FST_CRUD_FORBIDDEN'
const ALL = '?filter[level][gte]=0'

/** Each request meets rows of the tenants 1, 1, 2 and 1. The last one is closed. A number is that of changed rows. */
const CASES: ReadonlyArray<readonly [Role, 'PATCH' | 'DELETE' | 'PUT', string, expected: string | number, Json?]> = [
  ['member', 'PATCH', ALL, 2, { note: 'x' }],
  ['member', 'PATCH', ALL, SCOPE, { status: 'closed' }],
  ['member', 'PATCH', '?filter[level]=9', SCOPE, { tenant: 2, note: 'x' }],
  ['member', 'DELETE', ALL, 2],
  // only the first of the rows would leave
  ['either', 'PATCH', ALL, SCOPE, { status: 'done' }],
  ['either', 'PATCH', '?filter[level][gte]=5', 1, { status: 'done' }],
  ['clerk', 'PATCH', ALL, '400 FST_ERR_VALIDATION /level', { level: 3 }],
  ['reader', 'PATCH', ALL, FORBIDDEN, { note: 'x' }],
  ['reader', 'PATCH', '?filter[nothing]=0', FORBIDDEN, { nothing: 'x' }],
  ['reader', 'DELETE', ALL, FORBIDDEN],
  ['member', 'PUT', '', 1, { code: 'A', note: 'x' }],
  ['member', 'PUT', '', 2, [{ code: 'A', note: 'x' }, { code: 'N' }]],
  ['member', 'PUT', '', '409 FST_CRUD_CONFLICT /code', { code: 'C', note: 'x' }],
  ['member', 'PUT', '', '409 FST_CRUD_CONFLICT /code', { code: 'D', note: 'x' }],
  ['member', 'PUT', '', '409 FST_CRUD_CONFLICT /1/code', [{ code: 'A', note: 'x' }, { code: 'C', note: 'x' }]],
  ['member', 'PUT', '', SCOPE, { code: 'N', status: 'closed' }],
  ['member', 'PUT', '', SCOPE, { code: 'N', tenant: 2 }],
  ['member', 'PUT', '', SCOPE, { code: 'A', status: 'closed' }],
  ['member', 'PUT', '', `${SCOPE} /1`, [{ code: 'A', note: 'x' }, { code: 'B', status: 'closed' }]],
  ['member', 'PUT', '', `${SCOPE} /1`, [{ code: 'N' }, { code: 'M', status: 'closed' }]],
  ['either', 'PUT', '', `${SCOPE} /1`, [{ code: 'B', status: 'done' }, { code: 'A', status: 'done' }]],
  ['clerk', 'PUT', '', 1, { code: 'A', note: 'x' }],
  ['clerk', 'PUT', '', '400 FST_ERR_VALIDATION /level', { code: 'A', level: 3 }],
  ['clerk', 'PUT', '', '400 FST_ERR_VALIDATION /1/level', [{ code: 'A', note: 'x' }, { code: 'N', level: 3 }]],
  ['reader', 'PUT', '', FORBIDDEN, { code: 'A', note: 'x' }],
  ['reader', 'PUT', '', FORBIDDEN, [{ nothing: 1 }]],
]

await forEachDatabase(t, { entities: [Asset, Machine] }, async (t, { name, orm }) => {
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    access: {
      role: ({ headers }: FastifyRequest) => headers['x-role'],
      roles: Object.fromEntries(Object.entries(rules).map(([role, rule]) => [role, { Asset: rule, Machine: rule }])),
    } as never,
    resources: { '/assets': { crud: crud(Asset), operations }, '/machines': { crud: crud(Machine), operations } },
  })
  await app.ready()
  const { patch, put } = writes(app)

  for (const table of ['asset', 'machine']) {
    const rows = () => select(orm, `select * from ${table} order by id`)
    const reset = async (): Promise<Json[]> => {
      await select(orm, `delete from ${table}`)
      await select(
        orm,
        `insert into ${table} (id, tenant, code, status, level) values
         (-4, 1, 'A', 'open', 1), (-3, 1, 'B', 'open', 9), (-2, 2, 'C', 'open', 1), (-1, 1, 'D', 'closed', 1)`
      )
      return await rows()
    }

    t.test(`${table}: a role changes only rows that it sees, and leaves them in its sight`, async (t) => {
      for (const [role, method, query, expected, body] of CASES) {
        const before = await reset()
        const what = `${role}: ${method} ${query} ${JSON.stringify(body) ?? ''}`
        const response = await app.inject({
          method, url: `/${table}s${method === 'PUT' ? '?on=code' : query}`, headers: { 'x-role': role },
          ...body !== undefined && { payload: body },
        })
        const after = await rows()
        if (typeof expected === 'string') {
          t.equal(verdict(response), expected, what)
          t.strictSame(after, before, `${what}: nothing has changed`)
          continue
        }
        t.equal(response.statusCode, 200, `${what}: ${response.body}`)
        if (method !== 'PUT') t.strictSame(response.json(), { affected: expected }, what)
        const left = new Set(after.map((row) => JSON.stringify(row)))
        const lost = before.filter((row) => !left.has(JSON.stringify(row)))
        const created = after.length - before.length + (method === 'DELETE' ? lost.length : 0)
        t.equal(lost.length + created, expected, `${what}: no other row has changed`)
        t.ok(lost.every(({ code }) => code === 'A' || code === 'B'), what)
        t.ok(after.every(({ id, tenant }) => id < 0 || tenant === 1), 'a new row is the tenant of the role')
      }
    })

    const skip = name === 'pglite' && 'PGlite has one connection, which the transaction holds'
    t.test(`${table}: nothing waits for the lock of a row that its role does not see`, { skip }, async (t) => {
      await reset()
      const [{ id }] = await select(orm, `select id from ${table} where code = 'C'`)
      await orm.em.fork().transactional(async (em) => {
        await em.getConnection().execute(`select id from ${table} where id = ${id} for update`, [], 'all',
          em.getTransactionContext())
        const answer = patch(`/${table}s/${id}`, { note: 'x' }, { 'x-role': 'member' }).then(verdict)
        t.equal(await Promise.race([answer, setTimeout(3_000, 'it waits')]), '404 FST_CRUD_NOT_FOUND')
      })
    })

    t.test(`${table}: hidden rows in the way of an upsert are all alike`, async (t) => {
      await reset()
      const answers = []
      for (const code of ['C', 'D']) {
        answers.push((await put(`/${table}s?on=code`, { code }, { 'x-role': 'member' })).body)
      }
      t.match(answers[0], /FST_CRUD_CONFLICT/)
      t.equal(answers[0], answers[1])
    })
  }
})
