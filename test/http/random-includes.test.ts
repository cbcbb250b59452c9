/** Random sets of includes, compared with a model in JavaScript that is built from the rows of the tables. */
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { AllowedField, AllowedInclude, AllowedSort, primaryKey, softDelete } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, select, serve, type Json } from './helper.ts'

const Team = defineEntity({
  name: 'Team',
  properties: {
    ...primaryKey,
    ...softDelete,
    name: p.string(),
    parent: () => p.manyToOne(Team).nullable(),
    teams: () => p.oneToMany(Team).mappedBy('parent'),
    members: () => p.oneToMany(Member).mappedBy('team'),
  },
})
const Member = defineEntity({
  name: 'Member',
  properties: {
    ...primaryKey,
    ...softDelete,
    points: p.integer().nullable(),
    pay: p.decimal().precision(10).scale(2).nullable(),
    steps: p.bigint('string'),
    // with an index, members are found for each team; the teams of a parent have none
    team: () => p.manyToOne(Team).nullable().index(),
    badges: () => p.manyToMany(Badge).inversedBy('members').owner(),
  },
})
const Badge = defineEntity({
  name: 'Badge',
  properties: {
    ...primaryKey,
    ...softDelete,
    level: p.integer(),
    members: () => p.manyToMany(Member).mappedBy('badges'),
  },
})

/**
 * Rows without a pattern that could mask a mistake: nulls, ties, deleted rows of each kind, parents without children.
 */
async function seed (em: EntityManager): Promise<void> {
  const random = numbers(7)
  const maybe = <T>(value: T, odds = 4) => random(odds) === 0 ? null : value
  const deleted = () => random(5) === 0 ? new Date('2024-01-01T00:00:00Z') : null
  const teams: any[] = []
  for (let i = 0; i < 12; i++) {
    teams.push(
      em.create(Team, {
        name: `t${random(5)}`,
        parent: teams.length === 0 ? null : maybe(teams[random(teams.length)]),
        deleted_at: deleted(),
      })
    )
  }
  const badges = Array.from({ length: 12 }, (_, i) => em.create(Badge, { level: i % 4 + 2, deleted_at: deleted() }))
  for (let i = 0; i < 60; i++) {
    const member = em.create(Member, {
      points: maybe(random(9) - 4),
      pay: maybe(`${random(999)}.${random(90) + 10}`),
      steps: `${random(9)}000000000${random(99) + 100}`,
      team: maybe(teams[random(9)], 9),
      deleted_at: deleted(),
    })
    member.badges.add(badges.filter(() => random(3) === 0))
  }
}

/** The same numbers each time. */
function numbers (state: number): (below: number) => number {
  return (below) => {
    state = (state * 48271) % 2147483647
    return state % below
  }
}

const { count, exists, sum, min, max, avg } = AllowedInclude
const allowedIncludes = [
  new AllowedInclude('parent'),
  new AllowedInclude('parent.members', { limit: 1, sort: ['-points'] }),
  new AllowedInclude('teams', { sort: ['-name'] }),
  new AllowedInclude('teams.members'),
  new AllowedInclude('members', { limit: 3, sort: ['points', '-id'], where: { steps: { $gt: '1000000000000' } } }),
  new AllowedInclude('members.badges', { where: { level: [2, 3, 5] } }),
  new AllowedInclude('members.badges.members', { limit: 2 }),
  count('teams'),
  count('members', { where: { points: { $gte: 0 } } }),
  exists('parent'),
  exists('teams.parent'),
  count('members.badges'),
  exists('members.badges', { where: { level: 4 } }),
  sum('members.points'),
  sum('members.pay'),
  sum('members.steps'),
  min('members.pay'),
  max('members.steps'),
  avg('members.points'),
  avg('members.pay'),
  count('teams.members', { alias: 'size' }),
  sum('parent.members.points'),
  max('members.badges.level'),
  count('members.badges.members'),
]
/** The values as written in URLs. */
const PATHS = [
  'parent', 'parent.members', 'teams', 'teams.members', 'members', 'members.badges', 'members.badges.members',
  'teamsCount', 'membersCount', 'parentExists', 'teams.parentExists', 'members.badgesCount', 'members.badgesExists',
  'membersPointsSum', 'membersPaySum', 'membersStepsSum', 'membersPayMin', 'membersStepsMax', 'membersPointsAvg',
  'membersPayAvg', 'teams.size', 'parent.membersPointsSum', 'members.badgesLevelMax', 'members.badges.membersCount',
]

