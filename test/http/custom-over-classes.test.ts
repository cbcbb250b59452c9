/** Custom filters and custom sorts by related rows of single-table inheritance: those of subclasses count, too. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, AllowedSort } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { client, resource, serve } from './helper.ts'

const id = { id: p.integer().primary().autoincrement() }
const Person = defineEntity({
  name: 'Person', discriminatorColumn: 'kind', discriminatorValue: 'person',
  properties: { ...id, name: p.string() },
})
const Chief = defineEntity({ name: 'Chief', extends: Person, discriminatorValue: 'chief', properties: {} })
const Desk = defineEntity({
  name: 'Desk',
  properties: {
    ...id, title: p.string(), owner: () => p.manyToOne(Person), twin: () => p.manyToOne(Desk).nullable(),
  },
})

const desks = resource(Desk, {
  allowedFilters: [
    AllowedFilters.custom('owner', (qb, name) => qb.andWhere({ owner: { name } } as never)),
    AllowedFilters.custom('joined', (qb, name) => qb.join('owner' as never, 'o').andWhere('o.name = ?', [name])),
    AllowedFilters.custom('twin', (qb, title) =>
      qb.andWhere({ twin: { title } } as never).clone().andWhere({ twin: { twin: { title } } } as never)),
  ],
  allowedSorts: [
    AllowedSort.custom('owner', (qb, direction) => qb.orderBy({ owner: { name: direction } } as never)),
  ],
})

await forEachDatabase(t, {
  entities: [Person, Chief, Desk],
  seed: async (em) => {
    let twin: object | undefined
    for (const [model, name] of [[Person, 'Bo'], [Chief, 'Al'], [Chief, 'Cy']] as const) {
      twin = em.create(Desk, { title: 'x', owner: em.create(model, { name }), twin } as never)
      await em.flush()
    }
  },
}, async (t, { orm }) => {
  const { all } = client(await serve(t, orm, { '/desks': desks }), '/desks')
  for (const [query, expected] of [
    ['filter[owner]=Bo', [1]],
    ['filter[owner]=Al', [2]],
    ['filter[joined]=Cy', [3]],
    ['filter[twin]=x', [3]],
    ['sort=owner', [2, 1, 3]],
    ['sort=-owner', [3, 1, 2]],
  ] as const) {
    t.test(query, async (t) => t.strictSame(await all('id', query), expected))
  }
})
