/** Which role a request has, and which roles and entities are refused. */
import t from 'tap'
import { crudKit, parseQueryParams, type AccessOptions } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { countries, Country, entities, projects, seed, sender, serveWith } from './fixtures.ts'
import { resource } from '../../helpers/resource.ts'

const FORBIDDEN = {
  statusCode: 403,
  code: 'FST_CRUD_FORBIDDEN',
  error: 'Forbidden',
  message: 'This request may not use this operation with its credentials.',
  detail: 'This request may not use this operation with its credentials.',
  errors: [{ code: 'FST_CRUD_FORBIDDEN', detail: 'This request may not use this operation with its credentials.' }],
}

const UNKNOWN = 'The server could not tell the role of this request.'

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serveWith(t, orm)

  t.test('a role without limits sees all that the whitelist allows', async (t) => {
    const { status, body } = await sender(app, { role: 'admin' })('GET',
      '/projects?include=owner,tasks&filter[status]=open')
    t.equal(status, 200)
    t.equal(body.total, 2)
    t.match(body.items[0], { budget: 20, owner: { salary: 200 } })
  })

  t.test('an entity that the role does not name is refused', async (t) => {
    for (const [method, url, body] of [
      ['GET', '/users'], ['GET', '/users/1'], ['POST', '/users', { name: 1, unknown: true }], ['PATCH', '/users/1', []],
      ['DELETE', '/users/1'], ['GET', '/users/99999?filter[nothing]=1'],
    ] as const) {
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

  t.test('a request without a role is refused', async (t) => {
    for (const none of [undefined, null, '']) {
      for (const role of [() => none, async () => none]) {
        const access: AccessOptions = { role, roles: { undefined: true, null: true } }
        const refusing = await serveWith(t, orm, { access }, (app) => {
          app.get('/own', async ({ em }) => await projects.list(em, parseQueryParams('')))
        })
        for (const [method, url, body] of [
          ['GET', '/countries'], ['GET', '/own'], ['PATCH', '/projects/1', { nothing: 1 }],
        ] as const) {
          const answer = await sender(refusing)(method, url, body)
          t.strictSame([answer.status, answer.body.code], [403, FORBIDDEN.code], `${String(none)}: ${method} ${url}`)
        }
      }
    }
  })

  t.test('a role that is not a text is the mistake of the server', async (t) => {
    for (const wrong of [5, true, false, 0, ['admin'], { name: 'admin' }, Symbol('admin')]) {
      const role = (): any => wrong
      const broken = await serveWith(t, orm, { access: { role, roles: { admin: true } } })
      const { status, body } = await sender(broken)('GET', '/countries')
      t.strictSame([status, body.message], [500, UNKNOWN])
    }
  })

  t.test('a body is parsed before the role is known, and compared with a schema afterwards', async (t) => {
    const post = async (role: string, payload: string, type = 'application/json') => {
      const headers = { 'x-role': role, 'x-tenant': '1', 'content-type': type }
      return (await app.inject({ method: 'POST', url: '/countries', headers, payload })).statusCode
    }
    for (const role of ['admin', 'stranger']) {
      t.equal(await post(role, '{"code"'), 400)
      t.equal(await post(role, JSON.stringify('x'.repeat(2 ** 21))), 413)
      t.equal(await post(role, '<code/>', 'application/xml'), 415)
    }
    for (const body of ['{"code":5}', '[]', '{"nothing":1}']) t.equal(await post('stranger', body), 403, body)
    t.equal(await post('admin', '{"code":5}'), 400)
  })

  t.test('the log says why a role is refused: its name is unknown, or it lacks a rule or an operation', async (t) => {
    const lines: string[] = []
    const logged = newServer(t, { logger: { level: 'info', stream: { write: (line: string) => lines.push(line) } } })
    await logged.register(crudKit, {
      orm, indexAdvice: false, resources: { '/countries': resource(Country) },
      access: {
        role: ({ headers }) => String(headers['x-role']),
        roles: { admin: true, guest: { Project: true }, editor: { Country: { operations: ['get', 'update'] } } },
      },
    })
    for (const [role, hint] of [
      ['amdin', "The role 'amdin' is not in access.roles. Did you mean 'admin'?"],
      ['owner', "The role 'owner' is not in access.roles. Roles: admin, guest, editor."],
      ['guest', "The role 'guest' has no rule for Country."],
      ['editor', "The rule of the role 'editor' for Country lacks the operation 'list'."],
    ] as const) {
      lines.length = 0
      const response = await logged.inject({ url: '/countries', headers: { 'x-role': role } })
      t.strictSame([response.statusCode, response.json()], [403, FORBIDDEN])
      t.ok(lines.some((line) => JSON.parse(line).level === 30 && line.includes(hint)), hint)
    }
  })

  for (const thrown of [new Error('broken'), undefined, null, 0, '']) {
    t.test(`a function 'role' that throws ${String(thrown) || "''"} opens nothing, sync or async`, async (t) => {
      for (const role of [
        (): string => {
          throw thrown
        },
        async (): Promise<string> => await Promise.reject(thrown),
      ]) {
        const broken = await serveWith(t, orm, { access: { role, roles: { admin: true } } })
        for (const url of ['/projects', '/projects/1']) {
          const { status, body } = await sender(broken)('GET', url)
          t.strictSame([status, body.message], [500, UNKNOWN], url)
        }
      }
    })
  }

  t.test("an error of 'role' is answered with its status, and its message is in the log if it has none", async (t) => {
    const lines: string[] = []
    const logged = newServer(t, { logger: { level: 'info', stream: { write: (line: string) => lines.push(line) } } })
    const errors: Readonly<Record<string, object>> = {
      '/401': { statusCode: 401 }, '/429': { status: 429 }, '/503': { statusCode: 503 }, '/200': { statusCode: 200 },
      '/none': {},
    }
    await logged.register(crudKit, {
      orm,
      indexAdvice: false,
      resources: Object.fromEntries(
        Object.keys(errors).map((path) => [path, { crud: countries, name: path.slice(1) }])
      ),
      access: {
        role: async ({ url }) => {
          throw Object.assign(new Error('the vault is open'), errors[url])
        },
        roles: { admin: true },
      },
    })
    for (const path of Object.keys(errors)) {
      lines.length = 0
      const { statusCode, body } = await logged.inject(path)
      const own = Number(path.slice(1)) >= 400
      t.equal(statusCode, own ? Number(path.slice(1)) : 500, path)
      t.equal(body.includes('the vault is open'), own, path)
      t.ok(lines.some((line) => line.includes('the vault is open')), path)
    }
  })
})
