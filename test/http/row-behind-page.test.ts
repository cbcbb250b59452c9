/** Lists without an exact total fetch one row more than the page has. Its related records do not count as included. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { type PaginationOptions } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { client, resource, serve } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Crate = entity('Crate', {
  id: p.integer().primary().autoincrement(),
  apples: () => p.oneToMany(Apple).mappedBy('crate'),
})
const Apple = entity('Apple', { id: p.integer().primary(), crate: () => p.manyToOne(Crate) })

const MANY = Array.from({ length: 39 }, (_, index) => index + 1)

const crates = (count: PaginationOptions['count'] & {}, maxPerPage: number) =>
  resource(Crate, {
    allowedSorts: ['id'], allowedIncludes: ['apples'],
    pagination: { count, maxIncluded: 40, maxPerPage, defaultPerPage: 1 },
  })

await forEachDatabase(t, { entities: [Crate, Apple] }, async (t, { orm }) => {
  const em = orm.em.fork()
  for (const crate of [2, 1]) {
    await em.insert(Crate, { id: crate })
    // the rows of the second crate are the first ones in the table
    for (const apple of crate === 2 ? MANY : [1, 2, 3]) await em.insert(Apple, { id: (2 - crate) * 50 + apple, crate })
  }
  const paths = { '/none': 'none', '/planned': 'planned', '/bounded': { upTo: 1 }, '/exact': 'exact' } as const
  const app = await serve(
    t,
    orm,
    Object.fromEntries(
      Object.entries(paths).flatMap(([path, count]) => [[path, crates(count, 1)], [`${path}-5`, crates(count, 5)]])
    )
  )

  for (const path of Object.keys(paths).flatMap((path) => [path, `${path}-5`])) {
    t.test(`${path}: a page has all related records of its own rows`, async (t) => {
      const { items, has_next: hasNext } = await client(app, path).get('include=apples&sort=id')
      t.strictSame(items, [{ id: 1, apples: [51, 52, 53].map((id) => ({ id, crate: 1 })) }])
      t.equal(hasNext, true)
      const second = await client(app, path).get('include=apples&sort=id&page=2')
      t.strictSame(second.items, [{ id: 2, apples: MANY.map((id) => ({ id, crate: 2 })) }])
      t.equal(second.has_next, false)
    })

    t.test(`${path}: a page by cursor has them, too`, async (t) => {
      const { items } = await client(app, path).get('include=apples&sort=id&cursor=')
      t.strictSame(items, [{ id: 1, apples: [51, 52, 53].map((id) => ({ id, crate: 1 })) }])
    })
  }
})
