/** The return value of `beforeCreate`: its mistakes are a 500, and mistakes of the client stay a 400. */
import { p } from '@mikro-orm/core'
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import crudKit, { BaseModel, type CrudRecord } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { keptLog } from '../../helpers/log.ts'
import { newServer } from '../../helpers/server.ts'
import { entity } from '../../helpers/entity.ts'

const Owner = entity('Owner', { id: p.integer().primary(), name: p.string() })
const Crate = entity('Crate', {
  name: p.string(), weight: p.integer().nullable(), secret: p.string().nullable().hidden(), tenant: p.integer(),
  owner: () => p.manyToOne(Owner).nullable(),
}, { extends: BaseModel })

await forEachDatabase(t, { entities: [Owner, Crate] }, async (t, { orm }) => {
  const log = keptLog()
  /** Makes the result of the hook. Each test sets it. */
  let answer: (data: CrudRecord) => unknown = (data) => data
  const crates = hooked({ model: Crate, writable: ['name', 'weight', 'tenant', 'owner'] }, {
    beforeCreate: (data) => answer(data),
  })
  const app = newServer(t, { logger: { level: 'error', stream: log.stream } })
  const operations = ['list', 'create', 'createMany'] as const
  await app.register(crudKit, {
    orm,
    resources: {
      '/crates': { crud: crates, operations },
      '/scoped': { crud: crates, operations, scope: () => ({ tenant: 7 }) },
    },
  })
  const post = (body: unknown, url = '/crates') => app.inject({ method: 'POST', url, body: body as object })
  const verdict = (
    answer: LightMyRequestResponse
  ) => [answer.statusCode, answer.json().code, ...answer.json().errors.map((item: any) => item.source?.pointer)]
  const good = { name: 'box', tenant: 1 }
  const rows = async () => Number((await orm.em.getConnection().execute('select count(*) as n from crate') as any)[0].n)

  t.beforeEach(() => {
    answer = (data) => data
    log.clear()
  })

  t.test('a hook that returns values that no record can have is a logged 500', async (t) => {
    const cases: ReadonlyArray<readonly [more: object, logged: RegExp]> = [
      [{ zzz: 1 }, /beforeCreate: There is no property 'zzz' to write\./],
      [{ weight: 'heavy' }, /beforeCreate: 'weight' must be an integer/],
      [{ secret: 5 }, /beforeCreate: 'secret' must be/],
      [{ name: null }, /beforeCreate: 'name' cannot be null/],
      [{ name: undefined }, /beforeCreate: it has taken away 'name'/],
      [{ owner: { id: 1 } }, /beforeCreate: 'owner' must refer to a record by its id/],
      [{ uuid: 'x' }, /beforeCreate: 'uuid' must be a UUID/],
    ]
    for (const [more, logged] of cases) {
      answer = (data) => ({ ...data, ...more })
      for (const url of ['/crates', '/scoped']) {
        const data = url === '/scoped' ? { name: 'box' } : good
        for (const body of [data, [data, data]]) {
          log.clear()
          const response = await post(body, url)
          t.strictSame(verdict(response), [500, 'FST_CRUD_CONFIG_INVALID', undefined], JSON.stringify(more))
          t.notMatch(response.body, /zzz|weight|secret|owner|uuid|Crate|beforeCreate/,
            'the client learns nothing of it')
          t.match(log.text, logged)
        }
      }
    }
    t.equal(await rows(), 0)
  })

  t.test('a hook that returns anything but an object is a logged 500', async (t) => {
    for (const wrong of [undefined, null, 'x', 5, [good], true]) {
      answer = () => wrong
      for (const body of [good, [good]]) {
        log.clear()
        const response = await post(body)
        t.strictSame(verdict(response), [500, 'FST_CRUD_CONFIG_INVALID', undefined], String(wrong))
        t.match(log.text, /beforeCreate: it must return the data as an object/)
      }
    }
    t.equal(await rows(), 0)
  })

  t.test('a mistake of the client is a 400, whatever the hook would do', async (t) => {
    let calls = 0
    answer = (data) => {
      calls++
      return { ...data, weight: 1, zzz: 1 }
    }
    t.strictSame(verdict(await post({ ...good, weight: 'heavy' })), [400, 'FST_ERR_VALIDATION', '/weight'])
    t.strictSame(verdict(await post({ ...good, zzz: 2 })), [400, 'FST_ERR_VALIDATION', '/zzz'])
    t.strictSame(verdict(await post([{ ...good, weight: 'heavy' }])), [400, 'FST_ERR_VALIDATION', '/0/weight'])
    t.equal(calls, 0, 'a hook sees correct data only')
    t.equal(log.text, '')
  })

  t.test('a required property missing from both the body and the hook is an error of the body', async (t) => {
    t.strictSame(verdict(await post({ tenant: 1 })), [400, 'FST_ERR_VALIDATION', '/name'])
    t.strictSame(verdict(await post({})), [400, 'FST_ERR_VALIDATION', '/name', '/tenant'])
    t.strictSame(verdict(await post({}, '/scoped')), [400, 'FST_ERR_VALIDATION', '/name'])
    t.strictSame(verdict(await post([good, { name: 'second' }])), [400, 'FST_ERR_VALIDATION', '/1/tenant'])
    answer = (data) => ({ ...data, weight: 'heavy' })
    t.strictSame(verdict(await post({ tenant: 1 })), [500, 'FST_CRUD_CONFIG_INVALID', undefined],
      'beside a mistake of the server the request cannot be judged')
    t.equal(await rows(), 0)
  })

  t.test('a hook may fill in omitted properties, and remove those that are not required', async (t) => {
    answer = ({ weight, ...data }) => ({ name: 'filled', ...data, secret: 'hush' })
    const response = await post({ tenant: 1, weight: 5 })
    t.equal(response.statusCode, 201)
    t.match(response.json(), { name: 'filled', weight: null })
    t.equal(await rows(), 1)
  })
})
