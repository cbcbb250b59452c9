/** MikroORM-style conditions through relations: in scopes, includes and aggregates. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude, crudKit, primaryKey, softDelete } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { bodyOf, client, resource, select, serve, type Json } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const filters = { visible: { name: 'visible', cond: { blocked: false }, default: true } }

const Team = entity('Team', {
  ...primaryKey, name: p.string(), owner: () => p.manyToOne(Owner).nullable(),
  members: () => p.oneToMany(Member).mappedBy('team'), badges: () => p.manyToMany(Badge),
})
const Owner = entity('Owner', {
  ...primaryKey, ...softDelete, user: p.integer(), blocked: p.boolean().default(false),
  patron: () => p.manyToOne(Owner).nullable(), teams: () => p.oneToMany(Team).mappedBy('owner'),
}, { filters })
const Member = entity('Member', {
  ...primaryKey, ...softDelete, user: p.integer(), blocked: p.boolean().default(false), team: () => p.manyToOne(Team),
  boss: () => p.manyToOne(Owner).nullable(),
}, { filters })
const Badge = entity('Badge', { ...primaryKey, ...softDelete, label: p.string() })

const SEED = `insert into owner (id, "user", blocked, deleted_at) values (1, 7, false, null), (2, 7, true, null),
  (3, 7, false, now()), (4, 8, false, null);
  update owner set patron_id = case id when 4 then 2 else 1 end; select setval('owner_id_seq', 10);
  select setval('team_id_seq', 10);
  insert into team (id, name, owner_id) values (1, 'live', 1), (2, 'blocked', 2), (3, 'deleted', 3),
  (4, 'nobody', null);
  insert into member (id, "user", blocked, deleted_at, team_id, boss_id) values (1, 7, false, null, 1, 1),
  (2, 7, true, null, 2, 1), (3, 7, false, now(), 3, 1), (4, 8, false, null, 1, 3), (5, 8, false, null, 1, 2);
  insert into badge (id, label, deleted_at) values (1, 'gold', null), (2, 'lead', now());
  insert into team_badges (team_id, badge_id) values (1, 1), (2, 2)`

const teams = resource(Team, {
  allowedFilters: ['name'],
  allowedIncludes: [
    new AllowedInclude('members', { where: { boss: { user: 7 } } }),
    AllowedInclude.count('members', { where: { boss: { user: { $gte: 0 } } } }),
  ],
})

/** The ways in which a role may be given its rows. */
const ROWS: Record<string, (scope: object) => any> = {
  rows: (scope) => scope,
  'rows by a function': (scope) => () => scope,
}

const namesOf = (records: readonly Json[]): string[] => records.map(({ name }) => name)

