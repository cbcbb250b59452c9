/**
 * One small application in several versions that clients must not be able to tell apart: two with different secrets, in
 * values and in number, and one without secrets.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { AllowedFilters, AllowedInclude, crudKit } from '../../src/index.ts'
import type { OpenDatabase, TestDatabase } from '../helpers/databases.ts'
import { ON_NUMBERS, ON_TEXTS } from '../helpers/operators.ts'
import { resource } from '../http/helper.ts'
import { vaultEntities, type VaultEntities } from './vault-entities.ts'

/** Values that clients may not see. `rows` is the number of rows of each kind that they may not see. */
export interface Secrets {
  readonly texts: readonly string[]
  readonly number: number
  readonly rows: number
}

export const SECRETS: readonly Secrets[] = [
  { texts: ['qZalphaWx', 'qZbravoWx', 'qZcharlieWx'], number: 73190417, rows: 1 },
  { texts: ['jKdeltaVy', 'jKechoVy', 'jKfoxtrotVy'], number: 58264093, rows: 4 },
]

interface Vault {
  readonly app: FastifyInstance
  readonly database: TestDatabase
}

/** The whitelist of the clients. It allows much, to offer many ways of attack. */
function resources ({ Team, Person, Visit }: VaultEntities, withSecrets: boolean): Record<string, any> {
  const people = resource(Person, {
    allowedFilters: [
      ...[
        'name', 'home.city', 'team.name', 'visits.place', 'mentor.name',
      ].map((name) => new AllowedFilters(name, 'eq', ON_TEXTS)),
      ...['id', 'age', 'team', 'mentor', 'visits.stars'].map((name) => new AllowedFilters(name, 'eq', ON_NUMBERS)),
      AllowedFilters.search('q', ['name', 'home.city', 'visits.place']),
    ],
    allowedSorts: ['id', 'name', 'age', 'team.name', 'mentor.name', 'home.city'],
    allowedFields: ['id', 'name', 'age', 'home', 'team', 'team.id', 'visits.id', 'visits.place'],
    allowedIncludes: [
      'team', 'team.people', 'mentor', 'mentor.team', 'visits', 'visits.person', AllowedInclude.count('visits'),
      AllowedInclude.exists('visits'), AllowedInclude.sum('visits.stars'), AllowedInclude.max('visits.stars'),
    ],
  })
  const teams = resource(Team, {
    allowedFilters: [{ name: ON_TEXTS, 'people.name': ON_TEXTS }, AllowedFilters.search('q', ['name', 'people.name'])],
    allowedSorts: ['name'],
    allowedIncludes: ['people', 'people.visits', AllowedInclude.count('people'), AllowedInclude.exists('people')],
  })
  const visits = resource(Visit, {
    allowedFilters: [{ place: ON_TEXTS, person: ON_NUMBERS, 'person.name': ON_TEXTS }],
    allowedSorts: ['place', 'person.name'],
    allowedIncludes: ['person'],
  })
  const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete']
  return {
    '/people': { crud: people, operations },
    '/teams': { crud: teams, operations },
    // the scope of the resource hides rows of other branches
    '/visits': { crud: visits, operations, scope: () => withSecrets ? { branch: 1 } : {} },
  }
}

/** Rows that clients may see, and rows that they may not. The keys of the latter start at 500. */
async function fill (
  em: EntityManager,
  { Team, Person, Visit, Agent, Case }: VaultEntities,
  secrets: Secrets | undefined
): Promise<void> {
  const orm: any = em
  const secretly = (properties: object): object => secrets === undefined ? {} : properties
  const text = (index: number): string => secrets!.texts[index % secrets!.texts.length]!
  const teams = ['Red', 'Blue', 'Green'].map(
    (name, index) => orm.create(Team, { id: index + 1, name, ...secretly({ budget: secrets?.number }) })
  )
  const people: any[] = []
  const person = (id: number, data: object): any => {
    const entity = orm.create(Person, {
      id, version: 1, ...data,
      ...(secrets !== undefined && {
        pin: secrets.number,
        token: text(id),
        dossier: { note: text(id + 1) },
      }),
    })
    people.push(entity)
    return entity
  }
  const home = (city: string): object => ({ city, ...secretly({ alarm: secrets && text(0) }) })
  const work = (trade: string): object => ({ trade, ...secretly({ badge: secrets && text(1) }) })
  const ada = person(1, { name: 'Ada', age: 36, team: teams[0], home: home('London'), work: work('maths') })
  person(2, { name: 'Bob', age: 50, team: teams[0], mentor: ada, home: home('Paris') })
  person(3, { name: 'Cleo', age: null, team: teams[1], mentor: ada, work: work('law') })
  person(4, { name: 'Dan', age: 36, team: null })
  person(5, { name: 'Eve', age: 19, team: teams[1], mentor: people[2], home: home('London') })
  let visit = 0
  for (const owner of people.slice(0, 4)) {
    for (const place of ['Oslo', 'Rome']) {
      orm.create(Visit, {
        id: ++visit, place, stars: (visit % 5) + 1, person: owner, ...secretly({ published: true, branch: 1 }),
      })
    }
  }
  if (secrets !== undefined) hide(orm, secrets, { Visit, Agent, Case, person, people, team: teams[0], text })
  await em.flush()
}

/** Hidden rows: soft-deleted, of another tenant, behind a filter, outside of the scope. */
function hide (em: any, { rows, number }: Secrets, { Visit, Agent, Case, person, people, team, text }: any): void {
  const [ada] = people
  for (let index = 0; index < rows; index++) {
    const hidden = [
      person(500 + index, { name: text(index), age: number, team, deleted_at: new Date(0) }),
      person(600 + index, { name: text(index), age: number, team, tenant: 2 }),
    ]
    // hidden people are outside of the scope; unpublished visits belong to a person whom clients see
    for (const [at, owner] of hidden.entries()) {
      em.create(Visit, {
        id: 700 + 10 * index + at, place: text(index), stars: 9, person: owner, published: true, branch: 2,
      })
    }
    em.create(Visit, { id: 705 + 10 * index, place: text(index), stars: 9, person: ada, published: false, branch: 1 })
    const handler = em.create(Agent, { id: index + 1, codename: text(index) })
    ada.handler = handler
    em.create(Case, { id: index + 1, title: text(index), person: ada })
    ada.friends.add(hidden[0])
  }
}

/** Opens a version with these secrets, or without any. It is closed with the test. */
export async function openVault (t: Test, open: OpenDatabase, secrets: Secrets | undefined): Promise<Vault> {
  const entities = vaultEntities(secrets !== undefined)
  const database = await open({ entities: entities.all, seed: (em) => fill(em, entities, secrets) })
  const app = Fastify()
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  // so that new rows get the same keys everywhere
  for (const table of ['team', 'person', 'visit']) {
    await database.orm.em.getConnection().execute(`select setval(pg_get_serial_sequence('${table}', 'id'), 1000)`)
  }
  await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Vault', version: '1' } } })
  await app.register(crudKit, {
    orm: database.orm, resources: resources(entities, secrets !== undefined), indexAdvice: false,
  })
  await app.ready()
  return { app, database }
}
