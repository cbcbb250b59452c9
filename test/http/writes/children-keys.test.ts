/** Owned children of records whose keys contain other composite keys. */
import { p, raw } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, parseQueryParams } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { select, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const Hall = entity('Hall', { house: p.integer().primary(), number: p.integer().primary() })

const Bench = entity('Bench', {
  hall: () => p.manyToOne(Hall).primary(),
  row: p.integer().primary(),
  pots: () => p.oneToMany(Pot).mappedBy('bench'),
  tools: () => p.oneToMany(Tool).mappedBy('bench'),
  signs: () => p.oneToMany(Sign).mappedBy('bench'),
})

const Pot = entity('Pot', {
  bench: () => p.manyToOne(Bench).primary(), place: p.string().primary(), size: p.integer().nullable(),
})

/** Written through MikroORM's unit of work, because of its lifecycle hooks. */
const Tool = entity('Tool', {
  bench: () => p.manyToOne(Bench).primary(), place: p.string().primary(), size: p.integer().nullable(),
}, { hooks: { beforeUpdate: [() => {}], beforeDelete: [() => {}] } })

const Sign = entity('Sign', {
  id: p.integer().primary(), bench: () => p.manyToOne(Bench), place: p.string(), size: p.integer().nullable(),
}, { hooks: { beforeUpdate: [() => {}], beforeDelete: [() => {}] } })

const operations = ['get', 'create', 'update', 'delete'] as const
const child = { create: ['place', 'size'], update: ['size'] }
const children = { pots: child, tools: child, signs: child }
const crud = (model: any, writable: any): CrudBase => new CrudBase({ model, writable })

await forEachDatabase(t, { entities: [Hall, Bench, Pot, Tool, Sign] }, async (t, { orm }) => {
  await select(orm, 'insert into hall (house, number) values (1, 1), (2, 1)')
  const app = await serve(t, orm, {
    '/benches': { crud: crud(Bench, ['hall', 'row', children]), operations },
    '/pots': { crud: crud(Pot, ['bench', 'place', 'size']), operations },
  })
  const { patch, remove, created, updated, read } = writes(app)
  const [other, bench] = [1, 2].map((house) => ({ 'hall.house': house, 'hall.number': 1, row: 7 }))
  for (const house of [1, 2]) {
    const added = ['l', 'r'].map((place) => ({ place, size: 1 }))
    await created('/benches', { hall: { house, number: 1 }, row: 7, pots: added, tools: added, signs: added })
  }

  t.test('children are changed, found and removed by their parent', async (t) => {
    for (const [name, left, right, changes] of [
      ['pots', { place: 'l' }, 'r', [{ size: 2 }, {}]],
      ['signs', { id: 3 }, 4, [{ size: 2 }, {}]],
      // MikroORM cannot update an entity with such a key
      ['tools', { place: 'l' }, 'r', [{}]],
    ] as const) {
      for (const change of changes) {
        const { [name]: found } = await updated('/benches/2/1/7', { [name]: { update: [{ ...left, ...change }] } })
        t.match(found, [{ ...left, bench, ...changes[0] }], `${name} with ${JSON.stringify(change)}`)
      }
      t.strictSame((await updated('/benches/2/1/7', { [name]: { remove: [right] } }))[name], [])
    }
    for (const lists of [{ update: [{ id: 1, size: 3 }] }, { update: [{ id: 1 }] }, { remove: [1] }]) {
      const [list] = Object.keys(lists)
      t.match(verdict(await patch('/benches/2/1/7', { signs: lists })), `409 FST_CRUD_CONFLICT /signs/${list}/0`)
    }
    for (const [table, size] of [['pot', 2], ['sign', 2], ['tool', 1]] as const) {
      t.strictSame(await select(orm, `select bench_hall_house as house, place, size from ${table} order by 1, 2`), [
        { house: 1, place: 'l', size: 1 },
        { house: 1, place: 'r', size: 1 },
        { house: 2, place: 'l', size },
      ])
    }
  })

  t.test('records are found by such a key, and what is shown can be sent back', async (t) => {
    const record = { bench, place: 'm', size: 4 }
    t.strictSame(await created('/pots', record), record)
    t.strictSame(await created('/pots', { ...record, bench: other }), { ...record, bench: other })
    t.match(await updated('/pots/2/1/7/m', { size: 5 }), { bench, size: 5 })
    t.strictSame(await read('/pots/1/1/7/m'), { ...record, bench: other })
    t.equal((await remove('/pots/2/1/7/m')).statusCode, 200)
    t.equal(verdict(await patch('/pots/2/1/7/m', { size: 6 })), '404 FST_CRUD_NOT_FOUND')
    t.match(await read('/pots/1/1/7/m'), { size: 4 }, 'the record of the other one stays')
  })

  t.test('a condition on a part of such a key is refused, since MikroORM compares other columns', async (t) => {
    for (const scope of [
      { bench: { row: 1 } },
      { bench: { hall: { house: 2 } } },
      { $or: [{ size: 9 }, { bench: { row: { $gte: 5 } } }] },
    ]) {
      const app = await serve(t, orm, { '/pots': { crud: crud(Pot, ['size']), scope: () => scope as never } })
      const answer = await app.inject('/pots')
      t.equal(answer.statusCode, 500)
      t.equal(answer.json().code, 'FST_CRUD_SCOPE_INVALID')
      await t.rejects(crud(Pot, ['size']).list(orm.em.fork(), parseQueryParams(''), { scope }), {
        cause: { message: /the key of Bench contains another composite key, .* Compare the columns in SQL/ },
      })
    }
    const app = await serve(t, orm, {
      '/pots': { crud: crud(Pot, ['size']), scope: () => ({ [raw('bench_hall_house')]: 2 }) as never },
    })
    const { items } = (await app.inject('/pots')).json()
    t.ok(items.length > 0 && items.every((item: any) => item.bench['hall.house'] === 2))
  })
})
