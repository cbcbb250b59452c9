/** Routes of the application's own: hooks, custom filters and custom sorts know the request of `request.em`. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { p } from '@mikro-orm/core'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import {
  AllowedFilters, AllowedSort, CrudBase, crudKit, parseQueryParams, readOnly, withRetry, withTimeout, withTransaction,
  type AccessOptions, type CrudContext, type CrudRecord,
} from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { entity } from '../helpers/entity.ts'
import { collect } from '../helpers/collect.ts'

const Note = entity('Note', { id: p.integer().primary().autoincrement(), owner: p.string(), text: p.string() })

/** The user of a request, or what is there instead of a request. */
const userOf = (request: FastifyRequest | undefined): string =>
  request === undefined ? 'no request' : String(request.headers['x-user'])

const seen: string[] = []
const see = (what: string, { request }: { readonly request?: FastifyRequest }): void => {
  seen.push(`${what}: ${userOf(request)}`)
}

class NoteCrud extends CrudBase<any> {
  override beforeCreate (data: CrudRecord, context: CrudContext): CrudRecord {
    see('beforeCreate', context)
    return { ...data, owner: userOf(context.request) }
  }

  override beforeUpdate (_id: unknown, data: CrudRecord, context: CrudContext): CrudRecord {
    see('beforeUpdate', context)
    return data
  }

  override beforeDelete (_id: unknown, context: CrudContext): void {
    see('beforeDelete', context)
  }

  override afterRead (record: CrudRecord, context: CrudContext): CrudRecord {
    see('afterRead', context)
    return record
  }
}

const notes = new NoteCrud({
  model: Note,
  writable: ['text'],
  queryConfig: {
    allowedFilters: [AllowedFilters.custom('mine', (qb, _value, context) => {
      see('filter', context)
      return qb.andWhere({ owner: userOf(context.request) })
    })],
    allowedSorts: [AllowedSort.custom('own', (qb, direction, context) => {
      see('sort', context)
      return qb.orderBy({ id: direction })
    })],
  },
})

const mine = parseQueryParams('filter[mine]=yes&sort=own')
const anns = { id: Number, owner: 'ann' }
const ANN = { 'x-user': 'ann' }

/** Ways in which a route of the application comes from `request.em` to the EntityManager that it passes on. */
const WAYS: Readonly<Record<string, (em: EntityManager, work: (em: EntityManager) => Promise<unknown>) => unknown>> = {
  'request.em': (em, work) => work(em),
  'a fork': (em, work) => work(em.fork()),
  'a fork of a fork': (em, work) => work(em.fork().fork({ clear: true })),
  'em.transactional': (em, work) => em.transactional(async (em) => await work(em as EntityManager)),
  'a transaction in a transaction': (em, work) =>
    em.transactional(async (em) => await em.transactional(async (em) => await work(em as EntityManager))),
  withTransaction: (em, work) => withTransaction(em, work),
  'withRetry and withTimeout': (em, work) => withRetry(em, (em) => withTimeout(em, 60_000, work)),
}

const access: AccessOptions = {
  role: () => 'member',
  roles: { member: { Note: { rows: (request) => ({ owner: userOf(request) }) } } },
}

await forOneDatabase(t, {
  entities: [Note],
  seed: (em) => ['ann', 'bob'].map((owner) => em.create(Note, { owner, text: owner })),
}, async (t, { orm }) => {
  for (const [what, rules] of [['without roles', undefined], ['with roles', access]] as const) {
    t.test(what, async (t) => {
      const app = newServer(t)
      await app.register(crudKit, {
        orm, indexAdvice: false, resources: { '/notes': notes }, ...(rules !== undefined && { access: rules }),
      })
      let handle: (em: EntityManager) => unknown
      app.get('/own', async ({ em }) => ({ result: await handle(em) }))
      const ask = async (handler: typeof handle): Promise<any> => {
        handle = handler
        seen.length = 0
        const response = await app.inject({ url: '/own', headers: ANN })
        if (response.statusCode !== 200) throw new Error(response.body)
        return response.json().result
      }
      const saw = (...hooks: readonly string[]): void => {
        t.strictSame([...new Set(seen)].sort(), hooks.map((hook) => `${hook}: ann`).sort())
      }

      for (const [way, through] of Object.entries(WAYS)) {
        t.match(await ask((em) => through(em, (em) => notes.list(em, mine))), { items: [anns] }, way)
        saw('filter', 'sort', 'afterRead')
        t.match(await ask((em) => through(em, (em) => notes.create(em, { text: way }))), anns, way)
        saw('beforeCreate', 'afterRead')
      }
      t.match(await ask((em) => readOnly(em, (em) => notes.get(em, 1))), anns)
      saw('afterRead')
      t.ok(await ask((em) => notes.count(em, parseQueryParams('filter[mine]=yes'))) > 1)
      saw('filter')
      t.match(await ask((em) => collect(notes.stream(em, mine))), [anns])
      saw('filter', 'sort', 'afterRead')
      t.ok(await ask(async (em) => await (await notes.query(em, mine)).getCount()) > 1)
      saw('filter', 'sort')
      t.match(await ask((em) => notes.createMany(em, [{ text: 'a' }, { text: 'b' }])), [anns, anns])
      saw('beforeCreate', 'afterRead')
      t.match(await ask((em) => notes.update(em, 1, { text: 'changed' })), anns)
      saw('beforeUpdate', 'afterRead')
      const { id } = await ask((em) => notes.create(em, { text: 'old' }))
      t.match(await ask((em) => notes.delete(em, id)), anns)
      saw('beforeDelete', 'afterRead')

      seen.length = 0
      const answer = await app.inject({ url: '/notes?filter[mine]=yes&sort=own', headers: ANN })
      t.equal(answer.json().items[0].owner, 'ann', 'generated routes do the same')
      saw('filter', 'sort', 'afterRead')
      t.match(await ask((em) => notes.list(em, undefined, { context: { request: { headers: { 'x-user': 'zoe' } } } })),
        { items: { length: Number } })
      t.strictSame([...new Set(seen)], ['afterRead: zoe'], 'a request that the caller passes comes first')
      t.match(await ask(() => notes.get(orm.em.fork(), 2)), { owner: 'bob' })
      t.strictSame(seen, ['afterRead: no request'], 'an EntityManager of the application belongs to no request')

      t.match(await ask((em) => notes.forRole('member', { access }).get(em, 1)), anns)
      saw('afterRead')
      const member = notes.forRole('member', { access, request: { headers: ANN } as never })
      t.match(await ask(() => member.list(orm.em.fork(), mine)), { items: [anns] })
      saw('filter', 'sort', 'afterRead')
    })
  }
})
