/** Which role a request has, and which roles and entities are refused. */
import Fastify from 'fastify'
import t from 'tap'
import { CrudBase, crudKit } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { Country, entities, seed, sender, serveWith } from './fixtures.ts'

const FORBIDDEN = {
  statusCode: 403,
  code: 'FST_CRUD_FORBIDDEN',
  error: 'Forbidden',
  message: 'This request may not use this operation.',
  detail: 'This request may not use this operation.',
  errors: [{ code: 'FST_CRUD_FORBIDDEN', detail: 'This request may not use this operation.' }],
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serveWith(t, orm)

  t.test('a role without limits sees all that the whitelist allows', async (t) => {
    const { status, body } = await sender(app, { role: 'admin' })(
      'GET',
      '/projects?include=owner,tasks&filter[status]=open'
    )
    t.equal(status, 200)
    t.equal(body.total, 2)
    t.match(body.items[0], { budget: 20, owner: { salary: 200 } })
  })

  t.test('an entity that the role does not name is refused', async (t) => {
    for (
      const [method, url, body] of [
        ['GET', '/users'],
        ['GET', '/users/1'],
        ['POST', '/users', { name: 1, unknown: true }],
        ['PATCH', '/users/1', []],
        ['DELETE', '/users/1'],
        ['GET', '/users/99999?filter[nothing]=1'],
      ] as const
    ) {
      const answer = await sender(app)(method, url, body)
      t.equal(answer.status, 403, `${method} ${url}`)
      t.strictSame(answer.body, FORBIDDEN)
    }
  })

  t.test('a role that is not named is refused', async (t) => {
    for (const role of ['stranger', '', 'constructor', '__proto__']) {
      const { status, body } = await sender(app, { role })('GET', '/countries')
      t.equal(status, 403, role)
      t.strictSame(body, FORBIDDEN)
    }
  })
  t.test('the log names the role that is not named, with the nearest name', async (t) => {
    const lines: string[] = []
    const logged = Fastify({ logger: { level: 'info', stream: { write: (line: string) => lines.push(line) } } })
    t.teardown(() => logged.close())
    await logged.register(crudKit, {
      orm,
      indexAdvice: false,
      resources: { '/countries': new CrudBase<any>({ model: Country, writable: 'all' }) },
      access: { role: ({ headers }) => String(headers['x-role']), roles: { admin: true, guest: { Country: true } } },
    })
    for (
      const [role, hint] of [
        ['amdin', "The role 'amdin' is not in access.roles. Did you mean 'admin'?"],
        ['owner', "The role 'owner' is not in access.roles. Roles: admin, guest."],
      ] as const
    ) {
      lines.length = 0
      const response = await logged.inject({ url: '/countries', headers: { 'x-role': role } })
      t.strictSame([response.statusCode, response.json()], [403, FORBIDDEN])
      t.ok(lines.some((line) => JSON.parse(line).level === 30 && line.includes(hint)), hint)
    }
  })

  for (const thrown of [new Error('broken'), undefined, null, 0, '']) {
    t.test(`a function 'role' that throws ${String(thrown) || "''"} opens nothing, sync or async`, async (t) => {
      for (
        const role of [
          (): string => {
            throw thrown
          },
          async (): Promise<string> => await Promise.reject(thrown),
        ]
      ) {
        const broken = await serveWith(t, orm, { access: { role, roles: { admin: true } } })
        for (const url of ['/projects', '/projects/1']) {
          const { status, body } = await sender(broken)('GET', url)
          t.equal(status, 500, url)
          t.notOk('items' in body || 'id' in body)
        }
      }
    })
  }
})
