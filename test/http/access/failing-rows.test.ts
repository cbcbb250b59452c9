/** Rows that cannot be used: functions that throw or reject, and values that no column can hold. */
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import type { AccessOptions, CrudKitOptions } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { entities, memberWith, projects, seed, sender, serveWith, users } from './fixtures.ts'

const unhandled: unknown[] = []
const listener = (reason: unknown): void => {
  unhandled.push(reason)
}

const check = ({ headers }: FastifyRequest): { tenant: number } => {
  if (headers['x-tenant'] !== '1') throw Object.assign(new Error('Which tenant?'), { statusCode: 401 })
  return { tenant: 1 }
}
const throws = (request: FastifyRequest) => check(request)
const rejects = async (request: FastifyRequest) => check(request)
const rejectsLater = async (request: FastifyRequest) => {
  await new Promise((resolve) => setImmediate(resolve))
  return check(request)
}

const resources: CrudKitOptions['resources'] = {
  '/projects': { crud: projects, operations: ['list', 'get', 'create', 'update'] },
  '/users': users,
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.before(() => process.on('unhandledRejection', listener))
  t.teardown(() => process.off('unhandledRejection', listener))

  const pairs = [
    ['async, then thrown', rejects, throws],
    ['thrown, then async', throws, rejects],
    ['both async', rejects, rejects],
    ['both async, the second one first', rejectsLater, rejects],
    ['later, then thrown', rejectsLater, throws],
    ['both thrown', throws, throws],
  ] as const
  for (const [name, ofProjects, ofUsers] of pairs) {
    t.test(`errors in the rows of two entities are answered, without unhandled rejections: ${name}`, async (t) => {
      unhandled.length = 0
      const access: AccessOptions = {
        role: () => 'member',
        roles: { member: { Project: { rows: ofProjects }, User: { rows: ofUsers } } },
      }
      const app = await serveWith(t, orm, { access, resources })
      const refused = sender(app, { tenant: 2 })
      for (const [method, url, body] of [
        ['GET', '/projects'],
        ['GET', '/projects?include=owner'],
        ['GET', '/projects/1?include=owner'],
        ['POST', '/projects', { name: 'New', owner: 1 }],
        ['PATCH', '/projects/1', { owner: 1 }],
      ] as const) {
        const answer = await refused(method, url, body)
        t.strictSame([answer.status, answer.body.message], [401, 'Which tenant?'], `${method} ${url}`)
      }
      // Node.js reports unhandled rejections after the microtasks of a turn
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
      t.strictSame(unhandled, [])
      const answer = await sender(app, { tenant: 1 })('GET', '/projects?include=owner')
      t.equal(answer.status, 200)
      t.ok(answer.body.items.every(({ tenant }: { tenant: number }) => tenant === 1))
    })
  }

  const recorder = await recordStatements(orm, t)
  for (const [what, rows] of [
    ['a text', () => ({ tenant: 'abc' })],
    ['a promise of a text', async () => await Promise.resolve({ tenant: 'abc' })],
    ['a number that is too large', () => ({ tenant: 1e12 })],
    ['null', () => ({ tenant: null })],
    ['a text in one of several alternatives', () => ({ $or: [{ tenant: 'abc' }, { title: 'Land' }] })],
  ] as const) {
    t.test(`rows with ${what} are a 403, like such a scope, and no statement is sent`, async (t) => {
      const send = await memberWith(t, orm, { Task: { rows } })
      for (const [method, url, body] of [
        ['GET', '/tasks'], ['GET', '/tasks/1'], ['POST', '/tasks', { title: 'New' }],
        ['PATCH', '/tasks/1', { title: 'New' }], ['DELETE', '/tasks/1'],
      ] as const) {
        recorder.take()
        const answer = await send(method, url, body)
        t.equal(answer.status, 403, `${method} ${url}`)
        t.equal(answer.body.code, 'FST_CRUD_OUT_OF_SCOPE', `${method} ${url}`)
        t.strictSame(recorder.take().filter(({ sql }) => sql.includes('"task"')), [])
      }
    })
  }
})