await forEachDatabase(t, { entities: [Team, Owner, Member, Badge] }, async (t, { orm }) => {
  for (const statement of SEED.split(';')) await orm.em.getConnection().execute(statement)
  const scopes: Record<string, [scope: object, names: string[]]> = {
    '/members': [{ members: { user: 7 } }, ['live']],
    '/some': [{ members: { $some: { user: 7 } } }, ['live']],
    '/none': [{ members: { $none: { user: 7 } } }, ['blocked', 'deleted', 'nobody']],
    '/every': [{ members: { $every: { user: { $lt: 8 } } } }, ['blocked', 'deleted', 'nobody']],
    '/owner': [{ owner: { user: 7 } }, ['live']],
    '/either': [{ $or: [{ owner: { user: 7 } }, { name: 'nobody' }] }, ['live', 'nobody']],
    // as in SQL, not of null is null
    '/not': [{ $not: { owner: { user: 7 } } }, ['blocked', 'deleted']],
    '/badges': [{ badges: { label: { $in: ['gold', 'lead'] } } }, ['live']],
    '/deep': [{ members: { boss: { user: 7 } } }, ['live']],
    '/back': [{ owner: { teams: { name: { $ne: 'x' } } } }, ['live']],
    '/patron': [{ owner: { patron: { user: 7 } } }, ['live']],
    '/key': [{ owner: 1 }, ['live']],
    '/keys': [{ owner: { $in: [1, 3] } }, ['live', 'deleted']],
    '/plain': [{ name: 'live' }, ['live']],
  }
  const app = await serve(t, orm,
    Object.fromEntries(Object.entries(scopes).map(([path, [scope]]) => [path, { crud: teams, scope: () => scope }])))

  for (const [path, [scope, names]] of Object.entries(scopes)) {
    t.test(`a scope finds nothing through deleted or filtered rows: ${JSON.stringify(scope)}`, async (t) => {
      t.strictSame((await client(app, path).all('name')).sort(), [...names].sort())
      for (const { id, name } of await select(orm, 'select id, name from team')) {
        t.equal((await app.inject(`${path}/${id}`)).statusCode, names.includes(name) ? 200 : 404, name)
      }
      const query = await teams.query(orm.em.fork(), undefined, { scope })
      t.strictSame((await query.getResultList()).map(({ name }: any) => name).sort(), [...names].sort(),
        'as a QueryBuilder')
    })
  }

  for (const [what, rowsOf] of Object.entries(ROWS)) {
    t.test(`${what} of a role find and write nothing through deleted or filtered rows`, async (t) => {
      const owners = resource(Owner, { allowedIncludes: ['teams', AllowedInclude.count('teams')] })
      const app = newServer(t)
      await app.register(crudKit, {
        orm,
        resources: { '/teams': teams, '/owners': owners },
        access: {
          role: ({ headers }) => headers['x-role'] as string,
          roles: Object.fromEntries(Object.entries(scopes).map(([role, [scope]]) => [role, {
            '*': { rows: {} }, Team: { rows: rowsOf(scope) },
          }])),
        },
      })
      const owned = await select(orm, 'select owner_id, name from team where owner_id is not null order by id')
      for (const [role, [scope, names]] of Object.entries(scopes)) {
        const send = async (method: 'GET' | 'PATCH', url: string, payload?: object) =>
          await app.inject({ method, url, headers: { 'x-role': role }, ...payload && { payload } })
        const { items } = bodyOf(await send('GET', '/teams'))
        t.strictSame(namesOf(items).sort(), [...names].sort(), JSON.stringify(scope))
        for (const { id, teams, teamsCount } of bodyOf(await send('GET', '/owners?include=teams,teamsCount')).items) {
          const seen = owned.filter(({ owner_id: owner, name }) => owner === id && names.includes(name))
          t.strictSame([namesOf(teams), teamsCount], [namesOf(seen), seen.length], JSON.stringify(scope))
        }
        for (const { id, name } of await select(orm, 'select id, name from team')) {
          // a name that contradicts the rows is refused before the row is looked for
          const refused = role === '/plain' ? 403 : 404
          const { statusCode } = await send('PATCH', `/teams/${id}`, { name })
          t.equal(statusCode, names.includes(name) ? 200 : refused, `${name}: ${JSON.stringify(scope)}`)
        }
      }
    })
  }

  t.test('a scope writes nothing through deleted or filtered rows', async (t) => {
    for (
      const [path, id] of [['/members', 3], ['/members', 2], ['/owner', 2], ['/owner', 3], ['/badges', 2]] as const
    ) {
      for (const response of [
        await app.inject({ method: 'PATCH', url: `${path}/${id}`, payload: { name: 'stolen' } }),
        await app.inject({ method: 'DELETE', url: `${path}/${id}` }),
      ]) {
        t.equal(bodyOf(response).code, 'FST_CRUD_NOT_FOUND', `${path}/${id}`)
      }
    }
    t.strictSame((await select(orm, 'select name from team order by id')).map(({ name }) => name), [
      'live', 'blocked', 'deleted', 'nobody',
    ])
    t.equal((await app.inject({ method: 'PATCH', url: '/members/1', payload: { name: 'live' } })).statusCode, 200)
  })

  t.test('a written row must match the scope through visible rows', async (t) => {
    for (const owner of [2, 3]) {
      const moved = await app.inject({ method: 'PATCH', url: '/owner/1', payload: { owner } })
      t.ok(['FST_CRUD_OUT_OF_SCOPE', 'FST_CRUD_CONFLICT'].includes(bodyOf(moved).code), `to ${owner}`)
    }
    // the scope continues from the row that is referred to: that row is visible, but a row behind it is not
    t.equal(
      bodyOf(await app.inject({ method: 'POST', url: '/deep', payload: { name: 'mine' } })).code,
      'FST_CRUD_OUT_OF_SCOPE'
    )
    t.equal((await app.inject({ method: 'POST', url: '/patron', payload: { name: 'mine', owner: 4 } })).json().code,
      'FST_CRUD_OUT_OF_SCOPE', 'through somebody who is filtered out')
    t.equal((await app.inject({ method: 'POST', url: '/patron', payload: { name: 'mine', owner: 1 } })).statusCode, 201)
    await orm.em.getConnection().execute("delete from team where name = 'mine'")
  })

  t.test('conditions of includes and aggregates find nothing through deleted or filtered rows', async (t) => {
    const { items } = await client(app, '/plain').get('include=members,membersCount')
    t.match(items, [{ membersCount: 1, members: [{ id: 1 }] }])
    t.equal(items[0].members.length, 1)
  })
})
