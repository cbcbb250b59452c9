/** A `uuid` that a role does not see is not a key for it. Paths are refused as if the entity had none. */
import swagger from '@fastify/swagger'
import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, crudKit, primaryKey, uuid, type CrudKitOptions } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { roleOf, sender, serveWith } from './fixtures.ts'
import { entity } from '../../helpers/entity.ts'

const Badge = entity('Badge', { ...primaryKey, ...uuid, text: p.string() })
const KEY = '5f0c6a52-93d6-4f0e-9c8a-0d5d0b7c2f11'

await forOneDatabase(t, {
  entities: [Badge],
  seed: (em) => em.create(Badge, { uuid: KEY, text: 'gold' }),
}, async (t, { orm }) => {
  const options = {
    resources: { '/badges': new CrudBase<any>({ model: Badge, writable: ['text'] }) },
    access: { role: roleOf, roles: { admin: true, guest: { Badge: { hidden: ['uuid'] } } } },
    shared: ['Badge'],
  } satisfies Partial<CrudKitOptions>
  const app = await serveWith(t, orm, options)
  const guest = sender(app, { role: 'guest' })

  for (const [method, body] of [['GET'], ['PATCH', { text: 'silver' }], ['DELETE']] as const) {
    for (const id of [KEY, '3d9a0e41-7f3b-4b0e-8a55-6a1c8e0f9b22', 'x']) {
      t.test(`${method} with ${id === KEY ? 'its UUID' : id === 'x' ? 'a wrong key' : 'another UUID'}`, async (t) => {
        const answer = await guest(method, `/badges/${id}`, body)
        t.equal(answer.status, 400)
        t.equal(answer.body.detail, "The path's id must be an integer from -2147483648 to 2147483647.")
      })
    }
  }

  t.test('a document for roles that do not see it does not name it', async (t) => {
    const { role, roles } = options.access
    const { guest } = roles
    const cases: ReadonlyArray<readonly [isNamed: boolean, access: CrudKitOptions['access'] & object]> = [
      [false, { role, roles, documentFor: 'guest' }],
      [true, { role, roles, documentFor: 'admin' }],
      [true, { role, roles }],
      [false, { role, roles: { guest, stranger: {} } }],
      [false, { role, roles: { guest, reader: { Badge: { operations: ['list'], readonly: true } } } }],
    ]
    for (const [isNamed, access] of cases) {
      const documented = newServer(t)
      await documented.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'test', version: '1' } } })
      await documented.register(crudKit, { orm, ...options, access })
      await documented.ready()
      const { parameters } = (documented.swagger() as any).paths['/badges/{id}'].get
      t.equal(JSON.stringify(parameters).includes('uuid'), isNamed, JSON.stringify(access))
    }
  })

  t.test('other roles use it', async (t) => {
    const admin = sender(app, { role: 'admin' })
    t.equal((await admin('GET', `/badges/${KEY}`)).body.text, 'gold')
    t.match((await admin('GET', '/badges/x')).body.detail, /, or a UUID\.$/)
  })
})
