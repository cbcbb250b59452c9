/**
 * Conditions that are the same for all requests (the `where` of a relation or of the whitelist), in kept statements.
 */
import { p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { AllowedInclude, parseQueryParams, primaryKey, type CrudReadOptions } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Writer = entity('Writer', { ...primaryKey, tenant: p.integer(), active: p.boolean() })
const Blog = entity('Blog', {
  ...primaryKey,
  tenant: p.integer(),
  posts: () => p.oneToMany(Post).mappedBy('blog'),
  recent: () => p.oneToMany(Post).mappedBy('blog').where({ published: { $gte: new Date('2024-03-01T00:00:00Z') } }),
  signed: () => p.oneToMany(Post).mappedBy('blog').where({ writer: { active: true } }),
})
const Post = entity('Post', {
  ...primaryKey, tenant: p.integer(), title: p.string(), stars: p.integer(), ratio: p.double(),
  published: p.datetime(3), blog: () => p.manyToOne(Blog), writer: () => p.manyToOne(Writer),
}, {
  filters: {
    tenant: { name: 'tenant', cond: (args: { tenant?: number }) => ({ tenant: args.tenant }), default: false },
  },
})

const { count, sum, exists } = AllowedInclude
const blogs = resource(Blog, {
  allowedFilters: [{ id: ['in', 'gte', 'lte'], 'recent.title': ['eq', 'in'], 'posts.stars': ['gte'] }],
  allowedFields: ['id'],
  allowedIncludes: [
    new AllowedInclude('posts', { where: { stars: [1, 3] }, limit: 2, sort: ['-stars'] }),
    'recent',
    count('posts', { where: { title: 'b' } }),
    exists('posts', { where: { title: 'c', ratio: { $gt: 1.5 } } }),
    sum('posts.stars', { where: { $or: [{ title: { $like: 'a%' } }, { stars: 0 }] } }),
    count('recent', { where: { stars: { $lt: 3 } } }),
  ],
})
/** Conditions through a relation that the rest of the resource does not use. */
const signed = resource(Blog, {
  allowedFilters: [{ 'signed.stars': ['gte'] }],
  allowedFields: ['id'],
  allowedIncludes: [count('signed'), count('posts', { where: { writer: { active: false } } })],
})

interface Row {
  id: number
  blog: number
  tenant: number
  title: string
  stars: number
  ratio: number
  published: Date
}
const BLOGS = 8
const rows: Row[] = Array.from({ length: 40 }, (_, i) => ({
  id: i + 1, blog: (i * 5) % BLOGS + 1, tenant: i % 3, title: 'abcd'[(i * 7) % 4]!, stars: (i * 3) % 5,
  ratio: (i % 4) + 0.5, published: new Date(Date.UTC(2024, (i * 5) % 6, 1)),
}))

async function seed (em: EntityManager): Promise<void> {
  const parents = Array.from({ length: BLOGS }, (_, i) => em.create(Blog, { tenant: i % 2 }))
  const writers = Array.from({ length: 6 }, (_, i) => em.create(Writer, { tenant: i % 3, active: i < 3 }))
  await em.flush()
  for (const { id, blog, ...row } of rows) {
    em.create(Post, { ...row, blog: parents[blog - 1]!, writer: writers[(id * 11) % 6]! })
    await em.flush()
  }
}

const recent = ({ published }: Row): boolean => published >= new Date('2024-03-01T00:00:00Z')

/** The whitelist of a blog that has these posts. */
function model (id: number, posts: readonly Row[], includes: readonly string[]): object {
  const shown: Record<string, (own: readonly Row[]) => unknown> = {
    posts: (own) =>
      own.filter(({ stars }) => stars === 1 || stars === 3).sort((a, b) => b.stars - a.stars || a.id - b.id).slice(0, 2)
        .map(({ id }) => id),
    recent: (own) => own.filter(recent).map(({ id }) => id),
    postsCount: (own) => own.filter(({ title }) => title === 'b').length,
    postsExists: (own) => own.some(({ title, ratio }) => title === 'c' && ratio > 1.5),
    postsStarsSum: (own) =>
      own.filter(({ title, stars }) => title === 'a' || stars === 0).reduce<number | null>(
        (sum, { stars }) => (sum ?? 0) + stars,
        null
      ),
    recentCount: (own) => own.filter((post) => recent(post) && post.stars < 3).length,
  }
  return {
    id,
    ...Object.fromEntries(includes.map((name) => [name, shown[name]!(posts.filter(({ blog }) => blog === id))])),
  }
}

const INCLUDES = ['posts', 'recent', 'postsCount', 'postsExists', 'postsStarsSum', 'recentCount']

await forOneDatabase(t, { entities: [Blog, Post, Writer], seed }, async (t, { orm }) => {
  const list = async (query: string, em: EntityManager = orm.em.fork(), options: CrudReadOptions = {}) => {
    const { items } = await blogs.list(em, parseQueryParams(query), options)
    return items.map((item) =>
      Object.fromEntries(
        Object.entries(item).map(([key, value]) => [key, Array.isArray(value) ? value.map(({ id }) => id) : value])
      )
    )
  }
  /** An EntityManager without a query builder: statements that need one are not kept. */
  const withoutBuilder = (): EntityManager =>
    Object.assign(orm.em.fork(), {
      createQueryBuilder () {
        throw new Error('compiled again')
      },
    })
  const ids = (from: number, to: number) =>
    Array.from({ length: BLOGS }, (_, i) => i + 1).filter((id) => id >= from && id <= to)

  t.test('a statement with constant conditions is compiled once', async (t) => {
    const query = (from: number) => `fields=id&include=${INCLUDES}&filter[id][gte]=${from}&filter[recent.title]=a`
    const first = await list(query(1))
    t.ok(first.length > 1)
    t.strictSame(await list(query(1), withoutBuilder()), first)
    t.strictSame(await list(query(99), withoutBuilder()), [])
    await t.rejects(list(`${query(1)}&filter[posts.stars]=1`, withoutBuilder()), { message: 'compiled again' },
      'another shape is another statement')
    t.strictSame(await blogs.get(orm.em.fork(), 1, parseQueryParams('fields=id&include=postsCount')),
      await blogs.get(withoutBuilder(), 1, parseQueryParams('fields=id&include=postsCount')))
  })

  t.test('the values of requests and those of conditions do not mix', async (t) => {
    const request = fc.record({
      includes: fc.subarray(INCLUDES),
      from: fc.integer({ min: -1, max: BLOGS }),
      to: fc.integer({ min: 1, max: BLOGS + 1 }),
      listed: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: BLOGS }), { minLength: 1 })),
      titles: fc.option(fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd'), { minLength: 1 })),
      perPage: fc.integer({ min: 1, max: 5 }),
      page: fc.integer({ min: 1, max: 2 }),
    })
    await assertProperty(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 3 }), async (requests) => {
        // twice, so that every statement is also run from the kept ones
        for (const { includes, from, to, listed, titles, perPage, page } of [...requests, ...requests]) {
          const found = await list(
            `fields=id&include=${includes}&filter[id][gte]=${from}&filter[id][lte]=${to}&page=${page}` +
              `&per_page=${perPage}` +
              (listed === null ? '' : `&filter[id][in]=${listed}`) +
              (titles === null ? '' : `&filter[recent.title][in]=${titles}`)
          )
          const expected = ids(from, to).filter((id) =>
            (listed === null || listed.includes(id)) &&
            (titles === null || rows.some((row) => row.blog === id && recent(row) && titles.includes(row.title)))
          )
          assert.deepStrictEqual(
            found,
            expected.slice((page - 1) * perPage, page * perPage).map((id) =>
              model(id, rows, INCLUDES.filter((name) => includes.includes(name)))
            )
          )
        }
      }),
      { numRuns: 40 }
    )
    t.pass('as the model')
  })

  t.test('values of requests are never kept: filters with parameters and scopes', async (t) => {
    const query = `fields=id&include=${INCLUDES}`
    const all = ids(1, BLOGS)
    t.strictSame(await list(query), all.map((id) => model(id, rows, INCLUDES)))
    for (const tenant of [0, 1, 2, 0]) {
      const em = orm.em.fork()
      em.setFilterParams('tenant', { tenant })
      em.addFilter({ name: 'tenant', entity: [Post as never], cond: { tenant }, args: false, default: true })
      t.strictSame(await list(query, em),
        all.map((id) => model(id, rows.filter((row) => row.tenant === tenant), INCLUDES)), `tenant ${tenant}`)
    }
    t.strictSame(await list(query, orm.em.fork(), { scope: { id: [2, 5] } }),
      [2, 5].map((id) => model(id, rows, INCLUDES)))
    t.strictSame(await list(query, withoutBuilder()), all.map((id) => model(id, rows, INCLUDES)),
      'and does not change what is')
  })
  t.test('filters of entities behind a condition apply with the arguments of the request', async (t) => {
    const numbers = async (tenant: number | undefined, query: string) => {
      const em = orm.em.fork()
      em.addFilter({
        name: 'writers', entity: Writer as never, cond: tenant === undefined ? {} : { tenant } as never, args: false,
      })
      return (await signed.list(em, parseQueryParams(query))).items
    }
    const writer = ({ id }: Row) => (id * 11) % 6
    for (const tenant of [0, undefined, 1, 2, 0, undefined]) {
      const seen = rows.filter((row) => tenant === undefined || writer(row) % 3 === tenant)
      const expected = ids(1, BLOGS).map((id) => {
        const own = seen.filter(({ blog }) => blog === id)
        return {
          id, signedCount: own.filter((row) => writer(row) < 3).length,
          postsCount: own.filter((row) => writer(row) >= 3).length,
        }
      })
      t.strictSame(await numbers(tenant, 'fields=id&include=signedCount,postsCount'), expected, `tenant ${tenant}`)
      const found = ids(1, BLOGS).filter((id) =>
        seen.some((row) => row.blog === id && writer(row) < 3 && row.stars >= 3)
      )
      t.strictSame((await numbers(tenant, 'fields=id&filter[signed.stars]=3')).map(({ id }: any) => id), found)
    }
  })
})
