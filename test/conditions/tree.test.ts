/** Conditions after reading: frozen trees, and their uses. */
import { MikroORM, p, raw, RawQueryFragment, ref } from '@mikro-orm/postgresql'
import { inspect } from 'node:util'
import t from 'tap'
import {
  entitiesBehind, equalitiesOf, hasSql, readCondition, readConstant, textOfCondition, toMikroOrm, type Visible,
} from '../../src/conditions/index.ts'
import { Models } from '../../src/model/index.ts'
import { entity } from '../helpers/entity.ts'

const Size = entity('Size', { height: p.integer(), width: p.integer() }, { embeddable: true })
const Account = entity('Account', {
  id: p.integer().primary(), name: p.string(), projects: () => p.oneToMany(Project).mappedBy('account'),
})
const Member = entity('Member', {
  project: () => p.manyToOne(Project).primary(), nr: p.integer().primary(), name: p.string(),
})
const Project = entity('Project', {
  id: p.integer().primary(), tenant: p.integer(), since: p.datetime().nullable(), data: p.json(),
  total: p.integer().formula(() => '1'), size: () => p.embedded(Size).nullable(),
  account: () => p.manyToOne(Account).ref(), members: () => p.oneToMany(Member).mappedBy('project'),
})

const orm = new MikroORM({ entities: [Account, Member, Project, Size], dbName: 'none' })
const models = new Models(orm.getMetadata(), orm.em.getPlatform(), {})
const model = models.of(Project)
const read = (where: object) => readCondition(where, model)
const account = orm.em.fork().create(Account, { id: 7, name: 'x' })
const query = orm.em.fork().createQueryBuilder(Account).select('id')
const fragment = raw('tenant = ?', [5]) as never

t.test('a tree is frozen, and does not change with the condition', async (t) => {
  const where: any = { tenant: { $in: [1, 2] }, data: { a: [1] }, $or: [{ account: { name: 'x' } }] }
  const tree = read(where)
  where.tenant.$in.push(3)
  where.data.a.push(2)
  where.$or[0].account.name = 'y'
  where.id = 1
  const before = { $and: [{ tenant: { $in: [1, 2] } }, { data: { a: [1] } }, { $or: [{ account: { name: 'x' } }] }] }
  const written: any = toMikroOrm(tree)
  t.strictSame(written, before)
  written.$and[0].tenant.$in.push(4)
  t.strictSame(toMikroOrm(tree), before)
  const check = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || models.of(Project) === value) return
    t.ok(Object.isFrozen(value))
    for (const key of ['members', 'where', 'comparisons']) {
      const inner: unknown = (value as Record<string, unknown>)[key]
      if (inner !== undefined) { for (const one of [inner].flat()) check(one) }
    }
  }
  for (const part of tree) check(part)
})

t.test('without anything to guard, a condition is returned unchanged, part by part', async (t) => {
  const parts: readonly object[] = [
    {}, { tenant: 5 }, { tenant: [1, 2] }, { tenant: { $gte: 1, $lt: 9 } },
    { tenant: raw('current_setting(?)::int', ['x']) }, { tenant: { $in: query } }, { since: new Date(0) },
    { $and: [{ tenant: 5 }, {}] }, { $or: [{ id: 1 }, { tenant: 6 }] }, { account: 7 }, { account },
    { account: ref(account) }, { account: { id: 7 } }, { account: { $ne: null } },
    { account: { name: { $like: 'a%' } } }, { members: { $some: { nr: 1 } } },
    { members: { $size: { $gt: 1, $lt: 9 } } },
    // of one member
    { members: { $gt: 1, $lt: 9 } }, { data: { a: { b: { $gt: 1 } } } },
    { data: { $contains: { a: [1, { b: null }] } } }, { size: { height: 60 } }, { size: null }, { size_height: 60 },
  ]
  for (const where of parts) {
    const written = toMikroOrm(read(where))
    t.strictSame(written, where)
    t.strictSame(Reflect.ownKeys(written), Reflect.ownKeys(where))
  }
})

t.test('a fragment of SQL gets parentheses, because MikroORM writes none', async (t) => {
  const either = raw('tenant = ? or ?? is null', [5, 'tenant']) as never
  for (const value of [[], true, { $ne: true }]) {
    const condition = { [either]: value }
    for (const where of [condition, { tenant: 5, ...condition }, { $and: [condition, { tenant: 5 }] }]) {
      t.strictSame(fragmentsIn(toMikroOrm(read(where))), [['(tenant = ? or ?? is null\n)', [5, 'tenant'], value]])
    }
  }
})

