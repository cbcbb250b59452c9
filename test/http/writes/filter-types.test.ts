/** MikroORM's filters that differ by operation, in writes of one statement and in writes of the unit of work. */
import { p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import t from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { resource, select, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

type Operation = 'read' | 'update' | 'delete'

/** Rows of another tenant cannot be read. Locked rows cannot be changed, and kept rows cannot be deleted. */
const byOperation = {
  name: 'byOperation', args: false, default: true,
  cond: (_: unknown, type: Operation) =>
    type === 'read' ? { tenant: 1 } : type === 'update' ? { locked: false } : { kept: false },
}

/** As in MikroORM's guide: the filter adds no condition to updates. */
const onlyReads = {
  name: 'onlyReads', args: false, default: true,
  cond: (_: unknown, type: Operation) => type === 'update' ? {} : { tenant: 1 },
}

const Topic = entity('Topic', { id: p.integer().primary().autoincrement(), tenant: p.integer() }, {
  filters: { onlyReads },
})

const properties = {
  id: p.integer().primary().autoincrement(), version: p.integer().version(), tenant: p.integer().default(1),
  title: p.string(), locked: p.boolean().default(false), kept: p.boolean().default(false),
  deleted_at: p.datetime(3).nullable(), topic: () => p.manyToOne(Topic).nullable(),
}

const Paper = entity('Paper', { ...properties, parent: () => p.manyToOne(Paper).nullable() }, {
  filters: { byOperation },
})

/** The same, but a hook makes each write one of the unit of work. */
const Draft = entity('Draft', { ...properties, parent: () => p.manyToOne(Draft).nullable() }, {
  filters: { byOperation },
  hooks: { beforeUpdate: [() => {}], beforeDelete: [() => {}] },
})

/** The same, with conditions that only MikroORM compiles. */
const Memo = entity('Memo', { ...properties, parent: () => p.manyToOne(Memo).nullable() }, {
  filters: {
    byOperation: {
      ...byOperation,
      cond: (_: unknown, type: Operation) =>
        type === 'read'
          ? { $not: { tenant: 2 } }
          : type === 'update'
            ? { $not: { locked: true } }
            : { $not: { kept: true } },
    },
  },
})

const entities = [Topic, Paper, Draft, Memo]

const ROWS = [
  { title: 'free' }, { title: 'locked', locked: true }, { title: 'kept', kept: true },
  { title: 'of another tenant', tenant: 2 },
] as const
const [FREE, LOCKED, KEPT, FOREIGN] = [1, 2, 3, 4]

const seed = async (em: EntityManager): Promise<void> => {
  for (const tenant of [1, 2]) em.create(Topic, { tenant })
  for (const entity of [Paper, Draft, Memo]) {
    for (const row of ROWS) {
      em.create(entity as typeof Paper, row as never)
      await em.flush()
    }
  }
}

const FOUND = '200'
const NOT_FOUND = '404 FST_CRUD_NOT_FOUND'
const STALE = '412 FST_CRUD_PRECONDITION_FAILED'

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const operations = ['list', 'get', 'create', 'update', 'delete', 'restore'] as const
  const app = await serve(t, orm, {
    '/papers': { crud: resource(Paper), operations, allowHardDelete: true },
    '/drafts': { crud: resource(Draft), operations, allowHardDelete: true },
    '/memos': {
      crud: resource(Memo), operations, allowHardDelete: true, scope: () => ({ $not: { title: 'out of scope' } }),
    },
  })
  const { get, post, patch, remove, restore } = writes(app)

  for (const [path, table, way] of [
    ['/papers', 'paper', 'one statement'],
    ['/drafts', 'draft', 'the unit of work'],
    ['/memos', 'memo', 'MikroORM compiles scope and filter'],
  ] as const) {
    const rows = async (): Promise<unknown[]> => await select(orm, `select * from ${table} order by id`)

    t.test(`${way}: an update requires that the row can be read and updated`, async (t) => {
      const before = await rows()
      for (const body of [{ title: 'new' }, {}]) {
        for (const headers of [undefined, { 'if-match': '"7"' }]) {
          for (const id of [LOCKED, FOREIGN]) {
            t.equal(verdict(await patch(`${path}/${id}`, body, headers)), NOT_FOUND, `${id} ${JSON.stringify(body)}`)
          }
        }
      }
      t.strictSame(await rows(), before)
      t.equal(verdict(await patch(`${path}/${KEPT}`, { title: 'kept' })), FOUND)
      t.equal(verdict(await patch(`${path}/${FREE}`, { title: 'free' }, { 'if-match': '"7"' })), STALE)
    })

    t.test(`${way}: a delete requires that the row can be read and deleted`, async (t) => {
      const before = await rows()
      for (const query of ['', '?hard=true']) {
        for (const id of [KEPT, FOREIGN]) t.equal(verdict(await remove(`${path}/${id}${query}`)), NOT_FOUND, query)
      }
      t.strictSame(await rows(), before)
      t.equal(verdict(await remove(`${path}/${LOCKED}`)), FOUND)
      t.equal(verdict(await restore(`${path}/${LOCKED}`)), NOT_FOUND, 'a restore is an update')
      t.equal(verdict(await remove(`${path}/${FREE}`)), FOUND)
      t.equal(verdict(await restore(`${path}/${FREE}`)), FOUND)
      t.equal(verdict(await restore(`${path}/${FREE}`)), FOUND, 'of a row that is not deleted')
      t.equal(verdict(await remove(`${path}/${LOCKED}?hard=true`)), FOUND)
    })

    t.test(`${way}: a row may leave the filter by its own update`, async (t) => {
      t.equal(verdict(await patch(`${path}/${FREE}`, { locked: true })), FOUND)
      t.equal(verdict(await patch(`${path}/${FREE}`, { locked: false })), NOT_FOUND)
      t.equal(verdict(await get(`${path}/${FREE}`)), FOUND)
    })

    t.test(`${way}: a body refers to records that can be read`, async (t) => {
      t.equal(verdict(await post(path, { title: 'a', topic: 1 })), '201')
      t.equal(verdict(await post(path, { title: 'a', topic: 2 })), '409 FST_CRUD_CONFLICT /topic')
      t.equal(verdict(await patch(`${path}/${KEPT}`, { topic: 1 })), FOUND)
      t.equal(verdict(await patch(`${path}/${KEPT}`, { topic: 2 })), '409 FST_CRUD_CONFLICT /topic')
      t.equal(verdict(await patch(`${path}/${KEPT}`, { parent: FREE })), FOUND, 'a record that cannot be updated')
      t.equal(verdict(await patch(`${path}/${KEPT}`, { parent: FOREIGN })), '409 FST_CRUD_CONFLICT /parent')
      t.equal(verdict(await post(path, { title: 'a', parent: FREE })), '201')
      t.equal(verdict(await post(path, { title: 'a', parent: FOREIGN })), '409 FST_CRUD_CONFLICT /parent')
    })
  }
})
