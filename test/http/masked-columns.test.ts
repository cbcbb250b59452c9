/** Columns of which a type of the application reads a constant instead of the value. */
import { defineEntity, p, Type } from '@mikro-orm/core'
import t from 'tap'
import crudKit, {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedGroup, AllowedInclude, BaseModel, CrudBase,
} from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'

/** A text that is stored, and read as this SQL. */
const readAs = (constant: string, columnType: string) => class extends Type<string | null, string | null> {
  override getColumnType (): string {
    return columnType
  }

  override convertToJSValueSQL (): string {
    return constant
  }
}

const Team = defineEntity({
  name: 'Team',
  extends: BaseModel,
  properties: { name: p.string(), members: () => p.oneToMany(Member).mappedBy('team') },
})
const Member = defineEntity({
  name: 'Member',
  extends: BaseModel,
  properties: {
    name: p.string(),
    token: p.type(readAs("'***'", 'varchar(20)')).nullable(),
    notes: p.type(readAs("'...'", 'text')).nullable(),
    gone: p.type(readAs('null', 'text')).nullable(),
    team: () => p.manyToOne(Team).nullable(),
  },
})

const masked = ['token', 'notes', 'gone'] as const
const names = ['name', ...masked] as const
const shown = { name: 'Ann', token: '***', notes: '...', gone: null }

await forEachDatabase(t, { entities: [Team, Member] }, async (t, { orm }) => {
  const members = new CrudBase({
    model: Member,
    writable: [...names, 'team'],
    queryConfig: {
      allowedFields: names.map((name) => new AllowedField(name)),
      allowedIncludes: [new AllowedInclude('team')],
      allowedFacets: masked.map((name) => new AllowedFacet(name)),
      allowedGroups: masked.map((name) => new AllowedGroup(name)),
      allowedAggregates: [new AllowedAggregate('notes', ['min', 'max'])],
    },
  })
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    resources: {
      '/teams': new CrudBase({
        model: Team,
        writable: ['name'],
        queryConfig: {
          allowedFields: [new AllowedField('name'), ...names.map((name) => new AllowedField(`members.${name}`))],
          allowedIncludes: [new AllowedInclude('members')],
        },
      }),
      '/members': { operations: ['list', 'get', 'create', 'update', 'aggregate'], crud: members },
    },
  })
  const send = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) => {
    const response = await app.inject({ method, url, ...(payload && { payload }) })
    return [response.statusCode, response.json()]
  }

  t.test('writes answer with the constant, and so do all reads', async (t) => {
    const [, team] = await send('POST', '/teams', { name: 'Red' })
    const [status, created] = await send('POST', '/members', {
      name: 'Ann', token: 'secret', notes: 'a note', gone: 'x', team: team.id,
    })
    t.equal(status, 201)
    t.match(created, shown)
    t.match(await send('PATCH', `/members/${created.id}`, { notes: 'another' }), [200, shown])
    const fields = `fields=${names.join()}`
    t.strictSame(await send('GET', `/members/${created.id}?${fields}`), [200, shown])
    t.match(await send('GET', `/members/${created.id}?include=team`), [200, { ...shown, team: { name: 'Red' } }])
    for (const page of ['page=1', 'offset=0', 'cursor=']) {
      t.match(await send('GET', `/members?${fields}&${page}`), [200, { items: [shown] }], page)
    }
    const ofTeam = `include=members&fields[members]=${names.join()}`
    t.match(await send('GET', `/teams/${team.id}?${ofTeam}`), [200, { members: [shown] }])
    t.match(await send('GET', `/teams?${ofTeam}`), [200, { items: [{ members: [shown] }] }])
    for (const name of masked) {
      const of = { value: shown[name], count: 1 }
      t.match(await send('GET', `/members?facets=${name}`), [200, { facets: { [name]: [of] } }])
      const [, groups] = await send('GET', `/members/aggregate?group=${name}&aggregate=notes.min`)
      t.match(groups, { items: [{ [name]: shown[name], notes_min: '...' }] })
    }
  })
})
