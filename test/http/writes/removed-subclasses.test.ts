/** A record of a subclass that the unit of work removes stays removed, whatever refers to the class that it extends. */
import { Cascade, defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, CrudBase, crudKit } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { select } from '../helper.ts'

const id = { id: p.integer().primary().autoincrement() }
const Person = defineEntity({
  name: 'Person', discriminatorColumn: 'kind', discriminatorValue: 'person',
  properties: {
    ...id, name: p.string().default(''), desk: () => p.oneToOne(Desk).mappedBy('owner').nullable(),
    mentor: () => p.manyToOne(Person).nullable(), team: () => p.manyToOne(Team).nullable(),
  },
})
const Team = defineEntity({
  name: 'Team',
  properties: { ...id, members: () => p.oneToMany(Person).mappedBy('team').cascade(Cascade.REMOVE) },
})
// its hook takes the unit of work
const Chief = defineEntity({
  name: 'Chief', extends: Person, discriminatorValue: 'chief', properties: {},
  hooks: { beforeDelete: [async ({ em }) => { await em.find(Badge, {}) }] },
})
const Desk = defineEntity({
  name: 'Desk', properties: { ...id, owner: () => p.oneToOne(Person).nullable().owner() },
})
const Group = defineEntity({
  name: 'Group',
  properties: {
    ...id, name: p.string(),
    lead: () => p.manyToOne(Person).nullable().deleteRule('set null').cascade(Cascade.PERSIST, Cascade.REMOVE),
  },
  hooks: { beforeDelete: [async ({ em }) => { await em.find(Desk, {}) }] },
})
const Badge = defineEntity({
  name: 'Badge', properties: { owner: () => p.oneToOne(Person).primary().owner().deleteRule('cascade') },
})

await forEachDatabase(t, {
  entities: [Person, Chief, Team, Desk, Group, Badge],
  seed: async (em) => {
    // each is the mentor of the next one
    let mentor: object | undefined
    for (let count = 0; count < 4; count++) {
      mentor = em.create(Chief, { name: 'x', mentor } as never) as object
      em.create(Desk, { owner: mentor } as never)
      await em.flush()
    }
  },
}, async (t, { orm }) => {
  const app = newServer(t)
  const crud = new CrudBase<any>({ model: Chief, queryConfig: { allowedFilters: [AllowedFilters.exact('name')] } })
  await app.register(crudKit, {
    orm,
    resources: {
      '/chiefs': { crud, operations: ['delete', 'deleteMany'] },
      '/groups': {
        crud: new CrudBase<any>({ model: Group, queryConfig: { allowedFilters: [AllowedFilters.exact('name')] } }),
        operations: ['deleteMany'],
      },
      '/teams': { crud: new CrudBase({ model: Team }), operations: ['delete'] },
    },
  })
  const left = async () => ({
    people: (await select(orm, 'select id from person order by id')).map(({ id }) => id),
    owners: (await select(orm, 'select owner_id from desk order by id')).map(({ owner_id: owner }) => owner),
  })

  t.test('a single one', async (t) => {
    t.equal((await app.inject({ method: 'DELETE', url: '/chiefs/1' })).statusCode, 200)
    t.strictSame(await left(), { people: [2, 3, 4], owners: [null, 2, 3, 4] })
  })

  t.test('several, of which one refers to another', async (t) => {
    const response = await app.inject({ method: 'DELETE', url: '/chiefs?filter[name]=x' })
    t.strictSame(response.json(), { affected: 3 })
    t.strictSame(await left(), { people: [], owners: [null, null, null, null] })
  })

  t.test('one that is removed with another record', async (t) => {
    const em = orm.em.fork()
    const chief = em.create(Chief, { name: 'y', team: em.create(Team, {}) } as never)
    em.create(Desk, { owner: chief } as never)
    await em.flush()
    t.equal((await app.inject({ method: 'DELETE', url: '/teams/1' })).statusCode, 200)
    t.strictSame(await left(), { people: [], owners: [null, null, null, null, null] })
  })

  t.test('several, which are in the keys of records that their hook loads', async (t) => {
    for (let count = 0; count < 3; count++) {
      const em = orm.em.fork()
      em.create(Badge, { owner: em.create(Chief, { name: 'z' }) } as never)
      await em.flush()
    }
    const response = await app.inject({ method: 'DELETE', url: '/chiefs?filter[name]=z' })
    t.strictSame(response.json(), { affected: 3 })
    t.strictSame((await left()).people, [])
  })

  t.test('several that are removed with others, whose hook loads what refers to them', async (t) => {
    for (let count = 0; count < 2; count++) {
      const em = orm.em.fork()
      const lead = em.create(Chief, { name: 'l' })
      em.create(Group, { lead, name: 'g' } as never)
      em.create(Desk, { owner: lead } as never)
      await em.flush()
    }
    const response = await app.inject({ method: 'DELETE', url: '/groups?filter[name]=g' })
    t.strictSame(response.json(), { affected: 2 })
    t.strictSame((await left()).people, [])
  })
})