/** The tables as the model has them, without deleted rows. */
interface Tables {
  readonly team: Json[]
  readonly member: Json[]
  readonly badge: Json[]
  readonly links: Json[]
}
type Relate = (row: Json, tables: Tables) => Json[]

const RELATIONS: Record<string, Record<string, { target: string, rows: Relate, one?: true }>> = {
  team: {
    parent: { target: 'team', one: true, rows: (row, { team }) => team.filter(({ id }) => id === row.parent) },
    teams: { target: 'team', rows: (row, { team }) => team.filter(({ parent }) => parent === row.id) },
    members: { target: 'member', rows: (row, { member }) => member.filter(({ team }) => team === row.id) },
  },
  member: {
    badges: {
      target: 'badge',
      rows: (row, { badge, links }) =>
        badge.filter(({ id }) =>
          links.some((link) => link.member_id === row.id && link.badge_id === id)
        ),
    },
  },
  badge: {
    members: {
      target: 'member',
      rows: (row, { member, links }) =>
        member.filter(({ id }) =>
          links.some((link) => link.badge_id === row.id && link.member_id === id)
        ),
    },
  },
}

/** Nulls last in both directions, then by the key. */
const by = (...terms: ReadonlyArray<readonly [name: string, sign: 1 | -1]>) => (rows: Json[]): Json[] =>
  [...rows].sort((a, b) => {
    for (const [name, sign] of [...terms, ['id', 1] as const]) {
      if (a[name] === b[name]) continue
      if (a[name] === null || b[name] === null) return a[name] === null ? 1 : -1
      return (a[name] < b[name] ? -1 : 1) * sign
    }
    return 0
  })
const many = (row: Json): boolean => BigInt(row.steps) > 1_000_000_000_000n

/** The rows of an include after the rules of the whitelist. */
const RULES: Record<string, (rows: Json[]) => Json[]> = {
  'parent.members': (rows) => by(['points', -1])(rows).slice(0, 1),
  teams: by(['name', -1]),
  members: (rows) => by(['points', 1], ['id', -1])(rows.filter(many)).slice(0, 3),
  'members.badges': (rows) => by()(rows.filter(({ level }) => [2, 3, 5].includes(level))),
  'members.badges.members': (rows) => by()(rows).slice(0, 2),
}