t.test('SQL in place of a value gets parentheses for its `or`, unless MikroORM writes them', async (t) => {
  const [value, closed] = [raw('? or ??', [true, 'open']), raw('(? or ??\n)', [true, 'open'])]
  const written = (where: object) => inspect(toMikroOrm(read(where)), { depth: null })
  for (const around of [
    (sql: unknown) => ({ tenant: sql }),
    (sql: unknown) => ({ tenant: { $ne: sql, $gt: 5 } }),
    (sql: unknown) => ({ data: { a: { b: sql } } }),
    (sql: unknown) => ({ data: { a: { $gt: sql } } }),
    (sql: unknown) => ({ data: { $hasKeys: sql } }),
    (sql: unknown) => ({ [fragment]: [sql] }),
    (sql: unknown) => ({ [fragment]: { $eq: sql } }),
  ]) t.equal(written(around(value)), inspect(around(closed), { depth: null }))
  t.equal(written({ tenant: { $in: value } }), inspect({ tenant: { $in: value } }, { depth: null }))
  for (const text of [
    'any(select id from team where open or owner)', "'or'", '"or" + 1', "'a!%' escape '!'", 'coalesce((a or (b)), c)',
    'ordinal', "'it''s a or b'", "(a = '(' or b)",
  ]) t.match(written({ tenant: raw(text) }), inspect(raw(text)), text)
  for (const text of [
    'a Or b', '(a) or (b)', "$$'$$ = a or b = $$'$$", "E'\\'' or b --'", "a /* ' */ or b /* ' */",
    "(a = ')') or b = '('", 'a or b -- c',
  ]) {
    t.match(written({ tenant: raw(text) }), inspect(raw(`(${text}\n)`)), text)
  }
  for (const params of [[value], [[5, value]]]) {
    t.equal(written({ tenant: raw('1 = ?', params) }), inspect({ tenant: raw('(1 = ?\n)', params) }, { depth: null }))
  }
})

/** The SQL, the parameters and the values of the fragments in a condition. */
function fragmentsIn (where: unknown): readonly (readonly [text: string, params: readonly unknown[], unknown])[] {
  if (typeof where !== 'object' || where === null) return []
  return Reflect.ownKeys(where).flatMap((key) => {
    const value = (where as Record<string | symbol, unknown>)[key]
    const known = RawQueryFragment.getKnownFragment(key)
    return known === undefined ? fragmentsIn(value) : [[known.sql, known.params, value] as const]
  })
}

t.test('parts are joined by $and, and none replaces another one', async (t) => {
  const cases: ReadonlyArray<readonly [where: object, written: readonly object[]]> = [
    [{ tenant: 5, id: 1 }, [{ tenant: 5 }, { id: 1 }]],
    [{ $or: [{ id: 1 }, { id: 2, tenant: 6 }], $not: { id: 3 } }, [
      { $or: [{ id: 1 }, { $and: [{ id: 2 }, { tenant: 6 }] }] },
      { $not: { $and: [{ id: 3 }] } },
    ]],
    [{ members: { $some: { nr: 1 }, $none: { name: 'x' }, $size: 1 } }, [
      { members: { $some: { nr: 1 } } },
      { members: { $none: { name: 'x' } } },
      { members: { $size: 1 } },
    ]],
    [{ size: { height: 60, width: { $gt: 5 } } }, [{ size: { height: 60 } }, { size: { width: { $gt: 5 } } }]],
  ]
  for (const [where, written] of cases) t.strictSame(toMikroOrm(read(where)), { $and: written })
  t.strictSame(toMikroOrm(read({ account: { id: 7, name: 'x' } })), { account: { $and: [{ id: 7 }, { name: 'x' }] } })

  const same: ReadonlyArray<readonly [one: object, other: object]> = [
    [{ tenant: 1 }, { tenant: { $ne: 9 } }],
    [{ tenant: { $ne: 9 } }, { tenant: 1 }],
    [{ tenant: [1, 2] }, { tenant: { $lt: 2 } }],
    [{ tenant: { $gt: 1 } }, { tenant: { $lt: 9 } }],
    [{ account: 7 }, { account: { $ne: null } }],
    [{ account: { id: 7 } }, { account: { name: 'x' } }],
    [{ members: { nr: 1 } }, { members: { name: 'x' } }],
    [{ data: { a: 1 } }, { data: { b: 2 } }],
    [{ size: { height: 1 } }, { size: { width: 1 } }],
    [{ $or: [{ id: 1 }, { id: 2 }] }, { $or: [{ id: 2 }, { id: 3 }] }],
    [{ $and: [{ id: 1 }] }, { $and: [{ id: 2 }] }],
  ]
  for (const [one, other] of same) t.strictSame(toMikroOrm([...read(one), ...read(other)]), { $and: [one, other] })
})

