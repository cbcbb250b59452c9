/** Writes of data providers without an answer: a person tries again, and nothing is done twice. */
import { p } from '@mikro-orm/core'
import Fastify from 'fastify'
import t from 'tap'
import { createDataProvider as forReactAdmin } from '../../src/admin/react-admin/index.ts'
import { createDataProvider as forRefine } from '../../src/admin/refine/index.ts'
import { createClient, CrudError, type ApiOf } from '../../src/client/index.ts'
import { PendingWrites } from '../../src/client/pending-writes.ts'
import { AllowedFilters, CrudBase, crudKit, IdempotencyRecord } from '../../src/index.ts'
import { databases } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'

const Note = entity('Note', { id: p.integer().primary(), text: p.string(), count: p.integer().default(0) })
const resources = {
  '/notes': {
    crud: new CrudBase({
      model: Note, writable: ['text', 'count'],
      queryConfig: { allowedFilters: [new AllowedFilters('id', 'eq', ['eq', 'in'])] },
    }),
    operations: ['list', 'get', 'create', 'createMany', 'update', 'updateMany', 'delete', 'deleteMany'],
    idempotency: { required: true },
  },
} as const

t.test('writes whose answers are lost', async (t) => {
  const { orm, close } = await databases[0]![1]({ entities: [Note, IdempotencyRecord] })
  const app = Fastify()
  await app.register(crudKit, { orm, resources: resources as any })
  t.teardown(async () => {
    await app.close()
    await close()
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  /** The number of answers to lose. */
  let lost = 0
  const api = createClient<ApiOf<typeof resources>>(url, {
    retries: 0,
    async fetch (url, init) {
      const response = await fetch(url, init)
      if (lost === 0) return response
      lost--
      await response.arrayBuffer()
      throw new TypeError('The connection is gone.')
    },
  })
  const options = {
    resources: { notes: { idempotency: true, operations: ['createMany', 'updateMany', 'deleteMany'] } },
  } as const
  const [admin, refine] = [forReactAdmin(api, options), forRefine(api, options)]
  const all = async () => await orm.em.fork().find(Note, {}, { orderBy: { id: 1 } })
  const texts = async (): Promise<string[]> => (await all()).map(({ text, count }) => `${text} ${count}`)
  /** Loses the answer of a write, and sends it again. */
  const twice = async (write: () => Promise<unknown>): Promise<unknown> => {
    lost = 1
    await t.rejects(write(), /no complete answer/)
    return await write()
  }

  await twice(() => admin.create('notes', { data: { text: 'a' } }))
  await twice(() => refine.create({ resource: 'notes', variables: { text: 'b' } }))
  await twice(() => refine.createMany({ resource: 'notes', variables: [{ text: 'c' }, { text: 'c' }] }))
  t.strictSame(await texts(), ['a 0', 'b 0', 'c 0', 'c 0'])
  await Promise.all([1, 2].map(async () => await admin.create('notes', { data: { text: 'd' } })))
  t.equal((await texts()).filter((text) => text === 'd 0').length, 2, 'equal writes at the same time are two')

  const [a, b] = await all()
  await twice(() =>
    admin.update('notes', { id: a!.id, data: { count: 1 }, previousData: { id: a!.id, count: 0 } as any })
  )
  await twice(() => refine.update({ resource: 'notes', id: b!.id, variables: { count: 2 } }))
  await twice(() => admin.updateMany('notes', { ids: [a!.id, b!.id], data: { text: 'x' } }))
  t.strictSame((await texts()).slice(0, 2), ['x 1', 'x 2'])
  // a repeated deletion would not find its record
  await twice(() => admin.delete('notes', { id: a!.id }))
  await twice(() => refine.deleteMany({ resource: 'notes', ids: [b!.id] }))
  t.equal((await texts()).length, 4)
  await t.rejects(forReactAdmin(api).create('notes', { data: { text: 'e' } }), {
    message: /needs the header Idempotency-Key/,
  })
})

t.test('a key is kept until the outcome of its write is known', async (t) => {
  const keys = new Map<string, readonly string[]>()
  let changes = 0
  const pending = new PendingWrites(keys, () => changes++)
  const used: string[] = []
  const send = async (status?: number, code = 'X') =>
    await pending.send('a', async (key) => {
      used.push(key)
      t.strictSame(keys.get('a')?.includes(key), true, 'a page that is left in the meantime knows it')
      if (status !== undefined) throw new CrudError({ status, code, detail: 'x' })
    }).catch(() => {})
  for (const status of [0, 500, 503, 504]) await send(status)
  await send(409, 'FST_CRUD_IDEMPOTENCY_RUNNING')
  t.equal(new Set(used).size, 1)
  t.equal(keys.size, 1)
  await send()
  t.equal(new Set(used).size, 1)
  t.equal(keys.size, 0)
  for (const status of [undefined, 400, 409, 412, 422]) await send(status)
  t.equal(new Set(used).size, 6, 'a refused write is done with its key')
  t.ok(changes >= used.length)
})
