/** Entities with distributedBy: their tables, and requests for their records. */
import { p, type InferEntity } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, AllowedInclude, crudKit, CrudBase, QueryBuilderConfig } from '../../src/index.ts'
import { distributedBy } from '../../src/entities/distributed-by.ts'
import { softDelete, timestamps } from '../../src/entities/base-model.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { entity } from '../helpers/entity.ts'

const Club = entity('Club', { id: p.integer().primary(), name: p.string() })
const { key, manyToOne, manyToMany } = distributedBy('club_id', {
  club: () => p.manyToOne(Club).primary().joinColumn('club_id'),
})
const Team = entity('Team', {
  ...key, ...timestamps, name: p.string(), players: () => p.oneToMany(Player).mappedBy('team'),
})
type Team = InferEntity<typeof Team>
const Skill = entity('Skill', { ...key, name: p.string(), players: () => p.manyToMany(Player).mappedBy('skills') }, {
  uniques: [{ properties: ['club', 'name'] }],
})
const Player = entity('Player', {
  ...key, ...softDelete, name: p.string(), team: () => manyToOne(Team, 'team_id').nullable(),
  skills: () => manyToMany(Skill, 'player_skills', 'player_id', 'skill_id'),
})

const scope = () => ({ club: 7 })
const teams = new CrudBase({
  model: Team,
  writable: ['name'],
  queryConfig: new QueryBuilderConfig<Team>({
    allowedFilters: [AllowedFilters.exact('players.skills.name')],
    allowedIncludes: [new AllowedInclude('players.skills'), AllowedInclude.count('players')],
  }),
})
const skills = new CrudBase({ model: Skill, writable: ['name'] })
const players = new CrudBase({ model: Player, writable: ['name', 'team', 'skills'] })

await forEachDatabase(t, { entities: [Club, Team, Skill, Player] }, async (t, { orm }) => {
  t.test('every key, foreign key and pivot table has the column', async (t) => {
    const schema = await orm.schema.getCreateSchemaSQL()
    for (const table of ['team', 'skill', 'player', 'player_skills']) {
      t.match(schema, new RegExp(`create table "${table}" \\("club_id" int not null, .*primary key \\("club_id", "`))
    }
    for (const [columns, target] of [['team_id', 'team'], ['player_id', 'player'], ['skill_id', 'skill']] as const) {
      const reference = `foreign key ("club_id", "${columns}") references "${target}" ("club_id", "id")`
      t.ok(schema.includes(`${reference} on update no action on delete no action`), target)
    }
    t.equal(await orm.schema.getUpdateSchemaSQL(), '')
  })

  t.test('records are written and read by tenant', async (t) => {
    await orm.em.fork().insertMany(Club, [{ id: 7, name: 'Seven' }, { id: 8, name: 'Eight' }])
    const app = newServer(t)
    await app.register(crudKit, {
      orm,
      shared: ['Club'],
      resources: {
        '/teams': { crud: teams, scope }, '/skills': { crud: skills, scope }, '/players': { crud: players, scope },
      },
    })
    const post = async (url: string, payload: object) => {
      const response = await app.inject({ method: 'POST', url, payload })
      t.equal(response.statusCode, 201, response.body)
      const { club, id } = response.json()
      t.equal(club, 7)
      t.match(id, /^[0-9a-f-]{36}$/)
      return { club, id }
    }
    const team = await post('/teams', { name: 'First' })
    const skill = await post('/skills', { name: 'Goal' })
    const player = await post('/players', { name: 'Ada', team, skills: [skill] })
    const { items, total } = (await app.inject('/teams?filter[players.skills.name]=Goal&include=players.skills')).json()
    t.equal(total, 1)
    t.match(items, [{ ...team, players: [{ ...player, name: 'Ada', team, skills: [{ ...skill, name: 'Goal' }] }] }])
    const other = await app.inject(`/teams/8/${team.id}`)
    t.equal(other.statusCode, 404)
    const doubled = await app.inject({ method: 'POST', url: '/skills', payload: { name: 'Goal' } })
    t.match(doubled.json(), { statusCode: 409, errors: [{ source: { pointer: '/name' } }] })
  })
})
