/** Pivot tables that are entities: their links are limited by the records on both sides, or by a rule of their own. */
import { defineEntity, p } from '@mikro-orm/core'
import t, { type Test } from 'tap'
import { AllowedInclude, type CrudKitOptions, type RoleRules } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import { crudOfRelation, memberWith, sender } from './fixtures.ts'

const Post = defineEntity({
  name: 'Post',
  properties: {
    id: p.integer().primary().autoincrement(), title: p.string(),
    topics: () => p.manyToMany(Topic).pivotEntity(() => Tagging),
  },
})
const Topic = defineEntity({
  name: 'Topic',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), posts: () => p.manyToMany(Post).mappedBy('topics'),
  },
})
const Tagging = defineEntity({
  name: 'Tagging',
  properties: {
    post: () => p.manyToOne(Post).primary(), topic: () => p.manyToOne(Topic).primary(), tenant: p.integer().default(1),
  },
})

/** The same as an entity like any other, which has a rule of its own. */
const Reader = defineEntity({
  name: 'Reader',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), loans: () => p.oneToMany(Loan).mappedBy('reader'),
  },
})
const Volume = defineEntity({
  name: 'Volume',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), loans: () => p.oneToMany(Loan).mappedBy('volume'),
  },
})
const Loan = defineEntity({
  name: 'Loan',
  properties: {
    reader: () => p.manyToOne(Reader).primary(), volume: () => p.manyToOne(Volume).primary(), tenant: p.integer(),
  },
})

const crudOf = (model: unknown, relation: string, path: string) =>
  crudOfRelation(model, relation, path, [AllowedInclude.count(relation)])
const operations = ['list', 'get', 'create', 'update'] as const
const resources: CrudKitOptions['resources'] = {
  '/posts': { crud: crudOf(Post, 'topics', 'name'), operations },
  '/readers': { crud: crudOf(Reader, 'loans', 'volume.name'), operations },
  '/volumes': { crud: crudOf(Volume, 'loans', 'reader.name'), operations },
  '/topics': { crud: crudOf(Topic, 'posts', 'title'), operations },
}

await forEachDatabase(t, {
  entities: [Post, Topic, Tagging, Reader, Volume, Loan],
  seed: async (em) => {
    const post = em.create(Post, { title: 'Moon' })
    const reader = em.create(Reader, { name: 'Ann' })
    for (const [index, name] of ['open', 'secret'].entries()) {
      em.create(Tagging, { post, topic: em.create(Topic, { name }), tenant: index + 1 })
      em.create(Loan, { reader, volume: em.create(Volume, { name }), tenant: index + 1 })
      await em.flush()
    }
  },
}, async (t, { orm }) => {
  const serve = (t: Test, rules: RoleRules) =>
    memberWith(t, orm, rules, { resources, shared: ['Post', 'Topic', 'Reader', 'Volume', 'Loan'] })
  const total = async (send: ReturnType<typeof sender>, url: string): Promise<number> =>
    (await send('GET', url)).body.total

  t.test('links of a pivot entity are limited by the rows of both sides', async (t) => {
    const send = await serve(t, { Post: true, Topic: { rows: { name: 'open' } } })
    t.match((await send('GET', '/posts/1?include=topics,topicsCount')).body, { topics: [{ id: 1 }], topicsCount: 1 })
    t.equal((await send('GET', '/posts/1?include=topics')).body.topics.length, 1)
    t.equal(await total(send, '/posts?filter[topics.name]=secret'), 0)
    t.equal((await send('PATCH', '/posts/1', { topics: [2] })).status, 409)
    t.equal((await send('PATCH', '/posts/1', { topics: [] })).status, 200)
    const links = async () => await select(orm, 'select topic_id from tagging order by topic_id')
    t.strictSame(await links(), [{ topic_id: 2 }], 'a list leaves the links that the role does not see')
    t.equal((await send('PATCH', '/posts/1', { topics: [1] })).status, 200)
    t.strictSame(await links(), [{ topic_id: 1 }, { topic_id: 2 }])
    const other = await serve(t, { Post: { rows: { title: 'Mars' } }, Topic: true })
    t.match((await other('GET', '/topics/1?include=posts,postsCount')).body, { posts: [], postsCount: 0 })
    t.equal(await total(other, '/topics?filter[posts.title]=Moon'), 0)
  })

  t.test('a pivot entity has no rule, and naming it stops the server', async (t) => {
    await t.rejects(serve(t, { Post: true, Topic: true, Tagging: { rows: { tenant: 1 } } }), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /names 'Tagging', which is not an entity/,
    })
  })

  t.test('an entity between two others has a rule, which limits what both sides show', async (t) => {
    const send = await serve(t, { Reader: true, Volume: true, Loan: { rows: { tenant: 1 } } })
    const reader = (await send('GET', '/readers/1?include=loans,loansCount')).body
    t.match(reader, { loans: [{ volume: 1 }], loansCount: 1 })
    t.equal(reader.loans.length, 1)
    t.match((await send('GET', '/volumes/2?include=loans,loansCount,loansExists')).body, {
      loans: [], loansCount: 0, loansExists: false,
    })
    t.equal(await total(send, '/readers?filter[loans.volume.name]=secret'), 0)
    t.equal(await total(send, '/readers?filter[loans.volume.name]=open'), 1)
    t.equal(await total(send, '/volumes?filter[loans.reader.name]=Ann'), 1)
    const closed = await serve(t, { Reader: true, Volume: true })
    t.notOk('loans' in (await closed('GET', '/readers/1')).body)
    for (const url of ['/readers?include=loans', '/volumes?include=loansCount']) {
      t.equal((await closed('GET', url)).status, 400, url)
    }
  })
})
