/** Links of many-to-many relations, as rows of pivot tables of all kinds. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, AllowedInclude } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { until } from '../../helpers/until.ts'
import { column, resource, select, serve, verdict, writes, type Json } from '../helper.ts'

const id = p.integer().primary().autoincrement()
const Skill: any = defineEntity({
  name: 'Skill',
  properties: {
    id, name: p.string(), deleted_at: p.datetime().nullable(),
    people: () => p.manyToMany(Person).mappedBy('skills' as never),
    rated: () => p.manyToMany(Person).mappedBy('rated' as never),
  },
})
/** A pivot between composite keys, and one that shares a column. */
const Room: any = defineEntity({
  name: 'Room',
  properties: {
    house: p.string().length(1).primary(),
    number: p.integer().primary(),
    deleted_at: p.datetime().nullable(),
    doors: () =>
      p.manyToMany(Room).owner().pivotTable('door').joinColumns('a_house', 'a_number')
        .inverseJoinColumns('b_house', 'b_number'),
    doorsFrom: () => p.manyToMany(Room).mappedBy('doors' as never),
    near: () =>
      p.manyToMany(Room).owner().pivotTable('near').joinColumns('house', 'number')
        .inverseJoinColumns('house', 'other_number'),
    people: () => p.manyToMany(Person).mappedBy('rooms' as never),
  },
})
/** Has a key and defaults, and allows several links of the same records. */
const Rating: any = defineEntity({
  name: 'Rating',
  properties: {
    id, person: () => p.manyToOne(Person), skill: () => p.manyToOne(Skill), stars: p.integer().default(3),
    at: p.datetime().defaultRaw('now()'),
  },
})
/** An object that counts links. */
const Counts: any = defineEntity({
  name: 'Counts',
  embeddable: true,
  properties: {
    note: p.string().nullable(),
    steps: p.integer().formula(() => '(select count(*)::int from person_steps)').nullable(),
  },
} as never)
const Person: any = defineEntity({
  name: 'Person',
  properties: {
    id,
    name: p.string(),
    counts: () => p.embedded(Counts).nullable(),
    seen: p.datetime(6).nullable(),
    skill: () => p.manyToOne(Skill).nullable(),
    friends: () => p.manyToMany(Person).owner().pivotTable('friend').joinColumn('from_id').inverseJoinColumn('to_id'),
    friendOf: () => p.manyToMany(Person).mappedBy('friends' as never),
    skills: () => p.manyToMany(Skill).owner().pivotTable('person_skills'),
    steps: () => p.manyToMany(Skill).owner().pivotTable('person_steps').fixedOrder(),
    rooms: () => p.manyToMany(Room).owner().pivotTable('person_rooms'),
    rated: () => p.manyToMany(Skill).pivotEntity(() => Rating),
  },
})
/** Has nothing but a key, which PostgreSQL lets no statement set, and links. */
const Crew: any = defineEntity({
  name: 'Crew',
  properties: {
    id, skills: () => p.manyToMany(Skill).owner().pivotTable('crew_skills'),
    people: () => p.manyToMany(Person).owner().pivotTable('crew_people'),
  },
})
const SKILLS = 1_200
const ALL = Array.from({ length: SKILLS }, (_, index) => index + 1)