t.test('related rows must be visible, except those that the condition does not look at', async (t) => {
  const visible: Visible = ({ name }) => name === 'Project' ? undefined : { visible: name }
  const cases: ReadonlyArray<readonly [where: object, guarded: object]> = [
    [{ account: 7 }, { account: 7 }],
    [{ account: { id: 7 } }, { account: { id: 7 } }],
    [{ account: { id: { $gt: 7 } } }, { account: { id: { $gt: 7 } } }],
    [{ account: { name: 'x' } }, { account: { $and: [{ name: 'x' }, { visible: 'Account' }] } }],
    [{ account: { id: 7, name: 'x' } }, {
      account: { $and: [{ $and: [{ id: 7 }, { name: 'x' }] }, { visible: 'Account' }] },
    }],
    [{ $or: [{ $not: { account: { name: 'x' } } }] }, {
      $or: [{ $not: { $and: [{ account: { $and: [{ name: 'x' }, { visible: 'Account' }] } }] } }],
    }],
    [{ account: { projects: { $some: { members: { $none: {} } } } } }, {
      account: {
        $and: [
          { projects: { $some: { members: { $none: { $and: [{}, { visible: 'Member' }] } } } } },
          { visible: 'Account' },
        ],
      },
    }],
    // every visible row: no row is visible and does not match
    [{ members: { $every: { nr: 1 } } }, {
      members: { $none: { $and: [{ $not: { $and: [{ nr: 1 }] } }, { visible: 'Member' }] } },
    }],
    // both conditions are necessary, and each is a `$none`
    [{ members: { $none: { name: 'x' }, $every: { nr: 1 } }, $and: [{ tenant: 5 }] }, {
      $and: [
        { members: { $none: { $and: [{ name: 'x' }, { visible: 'Member' }] } } },
        { members: { $none: { $and: [{ $not: { $and: [{ nr: 1 }] } }, { visible: 'Member' }] } } },
        { $and: [{ tenant: 5 }] },
      ],
    }],
    // beside an operator on the relation itself
    [{ members: { $some: { nr: 1 }, $size: 2 } }, {
      $and: [{ members: { $some: { $and: [{ nr: 1 }, { visible: 'Member' }] } } }, { members: { $size: 2 } }],
    }],
  ]
  for (const [where, guarded] of cases) t.strictSame(toMikroOrm(read(where), visible), guarded)
})

t.test('a negation on related rows has a group inside and around it', async (t) => {
  const cases: ReadonlyArray<readonly [where: object, written: object]> = [
    [{ $not: { id: 3 } }, { $not: { $and: [{ id: 3 }] } }],
    [{ $not: { id: 3, tenant: 5 } }, { $not: { $and: [{ id: 3 }, { tenant: 5 }] } }],
    [{ account: { $not: { id: 7 } } }, { account: { $and: [{ $not: { $and: [{ id: 7 }] } }] } }],
    [{ members: { $none: { $not: { nr: 1 } } } }, { members: { $none: { $and: [{ $not: { $and: [{ nr: 1 }] } }] } } }],
    [{ members: { $every: { nr: 1 } } }, { members: { $none: { $and: [{ $not: { $and: [{ nr: 1 }] } }] } } }],
  ]
  for (const [where, written] of cases) t.strictSame(toMikroOrm(read(where)), written)
})

t.test('the entities behind a condition are found', async (t) => {
  const names = (where: object) => [...entitiesBehind(read(where))].map(({ name }) => name).sort()
  t.strictSame(names({ tenant: 5, account: { id: 7 }, size: { height: 1 } }), [])
  t.strictSame(names({ members: { $size: 1 } }), [])
  t.strictSame(names({ account: { name: 'x' } }), ['Account'])
  t.strictSame(names({ $not: { $or: [{ account: { projects: { $some: { members: { $none: {} } } } } }] } }), [
    'Account', 'Member', 'Project',
  ])
})

t.test('SQL in a condition is found', async (t) => {
  for (const where of [
    { [fragment]: [] },
    { tenant: raw('1') },
    { tenant: { $in: query } },
    { tenant: { $gt: raw('1') } },
    { tenant: [1, raw('2')] },
    { data: { a: { $gt: raw('1') } } },
    { $and: [{ $not: { account: { id: raw('1') } } }] },
    { members: { $some: { name: raw('1') } } },
  ]) t.ok(hasSql(read(where)))
  for (const where of [{}, { tenant: 5, data: { a: 1 } }, { account: { name: 'x' } }]) t.notOk(hasSql(read(where)))
})

