/**
 * People, with every kind of secret that an entity can have. `withSecrets: false` makes the same entities without their
 * hidden parts: the properties, the relations, the entities behind them and the columns that separate rows do not
 * exist.
 */
import { p, type EntitySchema } from '@mikro-orm/core'
import { entity } from '../helpers/entity.ts'

export interface VaultEntities {
  readonly all: EntitySchema<any, any>[]
  readonly Team: EntitySchema<any, any>
  readonly Person: EntitySchema<any, any>
  readonly Visit: EntitySchema<any, any>
  /** Entities that only exist with secrets. */
  readonly Agent: EntitySchema<any, any>
  readonly Case: EntitySchema<any, any>
}

export function vaultEntities (withSecrets: boolean): VaultEntities {
  const only = <Properties extends object>(properties: Properties): Properties | object => withSecrets ? properties : {}
  const Home: any = entity('Home', { city: p.string(), ...only({ alarm: p.string().hidden().nullable() }) }, {
    embeddable: true,
  })
  const Work: any = entity('Work', { trade: p.string(), ...only({ badge: p.string().hidden().nullable() }) }, {
    embeddable: true,
  })
  const Agent: any = entity('Agent', { id: p.integer().primary(), codename: p.string() })
  const Case: any = entity('Case', {
    id: p.integer().primary(), title: p.string(), person: () => p.manyToOne(Person).fieldName('person_id'),
  }, { tableName: 'secret_case' })
  const Team: any = entity('Team', {
    id: p.integer().primary().autoincrement(), name: p.string(), people: () => p.oneToMany(Person).mappedBy('team'),
    ...only({ budget: p.integer().hidden().nullable() }),
  })
  const Person: any = entity('Person', {
    id: p.integer().primary().autoincrement(), version: p.integer().version(), name: p.string(),
    age: p.integer().nullable(), home: () => p.embedded(Home).nullable(),
    work: () => p.embedded(Work).object().nullable(), team: () => p.manyToOne(Team).nullable(),
    mentor: () => p.manyToOne(Person).nullable(), visits: () => p.oneToMany(Visit).mappedBy('person'),
    deleted_at: p.datetime(3).nullable(),
    ...only({
      tenant: p.integer().hidden().default(1),
      pin: p.integer().hidden().nullable(),
      token: p.string().fieldName('api_tok').hidden().nullable(),
      dossier: p.json().hidden().nullable(),
      handler: () => p.manyToOne(Agent).hidden().nullable(),
      cases: () => p.oneToMany(Case).mappedBy('person').hidden(),
      friends: () => p.manyToMany(Person).hidden(),
    }),
  }, {
    // rows of other tenants are hidden wherever they would appear
    ...only({ filters: { tenant: { name: 'tenant', cond: { tenant: 1 }, default: true } } }),
  })
  const Visit: any = entity('Visit', {
    id: p.integer().primary().autoincrement(),
    place: p.string(),
    stars: p.integer().nullable(),
    person: () => p.manyToOne(Person),
    ...only({ published: p.boolean().hidden().default(true), branch: p.integer().hidden().default(1) }),
  }, { ...only({ filters: { published: { name: 'published', cond: { published: true }, default: true } } }) })
  return {
    all: [Home, Work, Team, Person, Visit, ...(withSecrets ? [Agent, Case] : [])], Team, Person, Visit, Agent, Case,
  }
}
