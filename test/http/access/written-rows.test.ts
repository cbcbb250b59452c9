/** Rows that a write would create or leave outside of the rows of a role: each kind of condition, triggers, batches. */
import { p, raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import t, { type Test } from 'tap'
import { CrudBase, withTransaction, type AccessOptions } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { select } from '../helper.ts'
import { sender, serveWith, type Answer } from './fixtures.ts'
import { entity } from '../../helpers/entity.ts'
import { resource } from '../../helpers/resource.ts'

const id = { id: p.integer().primary().autoincrement() }

const Place = entity('Place', { city: p.string().nullable(), floor: p.integer().nullable() }, { embeddable: true })
const User = entity('User', { ...id, name: p.string() })
const Group = entity('Group', {
  ...id, name: p.string(), owner: () => p.manyToOne(User).nullable(), items: () => p.oneToMany(Item).mappedBy('group'),
}, { tableName: 'item_group' })
const Guarded = entity('Guarded', { ...id, name: p.string() })
const Viewed = entity('Viewed', { ...id, name: p.string() })
const Item = entity('Item', {
  ...id,
  name: p.string().default('none').unique(),
  size: p.integer().nullable(),
  weight: p.integer().default(3),
  doubled: p.integer().generated('(size * 2) stored').nullable(),
  halved: p.integer().formula((columns) => `${columns.size} / 2`).nullable(),
  tags: p.array().nullable(),
  data: p.json<{ kind?: string }>().nullable(),
  place: () => p.embedded(Place).nullable(),
  site: () => p.embedded(Place).object().nullable(),
  group: () => p.manyToOne(Group).nullable(),
  next: () => p.manyToOne(Item).nullable(),
  guarded: () => p.manyToOne(Guarded).nullable(),
  viewed: () => p.manyToOne(Viewed).nullable().createForeignKeyConstraint(false),
  note: p.string().nullable(),
  deleted_at: p.datetime(3).nullable(),
})
const Batch = entity('Batch', {
  key: p.string().primary(), part: p.integer(), size: p.integer(), version: p.integer().version(),
})
const Plant = entity('Plant', {
  ...id, size: p.integer(), note: p.string().nullable(), group: () => p.manyToOne(Group).nullable(),
})
const entities = [Place, User, Guarded, Viewed, Group, Item, Batch, Plant]

async function seed (em: EntityManager): Promise<void> {
  em.create(Group, { name: 'open', owner: em.create(User, { name: 'Ann' }) })
  em.create(Group, { name: 'closed', owner: em.create(User, { name: 'Bob' }) })
  await em.flush()
  em.create(Guarded, { name: 'open' })
  em.create(Item, { name: 'first', size: 1, group: 1 })
}

/** How many statements check a row: the statement that writes it, or another one in a transaction. */
type Way = 'one' | 'two'

/** A condition, a body inside of it, and bodies outside of it. */
const CASES: ReadonlyArray<
  readonly [rows: object | (() => object), way: Way, inside: object, outside: readonly [object, ...object[]]]
> = [
  [{ size: { $gt: 5 } }, 'one', { size: 6 }, [{ size: 5 }, { size: null }]],
  [{ size: { $gte: 5, $lt: 8 } }, 'one', { size: 7 }, [{ size: 8 }, { size: 4 }]],
  [{ size: { $in: [1, 2] } }, 'one', { size: 2 }, [{ size: 3 }, { size: null }]],
  [{ size: [1, 2] }, 'one', { size: 2 }, [{ size: 3 }]],
  [{ size: { $nin: [1, 2] } }, 'one', { size: 3 }, [{ size: 2 }, { size: null }]],
  [{ size: { $ne: 1 } }, 'one', { size: 2 }, [{ size: 1 }, { size: null }]],
  [{ size: { $ne: null } }, 'one', { size: 2 }, [{ size: null }]],
  [{ size: { $lt: 2.5 } }, 'one', { size: 2 }, [{ size: 3 }]],
  [{ name: { $like: 'own %' } }, 'one', { name: 'own x' }, [{ name: 'x' }, { name: 'Own x' }]],
  [{ name: { $ilike: 'own %' } }, 'one', { name: 'OWN y' }, [{ name: 'x' }]],
  [{ name: { $re: '^own' } }, 'one', { name: 'own z' }, [{ name: 'x' }]],
  [{ $or: [{ size: 1 }, { name: 'free' }] }, 'one', { name: 'free' }, [{ name: 'x', size: 2 }]],
  [{ $not: { size: { $gt: 5 } } }, 'one', { size: 5 }, [{ size: 6 }, { size: null }]],
  [{ $or: [{ $not: { size: 1 } }, { $and: [{ name: 'one' }, { size: 1 }] }] }, 'one', { name: 'one', size: 1 }, [
    { name: 'two', size: 1 },
  ]],
  [{ doubled: { $gt: 10 } }, 'one', { size: 6 }, [{ size: 5 }, { size: null }]],
  [{ weight: { $lt: 4 } }, 'one', {}, [{ weight: 4 }]],
  [{ tags: { $contains: ['a'] } }, 'one', { tags: ['a', 'b'] }, [{ tags: ['b'] }, { tags: null }]],
  [{ data: { kind: 'own' } }, 'one', { data: { kind: 'own' } }, [{ data: { kind: 'x' } }, { data: null }]],
  [{ place: { city: 'Graz' } }, 'one', { place: { city: 'Graz' } }, [{ place: { city: 'Linz' } }, { place: null }]],
  [{ place: { floor: { $gt: 1 } } }, 'one', { place: { floor: 2 } }, [{ place: { floor: 1 } }]],
  [{ site: { city: 'Graz' } }, 'one', { site: { city: 'Graz' } }, [{ site: { city: 'Linz' } }, { site: null }]],
  [{ group: { $in: [1] } }, 'one', { group: 1 }, [{ group: 2 }, { group: null }]],
  [{ group: { id: { $lt: 2 } } }, 'one', { group: 1 }, [{ group: 2 }, { group: null }]],
  [{ halved: { $gt: 2 } }, 'two', { size: 6 }, [{ size: 5 }, { size: null }]],
  [() => ({ [raw('size + weight')]: { $gt: 5 } }), 'two', { size: 3 }, [{ size: 2 }]],
  [{ group: { name: 'open' } }, 'one', { group: 1 }, [{ group: 2 }, { group: null }]],
  [{ group: { name: null } }, 'one', { group: null }, [{ group: 1 }, { group: 2 }]],
  [{ $not: { group: { name: 'closed' } } }, 'one', { group: 1 }, [{ group: 2 }]],
  [{ group: { $or: [{ id: 1 }, { name: 'x' }] } }, 'one', { group: 1 }, [{ group: 2 }]],
  [{ group: { owner: { name: 'Ann' } }, size: { $gt: 1 } }, 'one', { group: 1, size: 2 }, [
    { group: 2, size: 2 },
    { group: 1, size: 1 },
  ]],
  [{ $or: [{ size: 1 }, { group: { name: { $like: 'op%' } } }] }, 'one', { size: 2, group: 1 }, [{
    size: 2,
    group: 2,
  }]],
  [{ guarded: { name: 'open' } }, 'two', { guarded: 1 }, [{ guarded: null }]],
  [{ viewed: { name: 'first' } }, 'two', { viewed: 1 }, [{ viewed: null }]],
  [{ $or: [{ size: 1 }, { next: { size: 1 } }] }, 'two', { size: 2, next: 1 }, [{ size: 2, next: null }]],
  [{ group: { items: { $some: { name: 'first' } } } }, 'two', { group: 1 }, [{ group: 2 }, { group: null }]],
  [{ group: { items: { $none: { size: 9 } } } }, 'two', { group: 1 }, [{ group: 1, size: 9 }]],
]

const TRIGGERS = `
  alter table guarded enable row level security;
  drop table viewed;
  create view viewed as select id, name from item;
  create function resize() returns trigger language plpgsql as $$
  begin
    if new.note = 'grow' then new.size = 99; end if;
    if new.note = 'shrink' then new.size = 1; end if;
    return new;
  end $$;
  create trigger resize before insert or update on plant for each row execute function resize();
  create function resize_later() returns trigger language plpgsql as $$
  begin
    if new.part = 0 then update batch set size = 99 where key = new.key and size <> 99; end if;
    return null;
  end $$;
  create trigger resize_later after insert or update on batch for each row execute function resize_later();
`

const items = resource(Item)
const groups = new CrudBase<any>({ model: Group, writable: ['name'] })
const plants = resource(Plant)
const batches = resource(Batch)
const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete'] as const

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  let rows: () => object | Promise<object> = () => ({})
  let groupRows = {}
  const access: AccessOptions = {
    role: () => 'member',
    roles: {
      member: {
        Item: { rows: () => rows() }, Batch: { rows: () => rows() }, Plant: { rows: () => rows() }, Guarded: true,
        Viewed: true, Group: { rows: () => groupRows },
      },
    },
  }
  const app = await serveWith(t, orm, {
    access,
    shared: ['User', 'Guarded', 'Viewed'],
    resources: {
      '/items': { crud: items, operations },
      '/together': { crud: items, operations, transaction: true },
      '/small': { crud: items, operations, scope: () => ({ size: { $lt: 100 } }) },
      '/batches': { crud: batches, operations },
      '/plants': { crud: plants, operations },
      '/groups': { crud: groups, operations },
    },
  })
  const send = sender(app)
  const execute = async (sql: string): Promise<void> => {
    await orm.em.fork().getConnection().executeDump(sql)
  }
  const contents = async (table = 'item') =>
    await select(orm, `select to_jsonb(i) as row from ${table} i order by to_jsonb(i)`)
  /** @param pointer to the record, in the body of a batch */
  const refused = (t: Test, { status, body }: Answer, what: string, pointer?: string): void => {
    const [code, detail] = ['FST_CRUD_OUT_OF_SCOPE', 'The record would lie outside of what this request may write.']
    const place = pointer === undefined ? {} : { source: { pointer } }
    t.strictSame([status, body.errors], [403, [{ ...place, code, detail }]], what)
    t.equal(body.message, pointer === undefined ? detail : `${pointer}: ${detail}`)
  }
  const recorder = await recordStatements(orm, t)
  const words = (): string => recorder.words()
  const remake = async (): Promise<void> => await execute("delete from item where name <> 'first'")
  await execute(TRIGGERS)
  // the first write of rows that are checked asks for the triggers of the server
  rows = () => ({ id: { $gt: 0 } })
  await send('PATCH', '/items/1', { note: 'asked' })

  for (const [condition, way, inside, outside] of CASES) {
    const isFunction = typeof condition === 'function'
    t.test(`${isFunction ? 'raw SQL' : JSON.stringify(condition)}: ${way}`, async (t) => {
      await remake()
      rows = isFunction ? condition as () => object : () => condition
      recorder.take()
      const own = await send('POST', '/items', { name: 'own', ...inside })
      t.strictSame([own.status, words()], [201, way === 'one' ? 'insert' : 'begin insert select commit'], 'POST')
      const url = `/items/${own.body.id}`
      t.equal((await send('GET', url)).status, 200, 'the role sees the row')
      recorder.take()
      const patched = await send('PATCH', url, { ...inside, note: 'x' })
      t.strictSame([patched.status, words()], [200, way === 'one' ? 'update' : 'begin update select commit'], 'PATCH')
      const before = await contents()
      for (const body of outside) {
        recorder.take()
        refused(t, await send('POST', '/items', { name: 'other', ...body }), `POST ${JSON.stringify(body)}`)
        t.equal(words(), way === 'one' ? 'insert' : 'begin insert select rollback')
        refused(t, await send('PATCH', url, body), `PATCH ${JSON.stringify(body)}`)
        t.equal(words(), way === 'one' ? 'update' : 'begin update select rollback')
        for (const bodies of [[body], [{ name: 'a', ...inside }, { name: 'b', ...body }]]) {
          if (bodies.length === 2 && 'name' in inside) continue
          // the last record, unless it leads those before it outside, too
          const first = String(JSON.stringify(condition)).includes('$none') ? 0 : bodies.length - 1
          refused(t, await send('POST', '/items', bodies), `POST ${JSON.stringify(bodies)}`, `/${first}`)
        }
        t.strictSame(await contents(), before, 'nothing was written')
      }
    })
  }

  const trees = () => ({ size: { $lt: 10 } })

  t.test('defaults of the database and generated columns count', async (t) => {
    await remake()
    const before = await contents()
    rows = () => ({ weight: { $gt: 3 } })
    refused(t, await send('POST', '/items', { name: 'x' }), 'the default')
    refused(t, await send('POST', '/items', [{ name: 'x', weight: 4 }, { name: 'y' }]), 'the default in a batch',
      '/1')
    rows = () => ({ doubled: { $lt: 10 } })
    refused(t, await send('POST', '/items', { name: 'x' }), 'a generated column that is null')
    t.strictSame(await contents(), before)
  })

  t.test('a trigger that changes the row before it is written', async (t) => {
    for (const [condition, way] of [
      [{ size: { $lt: 10 } }, 'insert'],
      [{ $or: [{ size: { $lt: 10 } }, { group: { name: 'closed' } }] }, 'begin insert select commit'],
    ] as const) {
      rows = () => condition
      recorder.take()
      const shrunk = await send('POST', '/plants', { size: 50, note: 'shrink', group: 1 })
      t.match([shrunk.status, shrunk.body.size, words()], [201, 1, way])
      const before = await contents('plant')
      refused(t, await send('POST', '/plants', { size: 1, note: 'grow' }), 'create')
      refused(t, await send('POST', '/plants', [{ size: 1 }, { size: 1, note: 'grow' }]), 'batch', '/1')
      refused(t, await send('PATCH', `/plants/${shrunk.body.id}`, { note: 'grow' }), 'update')
      t.strictSame(await contents('plant'), before)
    }
  })

  t.test('a condition on the rows that refer to a row is checked in one statement', async (t) => {
    await remake()
    const before = await contents('item_group')
    groupRows = { items: { $some: { name: 'first' } } }
    recorder.take()
    refused(t, await send('POST', '/groups', { name: 'x' }), 'a new record has none')
    t.equal(words(), 'insert')
    t.strictSame(await contents('item_group'), before)
    recorder.take()
    t.equal((await send('PATCH', '/groups/1', { name: 'open' })).status, 200)
    t.equal(words(), 'update')
    groupRows = { items: { $none: { name: 'first' } } }
    recorder.take()
    const created = await send('POST', '/groups', { name: 'x' })
    t.strictSame([created.status, words()], [201, 'insert'])
    t.equal((await send('PATCH', '/groups/1', { name: 'x' })).status, 404)
    await execute(`delete from item_group where id = ${created.body.id}`)
    groupRows = {}
  })

  t.test('a trigger that changes the row after it was written takes a transaction', async (t) => {
    rows = trees
    recorder.take()
    t.equal((await send('POST', '/batches', { key: 'a', part: 1, size: 1 })).status, 201)
    t.equal(words(), 'begin insert select commit')
    const before = await contents('batch')
    refused(t, await send('POST', '/batches', { key: 'b', part: 0, size: 1 }), 'create')
    refused(t, await send('POST', '/batches', [{ key: 'b', part: 1, size: 1 }, { key: 'c', part: 0, size: 1 }]),
      'batch', '/1')
    refused(t, await send('PATCH', '/batches/a', { part: 0 }, { 'if-match': '"1"' }), 'update')
    t.strictSame(await contents('batch'), before)
  })

  t.test('a batch is one statement, or several in a transaction', async (t) => {
    await remake()
    rows = trees
    const batch = Array.from({ length: 50 }, (_, index) => ({ name: `b${index}`, size: 1 }))
    recorder.take()
    t.equal((await send('POST', '/items', batch)).body.length, 50)
    t.equal(words(), 'insert')
    const different = [{ name: 'x', size: 1 }, { name: 'y', size: 1, note: 'z' }, { name: 'z', weight: 2, size: 2 }]
    t.strictSame((await send('POST', '/items', different)).body.map(({ name }: any) => name), ['x', 'y', 'z'])
    t.equal(words(), 'insert')
    const before = await contents()
    for (const list of [batch, different]) {
      for (const at of [0, list.length - 1]) {
        const some = list.map((one, index) => ({ ...one, name: `n${index}`, ...(index === at && { size: 10 }) }))
        refused(t, await send('POST', '/items', some), `${at} of ${list.length}`, `/${at}`)
      }
    }
    t.strictSame(await contents(), before)
    await remake()
  })

  t.test('a condition of the resource is checked together with that of the role', async (t) => {
    await remake()
    rows = () => ({ size: { $gt: 10 } })
    recorder.take()
    t.equal((await send('POST', '/small', { name: 'x', size: 50 })).status, 201)
    t.equal(words(), 'insert')
    for (const size of [10, 100]) refused(t, await send('POST', '/small', { name: 'y', size }), String(size))
    t.equal((await send('POST', '/items', { name: 'y', size: 100 })).status, 201)
  })

  t.test('the text of a statement does not depend on the values of the condition', async (t) => {
    await remake()
    recorder.take()
    for (const size of [10, 20]) {
      rows = () => ({ size: { $lt: size } })
      await send('POST', '/items', { name: `n${size}`, size: 1 })
    }
    const [one, two] = recorder.take()
    t.equal(one!.sql, two!.sql)
    t.strictSame([one!.params.at(-1), two!.params.at(-1)].map(Number), [10, 20])
  })

  t.test('other errors of the database stay what they are', async (t) => {
    await remake()
    rows = trees
    t.match(await send('POST', '/items', { name: 'first', size: 1 }), { status: 409 })
    t.match(await send('POST', '/items', { name: 'x', size: 1, group: 99 }), { status: 409 })
    t.match(await send('PATCH', '/items/99', { size: 1 }), { status: 404 })
    t.match(await send('PATCH', '/items/1', { group: 99 }), { status: 409 })
  })

  t.test('of two concurrent changes that lead outside together, one is refused', async (t) => {
    rows = () => ({ $or: [{ size: { $lt: 10 } }, { weight: { $lt: 10 } }] })
    for (let round = 0; round < 20; round++) {
      t.equal((await send('PATCH', '/items/1', { size: 1, weight: 1 })).status, 200)
      const both = await Promise.all([
        send('PATCH', '/items/1', { size: 20 }),
        send('PATCH', '/items/1', { weight: 20 }),
      ])
      // the later one does not find the row if it begins after the other has ended
      t.strictSame(both.map(({ status }) => status).sort(), [200, 403])
    }
    await execute('update item set size = 1, weight = 3')
  })

  t.test('a transaction of the route has a savepoint', async (t) => {
    await remake()
    rows = trees
    recorder.take()
    t.equal((await send('POST', '/together', { name: 'x', size: 1 })).status, 201)
    t.equal(words(), 'begin savepoint insert release commit')
    const before = await contents()
    recorder.take()
    refused(t, await send('POST', '/together', { name: 'y', size: 10 }), 'POST')
    t.match(words(), /^begin savepoint insert rollback/)
    refused(t, await send('PATCH', '/together/1', { size: 10 }), 'PATCH')
    t.strictSame(await contents(), before)
  })

  t.test('a transaction of the application can go on after a refusal', async (t) => {
    await remake()
    const options = { scope: { size: { $lt: 10 } } }
    await withTransaction(orm.em.fork(), async (em) => {
      await items.create(em, { name: 'one', size: 1 }, options)
      await t.rejects(items.create(em, { name: 'two', size: 10 }, options), { code: 'FST_CRUD_OUT_OF_SCOPE' })
      await t.rejects(items.createMany(em, [{ name: 'a', size: 1 }, { name: 'b', size: 10 }], options), {
        code: 'FST_CRUD_OUT_OF_SCOPE',
      })
      await t.rejects(items.update(em, 1, { size: 10 }, options), { code: 'FST_CRUD_OUT_OF_SCOPE' })
      await items.create(em, { name: 'three', size: 3 }, options)
    })
    t.strictSame(await select(orm, 'select name, size from item order by id'), [
      { name: 'first', size: 1 }, { name: 'one', size: 1 }, { name: 'three', size: 3 },
    ])
  })

  t.test('a deletion may lead outside', async (t) => {
    await remake()
    rows = () => ({ deleted_at: null })
    const { body: { id } } = await send('POST', '/items', { name: 'gone' })
    recorder.take()
    t.equal((await send('DELETE', `/items/${id}`)).status, 200)
    t.equal(words(), 'update')
    t.equal((await send('PATCH', `/items/${id}`, { size: 1 })).status, 404)
  })
})