t.test('plain equalities are found', async (t) => {
  const of = (where: object) => {
    const { equalities, partial } = equalitiesOf(read(where))
    return { ...Object.fromEntries([...equalities].map(([{ name }, value]) => [name, value])), partial }
  }
  const date = new Date(0)
  t.strictSame(of({}), { partial: false })
  t.strictSame(of({ tenant: 5, since: date, account: 7 }), { tenant: 5, since: date, account: 7, partial: false })
  t.strictSame(of({ tenant: { $eq: '5' }, since: null }), { tenant: '5', since: null, partial: false })
  t.strictSame(of({ account: { id: 7 } }), { account: 7, partial: false })
  t.strictSame(of({ account }), { account: 7, partial: false })
  t.strictSame(of({ $and: [{ tenant: 5 }, { $and: [{ account: 7 }] }] }), { tenant: 5, account: 7, partial: false })
  t.strictSame(of({ tenant: 5, $or: [{ id: 1 }, { id: 2 }] }), { tenant: 5, partial: true })
  t.strictSame(of({ tenant: 5, $and: [{ tenant: 6 }] }), { tenant: 5, partial: true },
    'only one of them can be filled in')
  for (const where of [
    { tenant: [5] }, { tenant: { $gt: 5 } }, { tenant: { $eq: [5] } }, { tenant: raw('5') }, { tenant: account },
    { data: { a: 1 } }, { data: { $eq: { a: 1 } } }, { data: { $eq: { $eq: 1 } } }, { total: 1 },
    { size: { height: 1 } }, { size_height: 1 }, { $not: { tenant: 5 } }, { [fragment]: [] },
    { account: { id: { $eq: 7 } } }, { account: { id: [7] } }, { account: { name: 'x' } }, { members: { $some: {} } },
  ]) t.strictSame(of(where), { partial: true })
})

t.test('a condition of the configuration is read once, and a list of conditions is alternatives', async (t) => {
  const where = { tenant: 5 }
  t.equal(readConstant(where, model), readConstant(where, model))
  t.strictSame(toMikroOrm(readConstant([where], model)), where)
  t.strictSame(toMikroOrm(readConstant([where, { id: 1 }], model)), { $or: [where, { id: 1 }] })
  t.throws(() => readConstant([], model), /is not a condition/)
  t.throws(() => readConstant({ tenat: 5 }, model), /Did you mean 'tenant'\?/)
})

t.test('the text of a condition tells its values apart', async (t) => {
  const now = new Date()
  const later = new Date(now.getTime() + 1)
  for (const [where, other, same] of [
    [{ tenant: 5 }, { tenant: { $eq: 5 } }, true],
    [{ tenant: 5 }, { tenant: 6 }, false],
    [{ tenant: 5 }, { id: 5 }, false],
    [{ tenant: 5, id: 1 }, { id: 1, tenant: 5 }, true],
    [{ tenant: [5, 7] }, { tenant: { $in: [7, 5] } }, true],
    [{ tenant: [5, 7] }, { tenant: [5] }, false],
    [{ tenant: { $gt: 5 } }, { tenant: { $lt: 5 } }, false],
    [{ $or: [{ tenant: 5 }, { id: 1 }] }, { $or: [{ id: 1 }, { tenant: 5 }] }, true],
    [{ $or: [{ tenant: 5 }, { id: 1 }] }, { $and: [{ id: 1 }, { tenant: 5 }] }, false],
    [{ $not: { tenant: 5 } }, { $not: { tenant: 6 } }, false],
    [{ since: now }, { since: later }, false],
    [{ since: { $gt: now } }, { since: { $gt: later } }, true],
    [{ since: { $gt: now } }, { since: { $lt: now } }, false],
    [{ account }, { account: 7 }, false],
    [{ account }, { account: ref(account) }, true],
    [{ account: { id: 7 } }, { account: { id: 8 } }, false],
    [{ account: { name: 'x' } }, { account: { name: 'y' } }, false],
    [{ members: { $some: { nr: 1 } } }, { members: { $none: { nr: 1 } } }, false],
    [{ size: { width: 1 } }, { size: { width: 2 } }, false],
    [{ data: { a: { b: 1 } } }, { data: { a: { b: '1' } } }, false],
    [{ data: { a: 1, b: [2n, /x/] } }, { data: { b: [2n, /x/], a: 1 } }, true],
    [{ [fragment]: [] }, { [raw('tenant = ?', [6]) as never]: [] }, false],
    [{ [raw('tenant = ?', [6]) as never]: [] }, { [raw('tenant = ?', [6]) as never]: [] }, true],
    [{ [raw('tenant = ?', [6]) as never]: [] }, { [raw('tenant > ?', [6]) as never]: [] }, false],
    [{ [raw('since > ?', [now]) as never]: [] }, { [raw('since > ?', [later]) as never]: [] }, true],
    [{ [fragment]: [] }, {}, false],
    [{ tenant: { $in: query } }, { tenant: { $in: query } }, true],
    [{ data: Buffer.from('a') }, { data: Buffer.from('b') }, false],
  ] as ReadonlyArray<readonly [object, object, boolean]>) {
    const [one, two] = [textOfCondition(read(where)), textOfCondition(read(other))]
    t.equal(one === two, same, `${one} and ${two}`)
  }
})