await forEachDatabase(t, {
  entities: [Skill, Room, Rating, Counts, Person, Crew],
}, async (t, { orm, name: database }) => {
  await select(orm, `insert into skill (name) select 's' || n from generate_series(1, ${SKILLS}) n`)
  await select(orm, "insert into skill (name, deleted_at) values ('gone', now())")
  const GONE = SKILLS + 1
  await select(orm,
    "insert into room (house, number) select h, n from unnest(array['A', 'B']) h, generate_series(1, 4) n")
  const operations = ['get', 'create', 'createMany', 'update'] as const
  const includes = (...names: string[]) => ({ allowedIncludes: names.map((name) => new AllowedInclude<any>(name)) })
  const app = await serve(t, orm, {
    '/people': {
      crud: resource(Person, {
        ...includes('friends', 'friendOf', 'skills', 'rooms'),
        allowedFilters: [new AllowedFilters<any>('name')],
      }),
      operations: [...operations, 'updateMany'],
    },
    '/named': { crud: resource(Person), operations, scope: () => ({ name: { $ne: 'hidden' } }) },
    '/skills': resource(Skill, includes('people')),
    '/crews': {
      crud: resource(Crew, { ...includes('skills'), allowedFilters: [new AllowedFilters<any>('id')] }),
      operations: [...operations, 'updateMany'],
      scope: () => ({ people: { $none: { name: 'hidden' } } }),
    },
    '/rooms': resource(Room, includes('doors', 'doorsFrom', 'near')),
  })
  const { created, updated, patch, post, read } = writes(app)
  const linked = async (path: string, relation: string): Promise<Json[]> =>
    (await read(`${path}?include=${relation}`))[relation].map(({ id, house, number }: Json) =>
      id ?? `${house}${number}`
    )
  const rows = (table: string, where = 'true') => select(orm, `select * from ${table} where ${where} order by 1, 2`)
  const friends = async (): Promise<unknown[]> =>
    (await rows('friend')).map(({ from_id: from, to_id: to }: Json) => [from, to])
  const stepsOf = async (person: number): Promise<number[]> =>
    await column(orm, `select skill_id from person_steps where person_id = ${person} order by id`)
  const room = (name: string) => ({ house: name[0], number: Number(name[1]) })

  t.test('a record is linked to records of its own entity from both sides, and to itself', async (t) => {
    const [a, b, c] = [
      await created('/people', { name: 'a' }), await created('/people', { name: 'b' }),
      await created('/people', { name: 'c' }),
    ].map(({ id }) => id)
    await updated(`/people/${a}`, { friends: [b, c, a, b], friendOf: [a, c] })
    t.strictSame(await friends(), [[a, a], [a, b], [a, c], [c, a]])
    await updated(`/people/${b}`, { friendOf: [c] })
    await updated(`/people/${a}`, { friends: [a], friendOf: [a] })
    t.strictSame(await friends(), [[a, a], [c, b]])
    const { id: d } = await created('/people', { name: 'd', friends: [a, b, a], friendOf: [a] })
    t.strictSame([await linked(`/people/${d}`, 'friends'), await linked(`/people/${d}`, 'friendOf')], [[a, b], [a]])
    await updated(`/people/${a}`, { friends: [], friendOf: [] })
  })

  t.test('pivot tables have composite keys on one side, on both, and with a column that both share', async (t) => {
    const { id: person } = await created('/people', { name: 'x', rooms: ['A1', 'B2', 'A1'].map(room) })
    t.strictSame(await linked(`/people/${person}`, 'rooms'), ['A1', 'B2'])
    await updated(`/people/${person}`, { rooms: ['B2', 'B1'].map(room) })
    t.strictSame(await linked(`/people/${person}`, 'rooms'), ['B1', 'B2'])
    await updated('/rooms/A/1', { people: [person] })
    t.strictSame(await linked(`/people/${person}`, 'rooms'), ['A1', 'B1', 'B2'])
    await updated('/rooms/A/1', { doors: ['A2', 'B1'].map(room), doorsFrom: ['B4'].map(room), near: ['A2'].map(room) })
    await updated('/rooms/A/1', { doors: ['B1', 'B3'].map(room), near: ['A3', 'A4'].map(room) })
    t.strictSame(await linked('/rooms/A/1', 'doors'), ['B1', 'B3'])
    t.strictSame(await linked('/rooms/A/1', 'near'), ['A3', 'A4'])
    t.strictSame([await linked('/rooms/B/1', 'doorsFrom'), await linked('/rooms/B/4', 'doors')], [['A1'], ['A1']])
    t.equal(verdict(await patch('/rooms/A/1', { near: ['B1'].map(room) })), '409 FST_CRUD_CONFLICT /near')
    t.equal(verdict(await patch('/rooms/A/1', { doors: [{ house: 'C', number: 1 }] })), '409 FST_CRUD_CONFLICT /doors')
  })

  t.test('the answer has formulas of links, also inside of an object that may be null', async (t) => {
    const person = await created('/people', { name: 'counted', counts: { note: 'x' }, steps: [1, 2] })
    const before = person.counts.steps
    t.strictSame((await read(`/people/${person.id}`)).counts, { note: 'x', steps: before })
    t.equal((await updated(`/people/${person.id}`, { steps: [1, 2, 3] })).counts.steps, before + 1)
    t.equal((await updated(`/people/${person.id}`, { counts: null })).counts.steps, before + 1)
  })

  t.test('a moment with microseconds is written beside links', async (t) => {
    const [first, second] = ['2024-05-31T09:30:00.123456Z', '2024-05-31T09:30:00.654321Z']
    const person = await created('/people', { name: 'seen', seen: first, skills: [1, 2] })
    t.equal(person.seen, first)
    const [one, two] = (await post('/people', [first, second].map((seen) => ({ name: 'seen', seen, skills: [3] }))))
      .json() as Json[]
    t.strictSame([one!['seen'], two!['seen']], [first, second])
    t.equal((await updated(`/people/${person.id}`, { seen: second, skills: [2, 3] })).seen, second)
    t.strictSame(await linked(`/people/${person.id}`, 'skills'), [2, 3])
    t.equal((await patch('/people?filter[name]=seen', { seen: first, skills: [4] })).json().affected, 3)
    for (const { id } of [person, one, two]) {
      t.equal((await read(`/people/${id}`)).seen, first)
      t.strictSame(await linked(`/people/${id}`, 'skills'), [4])
    }
  })

  t.test('only links of a record are written, although the database alone makes its key', async (t) => {
    await select(orm, 'alter table person alter id drop default')
    await select(orm, 'alter table person alter id add generated always as identity (start with 10000)')
    const { id: person } = await created('/people', { name: 'always', skills: [1] })
    await updated(`/people/${person}`, { skills: [2] })
    t.strictSame(await linked(`/people/${person}`, 'skills'), [2])
    t.strictSame((await patch('/people?filter[name]=always', { skills: [3] })).json(), { affected: 1 })
    t.strictSame(await linked(`/people/${person}`, 'skills'), [3])
    await select(orm, 'alter table person alter id set generated by default')
  })

  t.test('links of a record that has only a key are written, and its scope decides about it', async (t) => {
    await select(orm, 'alter table crew alter id drop default')
    await select(orm, 'alter table crew alter id add generated always as identity')
    const { id: crew } = await created('/crews', { skills: [1, 2] })
    t.strictSame(await updated(`/crews/${crew}`, { skills: [2, 3] }), { id: crew })
    t.strictSame(await linked(`/crews/${crew}`, 'skills'), [2, 3])
    t.strictSame((await patch(`/crews?filter[id]=${crew}`, { skills: [4] })).json(), { affected: 1 })
    t.strictSame(await linked(`/crews/${crew}`, 'skills'), [4])
    const { id: hidden } = await created('/people', { name: 'hidden' })
    t.equal(verdict(await patch(`/crews/${crew}`, { people: [hidden] })), '403 FST_CRUD_OUT_OF_SCOPE')
    t.strictSame(await rows('crew_people'), [])
    await select(orm, `insert into crew_people (crew_id, person_id) values (${crew}, ${hidden})`)
    t.equal(verdict(await patch(`/crews/${crew}`, { skills: [] })), '404 FST_CRUD_NOT_FOUND')
    t.equal(verdict(await patch('/crews/0', { skills: [] })), '404 FST_CRUD_NOT_FOUND')
  })

  t.test('a pivot table with a key and values of its own keeps them for links that stay', async (t) => {
    const { id: person } = await created('/people', { name: 'rated', rated: [1, 2] })
    t.match(await rows('rating'), [{ stars: 3 }, { stars: 3 }])
    await select(orm, 'update rating set stars = 5 where skill_id = 2')
    // the table allows a second link of the same records, which counts as one
    await select(orm, `insert into rating (person_id, skill_id, stars) values (${person}, 2, 4)`)
    await updated(`/people/${person}`, { rated: [2, 3, 3] })
    t.strictSame((await rows('rating')).map(({ skill_id: skill, stars }: Json) => [skill, stars]), [[2, 5], [2, 4], [
      3,
      3,
    ]])
    await updated('/skills/4', { rated: [person] })
    await updated(`/people/${person}`, { rated: [4] })
    t.strictSame((await rows('rating')).map(({ skill_id: skill }: Json) => skill), [4])
  })

  t.test('links to deleted records stay, and cannot be made', async (t) => {
    const { id: person } = await created('/people', { name: 'gone', skills: [1], steps: [1] })
    for (const table of ['person_skills', 'person_steps']) {
      await select(orm, `insert into ${table} (person_id, skill_id) values (${person}, ${GONE})`)
    }
    await updated(`/people/${person}`, { skills: [], steps: [3, 2] })
    t.strictSame(await rows('person_skills', `person_id = ${person}`), [{ person_id: person, skill_id: GONE }])
    t.strictSame(await stepsOf(person), [GONE, 3, 2])
    t.equal(verdict(await post('/people', { name: 'x', skills: [GONE] })), '409 FST_CRUD_CONFLICT /skills')
  })

  t.test('a thousand links of a body, and the links of a hundred records, are few statements', async (t) => {
    const recorder = await recordStatements(orm)
    const { id: person } = await created('/people', { name: 'many', skills: ALL.slice(0, 1_000) })
    t.ok(recorder.take().length < 15)
    await updated(`/people/${person}`, { skills: ALL.slice(200), steps: ALL.slice(0, 1_000).reverse() })
    t.ok(recorder.take().length < 20)
    t.strictSame(
      await select(
        orm,
        `select count(*)::int as n, min(skill_id) as first from person_skills
      where person_id = ${person}`
      ),
      [{ n: 1_000, first: 201 }]
    )
    t.strictSame((await stepsOf(person)).slice(0, 2), [1_000, 999])
    const many = Array.from({ length: 100 }, (_, index) => ({ name: `p${index}`, skills: [1 + index, 2 + index, 500] }))
    const response = await post('/people', many)
    t.equal(response.statusCode, 201)
    t.equal(recorder.take().filter(({ sql }) => sql.startsWith('insert into "person_skills"')).length, 1)
    recorder.stop()
    const [last] = response.json().slice(-1)
    t.strictSame(await linked(`/people/${last.id}`, 'skills'), [100, 101, 500])
    t.equal(
      verdict(await post('/people', many.map((row, index) => index === 70 ? { ...row, skills: [1, GONE] } : row))),
      '409 FST_CRUD_CONFLICT /70/skills'
    )
  })

  t.test('a rule of the pivot table that refuses a link is a conflict, and nothing is written', async (t) => {
    await select(orm, 'create table allowed (skill_id int primary key)')
    await select(orm, 'insert into allowed select n from generate_series(1, 10) n')
    const { id: person } = await created('/people', { name: 'ruled' })
    const { id: other } = await created('/people', { name: 'other' })
    const { id: many } = await created('/people', { name: 'many' })
    const rules = [
      ['foreign key (skill_id) references allowed', '409 FST_CRUD_CONFLICT'],
      [`check (skill_id <> 11 or person_id = ${other})`, '400 FST_CRUD_DATA_INVALID'],
      ['exclude (skill_id with =) where (skill_id = 11)', '409 FST_CRUD_CONFLICT'],
    ] as const
    const never = { name: 'never', skills: [1, 11] }
    await select(orm, 'delete from person_skills')
    for (const [rule, refusal] of rules) {
      if (rule.startsWith('exclude')) await updated(`/people/${other}`, { skills: [11] })
      await select(orm, `alter table person_skills add constraint rule ${rule}`)
      t.equal(verdict(await patch(`/people/${person}`, never)), `${refusal} /skills`, rule)
      t.equal(verdict(await post('/people', never)), `${refusal} /skills`, rule)
      t.equal(verdict(await patch('/skills/11', { name: 'never', people: [person, many] })), `${refusal} /people`, rule)
      const batch = await post('/people', [{ name: 'never' }, never])
      t.equal(verdict(batch), `${refusal} /1/skills`, rule)
      t.match(batch.json().message, /^\/1: .* 'skills'/)
      const nothing = "select id from person where name = 'never' union all select id from skill where name = 'never'"
      t.strictSame(await select(orm, nothing), [], rule)
      t.strictSame(await rows('person_skills', `person_id = ${person}`), [])
      await select(orm, 'alter table person_skills drop constraint rule')
    }
    await select(orm, 'create unique index one_person on person_skills (skill_id) where skill_id = 11')
    t.equal(verdict(await post('/people', [{ name: 'never', skills: [1] }, never])), '409 FST_CRUD_CONFLICT /1/skills')
    await select(orm, 'drop index one_person')
    await updated(`/people/${other}`, { skills: [] })
  })

  // PGlite runs one transaction after the other
  t.test('the scope is checked again after a wait for the row', { skip: database === 'pglite' }, async (t) => {
    const { id: person } = await created('/people', { name: 'seen', skills: [1] })
    const other = orm.em.fork()
    await other.begin()
    await other.execute(`update person set name = 'hidden' where id = ${person}`)
    const answer = patch(`/named/${person}`, { skills: [2] })
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await until(async () => (await select(orm, waiting)).length > 0)
    await other.commit()
    t.equal(verdict(await answer), '404 FST_CRUD_NOT_FOUND')
    t.strictSame(await rows('person_skills', `person_id = ${person}`), [{ person_id: person, skill_id: 1 }])
  })

  const skip = database === 'pglite'
  t.test('a link that another request adds while it is looked for is a conflict', { skip }, async (t) => {
    const { id: person } = await created('/people', { name: 'late' })
    const { id: other } = await created('/people', { name: 'first', skills: [11] })
    // the statement could not add all links, so they are looked up, which waits for a lock
    await select(orm, `
      create unique index one_person on person_skills (skill_id) where skill_id = 11;
      alter table person_skills rename to all_skills;
      create function tried() returns trigger language plpgsql as $$
      begin
        perform set_config('links.tried', 'yes', true);
        return new;
      end $$;
      create trigger tried before insert on all_skills for each row execute function tried();
      create function look() returns boolean language plpgsql as $$
      begin
        if current_setting('links.tried', true) = 'yes' then perform pg_advisory_xact_lock_shared(11); end if;
        return true;
      end $$;
      create view person_skills as select * from all_skills where (select look())`)
    const keeper = orm.em.fork()
    await keeper.begin()
    await keeper.execute('select pg_advisory_xact_lock(11)')
    const answer = patch(`/people/${person}`, { skills: [11] })
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
    await until(async () => (await select(orm, waiting)).length > 0)
    await select(orm, `update all_skills set person_id = ${person} where person_id = ${other}`)
    await keeper.commit()
    t.equal(verdict(await answer), '409 FST_CRUD_CONFLICT /skills')
    await select(orm, `
      drop view person_skills;
      alter table all_skills rename to person_skills;
      drop function look();
      drop function tried() cascade;
      drop index one_person`)
    t.strictSame(await rows('person_skills', 'skill_id = 11'), [{ person_id: person, skill_id: 11 }])
  })

  t.test('a change of links waits for no request that links to the same records', { skip }, async (t) => {
    const { id: person } = await created('/people', { name: 'linked', skills: [1] })
    const other = orm.em.fork()
    await other.begin()
    await other.execute(`insert into friend (from_id, to_id) values (${person}, ${person})`)
    t.equal(verdict(await patch(`/people/${person}`, { skills: [2] })), '200')
    t.equal((await patch('/people?filter[name]=linked', { skills: [3] })).body, '{"affected":1}')
    await other.commit()
    t.strictSame(await rows('person_skills', `person_id = ${person}`), [{ person_id: person, skill_id: 3 }])
  })

  t.test('requests that add and remove the same links at once, from both sides, are all answered', async (t) => {
    const people = (await post('/people', [1, 2, 3, 4].map((n) => ({ name: `friend ${n}` })))).json()
      .map((one: Json) => one.id)
    const some = (index: number): number[] => people.filter((_: number, at: number) => (index >> at) % 2 === 0)
    const answers = await Promise.all(
      Array.from(
        { length: 24 },
        (_, index) => patch(`/people/${people[index % 4]}`, { [index % 3 === 0 ? 'friendOf' : 'friends']: some(index) })
      )
    )
    t.strictSame([...new Set(answers.map(verdict))], ['200'])
  })
})