const values = (rows: Json[], name: string): Json[] => rows.map((row) => row[name]).filter((value) => value !== null)
const orNull = (list: Json[], of: (list: Json[]) => Json): Json => list.length === 0 ? null : of(list)
const cents = (text: string): bigint => BigInt(text.replace('.', ''))
const euros = (amount: bigint): string => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`
const total = (list: number[]): number => list.reduce((a, b) => a + b, 0)
const mean = (list: number[]): number => total(list) / list.length
const whole = (list: string[]): bigint => list.map(cents).reduce((a, b) => a + b, 0n)

const AGGREGATES: Record<string, readonly [relation: string, key: string, of: (rows: Json[]) => Json]> = {
  teamsCount: ['teams', 'teamsCount', (rows) => rows.length],
  membersCount: [
    'members',
    'membersCount',
    (rows) => rows.filter(({ points }) => points !== null && points >= 0).length,
  ],
  parentExists: ['parent', 'parentExists', (rows) => rows.length > 0],
  'teams.parentExists': ['parent', 'parentExists', (rows) => rows.length > 0],
  'members.badgesCount': ['badges', 'badgesCount', (rows) => rows.length],
  'members.badgesExists': ['badges', 'badgesExists', (rows) => rows.some(({ level }) => level === 4)],
  membersPointsSum: ['members', 'membersPointsSum', (rows) => orNull(values(rows, 'points'), total)],
  membersPaySum: ['members', 'membersPaySum', (rows) => orNull(values(rows, 'pay'), (list) => euros(whole(list)))],
  membersStepsSum: [
    'members',
    'membersStepsSum',
    (rows) => orNull(values(rows, 'steps'), (list) => String(whole(list))),
  ],
  membersPayMin: [
    'members',
    'membersPayMin',
    (rows) => orNull(values(rows, 'pay'), (list) => list.sort((a, b) => Number(cents(a) - cents(b)))[0]),
  ],
  membersStepsMax: [
    'members',
    'membersStepsMax',
    (rows) => orNull(values(rows, 'steps'), (list) => list.sort((a, b) => BigInt(a) > BigInt(b) ? -1 : 1)[0]),
  ],
  membersPointsAvg: ['members', 'membersPointsAvg', (rows) => orNull(values(rows, 'points'), mean)],
  membersPayAvg: ['members', 'membersPayAvg', (rows) => orNull(values(rows, 'pay'), (list) => mean(list.map(Number)))],
  'teams.size': ['members', 'membersCount', (rows) => rows.length],
  'parent.membersPointsSum': ['members', 'membersPointsSum', (rows) => orNull(values(rows, 'points'), total)],
  'members.badgesLevelMax': [
    'badges',
    'badgesLevelMax',
    (rows) => orNull(values(rows, 'level'), (list) => Math.max(...list)),
  ],
  'members.badges.membersCount': ['members', 'membersCount', (rows) => rows.length],
}

function modelled (entity: string, row: Json, path: string, wanted: ReadonlySet<string>, tables: Tables): Json {
  const record = { ...row }
  const prefix = path === '' ? '' : `${path}.`
  for (const [name, { target, rows, one }] of Object.entries(RELATIONS[entity]!)) {
    const inner = prefix + name
    if (![...wanted].some((other) => other === inner || other.startsWith(`${inner}.`))) continue
    const related = (RULES[inner] ?? by())(rows(row, tables)).map((other) =>
      modelled(target, other, inner, wanted, tables)
    )
    record[name] = one ? related[0] ?? null : related
  }
  for (const [aggregate, [relation, key, of]] of Object.entries(AGGREGATES)) {
    if (wanted.has(aggregate) && aggregate.slice(0, aggregate.lastIndexOf('.') + 1) === prefix) {
      record[key] = of(RELATIONS[entity]![relation]!.rows(row, tables))
    }
  }
  return record
}

/** The number of digits of a mean of decimals depends on the database. Another test checks it. */
const rounded = (records: Json[]): Json[] =>
  records.map((record) =>
    record.membersPayAvg === undefined || record.membersPayAvg === null
      ? record
      : { ...record, membersPayAvg: Number(Number(record.membersPayAvg).toFixed(6)) }
  )

await forEachDatabase(t, { entities: [Team, Member, Badge], seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/teams': resource(Team, {
      allowedIncludes,
      allowedFields: ['id', 'name'].map((name) => new AllowedField(name)),
      allowedSorts: [new AllowedSort('name')],
    }),
  })
  const teams = client(app, '/teams')
  const live = async (table: string, columns: string) =>
    await select(orm, `select ${columns} from "${table}" where deleted_at is null order by id`)
  const tables: Tables = {
    team: await live('team', 'id, null as deleted_at, name, parent_id as parent'),
    member: await live(
      'member',
      'id, null as deleted_at, points, pay::text as pay, steps::text as steps, team_id as team'
    ),
    badge: await live('badge', 'id, null as deleted_at, level'),
    links: await select(orm, 'select member_id, badge_id from member_badges'),
  }
  const recorder = await recordStatements(orm)
  t.teardown(recorder.stop)

  const query = fc.record({
    paths: fc.uniqueArray(fc.constantFrom(...PATHS), { maxLength: 10 }),
    perPage: fc.integer({ min: 1, max: 12 }),
    descending: fc.boolean(),
    few: fc.boolean(),
  })
  await assertProperty(
    fc.asyncProperty(query, async ({ paths, perPage, descending, few }) => {
      recorder.take()
      const { items, total } = await teams.get(
        `include=${paths.join()}&per_page=${perPage}&sort=${descending ? '-' : ''}name${few ? '&fields=id' : ''}`
      )
      if (recorder.take().length !== 1) throw new Error('more than one statement')
      const wanted = new Set(paths)
      const page = by(['name', descending ? -1 : 1])(tables.team).slice(0, perPage).map((row) => {
        const record = modelled('team', row, '', wanted, tables)
        if (!few) return record
        return Object.fromEntries(
          Object.entries(record).filter(([key]) =>
            !(key in row) || key === 'id' ||
            (key === 'parent' && typeof record.parent !== 'number' && paths.some((path) =>
              path.split('.')[0] === 'parent'
            ))
          )
        )
      })
      assert.deepStrictEqual([total, rounded(items)], [tables.team.length, rounded(page)])
    }),
    { numRuns: 80 }
  )
  t.pass('as the model')
})
