/** Plain scopes and filters in kept statements: they find the same rows as MikroORM, and never another tenant's. */
import { p, raw, StringType } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { AllowedFilters, AllowedInclude, CrudBase, parseQueryParams, primaryKey } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { resource, whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const LEVELS = ['low', 'high'] as const
const Grade = { A: 1, B: 2 } as const

const Owner = entity('Owner', { ...primaryKey, name: p.string(), samples: () => p.oneToMany(Sample).mappedBy('owner') })
/** A property of every type that plain conditions compare, and some that they do not. */
const Sample = entity('Sample', {
  ...primaryKey,
  deleted_at: p.datetime(3).nullable(),
  count: p.integer().nullable(),
  small: p.smallint().nullable(),
  big: p.bigint('string').nullable(),
  bigger: p.bigint().nullable(),
  price: p.decimal().precision(12).scale(3).nullable(),
  amount: p.decimal('number').precision(12).scale(3).nullable(),
  active: p.boolean().nullable(),
  name: p.string().nullable(),
  tidy: p.type(new StringType({ trim: true, case: 'lower' })).nullable(),
  code: p.character().length(3).nullable(),
  key: p.uuid().nullable(),
  level: p.enum(LEVELS).nullable(),
  season: p.enum(LEVELS).nativeEnumName('sample_level').nullable(),
  grade: p.enum(() => Grade).nullable(),
  day: p.date().nullable(),
  at: p.datetime(3).nullable(),
  local: p.datetime(3).columnType('timestamp(3)').nullable(),
  ratio: p.float().nullable(),
  time: p.time().nullable(),
  data: p.json().nullable(),
  tags: p.array().nullable(),
  // each has the name of the other one's column
  first: p.integer().fieldName('second').nullable(),
  second: p.integer().fieldName('first').nullable(),
  renamed: p.integer().fieldName('other_column').serializedName('shown').nullable(),
  owner: () => p.manyToOne(Owner).fieldName('owned_by').nullable(),
  doubled: p.integer().formula((columns) => `${columns.grade} * 2`),
})

const UUIDS = ['3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', '00000000-0000-4000-8000-000000000000']
const DATES = [new Date('2024-05-06T07:08:09.123Z'), new Date('1969-12-31T23:59:59.999Z')]

/** Values of rows and conditions. */
const STORED: Record<string, readonly unknown[]> = {
  count: [0, 1, -1, 2_147_483_647], small: [0, 7, -32_768], big: ['0', '9007199254740993', '-5'],
  bigger: [0n, 9_007_199_254_740_993n, -5n], price: ['0.000', '1.500', '-19.990'], amount: [0, 1.5, -19.99],
  active: [true, false], name: ['', '0', 'a', 'B', "it's", 'null', '1,2', '{}', '"'], tidy: ['a', 'b'],
  code: ['abc', 'A'], key: UUIDS, level: LEVELS, season: LEVELS, grade: [1, 2], day: ['2024-02-29', '1970-01-01'],
  at: DATES, local: DATES, ratio: [0, 0.1, 1.5], time: ['07:30:00', '00:00:00'], data: [{ a: 1 }, [1]],
  tags: [['a'], []], first: [1, 2], second: [1, 3], renamed: [1, 2], owner: [1, 2], id: [1, 2, 3, 40],
  deleted_at: [DATES[0]], doubled: [2],
}
const PROPERTIES = Object.keys(STORED)
/** Values of any type: edge cases of JavaScript, and values that a column cannot store. */
const ODD: readonly unknown[] = [
  undefined, NaN, Infinity, -0, 0, 1, 2, 1.5, -1.5, 0.1, 1e21, 2 ** 31, 2 ** 53, 10n, -(2n ** 63n), 2n ** 70n, '', ' ',
  ' 1 ', '1', '01', '-1', '+1', '1.5', '1e3', 'true', 'NaN', 'x', 'A ', ' a', 'null', 'low', true, false, DATES[0],
  new Date(NaN), new Date('0001-01-01T00:00:00Z'), '2024-02-29', '2024-02-30', '2024-05-06T07:08:09.123Z', '2024-05-06',
  UUIDS[0]!.toUpperCase(), `{${UUIDS[0]!}}`, '07:30', '07:30:00', {}, [], { a: 1 }, Symbol.iterator, () => 1, '\0',
  '\ud800', '{1,2}', '"', '\\',
]

type Where = Record<string, unknown>
/** New objects for each use, because MikroORM changes those that it is given. */
type Make = () => Where

const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'] as const
const copy = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(copy)
    : value !== null && typeof value === 'object' && !(value instanceof Date)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
      : value

/** Conditions on one property, mostly with values that it may have. */
function memberOf (property: string): fc.Arbitrary<Where> {
  const stored = fc.constantFrom(...STORED[property]!, null)
  const value = fc.oneof({ weight: 12, arbitrary: stored }, { weight: 1, arbitrary: fc.constantFrom(...ODD) })
  const list = fc.array(
    fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...STORED[property]!) }, {
      weight: 1,
      arbitrary: fc.constantFrom(...ODD, null),
    }),
    { maxLength: 3 }
  )
  const operator = fc.oneof({ weight: 3, arbitrary: fc.tuple(fc.constantFrom(...OPERATORS), value) },
    fc.tuple(fc.constantFrom('$in', '$nin'), list))
  return fc.oneof(
    { weight: 3, arbitrary: value },
    list,
    { weight: 4, arbitrary: operator.map(([name, operand]) => ({ [name]: operand })) },
    fc.tuple(operator, operator).map((operators) => Object.fromEntries(operators)),
    ...property === 'owner' ? [value.map((id) => ({ id })), fc.constant({ name: 'first' })] : []
  ).map((said) => ({ [property]: said }))
}

const flat: fc.Arbitrary<Where> = fc.uniqueArray(fc.constantFrom(...PROPERTIES), { minLength: 1, maxLength: 2 }).chain((
  names
) => fc.tuple(...names.map(memberOf))).map((parts) => Object.assign({}, ...parts) as Where)
const where: fc.Arbitrary<Make> = fc.oneof(
  { weight: 4, arbitrary: flat },
  fc.tuple(fc.constantFrom('$and', '$or'), fc.array(flat, { maxLength: 3 })).map(([group, members]) => ({
    [group]: members,
  })),
  fc.tuple(flat, fc.constantFrom('$and', '$or'), fc.array(flat, { minLength: 1, maxLength: 2 })).map((
    [member, group, members]
  ) => ({ ...member, [group]: members })),
  fc.tuple(flat, flat).map(([a, b]) => ({ $or: [{ $and: [a, b] }, a] })),
  flat.map((member) => ({ $not: member })),
  fc.tuple(flat, flat).map(([a, b]) => ({ $not: { $or: [a, { $not: b }] } })),
  fc.constant({})
).map((condition) => () => copy(condition) as Where)

/** The condition with an additional part that only MikroORM compiles, and that is true for every row. */
const compiled = (make: Make): Where => ({ $and: [make(), { [raw('true')]: [] }] })

async function seed (em: EntityManager): Promise<void> {
  const owners = ['first', 'second'].map((name) => em.create(Owner, { name }))
  await em.flush()
  for (let i = 0; i < 40; i++) {
    const row = Object.fromEntries(
      PROPERTIES.filter((name) => name !== 'id' && name !== 'doubled').map((name, column) => {
        const values = [...STORED[name]!, null]
        const value = values[(i * (column + 1) + column + (i >> 3)) % values.length]
        return [name, name === 'owner' && value !== null ? owners[Number(value) - 1] : value]
      })
    )
    em.create(Sample, { ...row, deleted_at: i % 5 === 0 ? DATES[0] : null } as never)
    await em.flush()
  }
}

const queryConfig = whitelist({
  allowedFilters: ['count', 'owner.samples.active', AllowedFilters.trashed()],
  allowedSorts: ['id'],
  pagination: { maxPerPage: 100, defaultPerPage: 100 },
})
const samples = new CrudBase<any>({ model: Sample, writable: 'all', queryConfig })
const owners = resource(Owner, {
  allowedFilters: ['samples.active'],
  allowedIncludes: [
    'samples', AllowedInclude.count('samples'), AllowedInclude.exists('samples', { where: { count: { $lte: 1 } } }),
  ],
})

await forOneDatabase(t, { entities: [Owner, Sample], seed }, async (t, { orm }) => {
  /** An EntityManager that cannot compile a condition: results with it come from our statements. */
  const withoutBuilder = (): EntityManager =>
    Object.assign(orm.em.fork(), {
      createQueryBuilder () {
        throw new Error('compiled')
      },
    })
  const filteredBy = (em: EntityManager, cond: Where): EntityManager => {
    em.addFilter({ name: 'of this request', entity: [Sample as never], cond: cond as never, args: false })
    return em
  }
  const ids = ({ items }: { items: readonly Record<string, any>[] }): unknown[] => items.map(({ id }) => id)
  const answer = async (read: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await read()
    } catch (error) {
      if ((error as Error).message === 'compiled') return 'compiled'
      // a database error has a code; other errors are MikroORM's complaints about an invalid condition
      return { refused: (error as { code?: unknown }).code ?? (error as Error).message.slice(0, 20) }
    }
  }
  const ways: Record<string, (em: EntityManager, where: Where) => Promise<unknown>> = {
    'a scope': async (em, scope) => ids(await samples.list(em, parseQueryParams('sort=id'), { scope } as any)),
    'a scope with filters of the query': async (em, scope) =>
      ids(
        await samples.list(em, parseQueryParams('sort=-id&filter[count]=1&filter[trashed]=with&page=1&per_page=3'),
          { scope } as any)
      ),
    'a scope by cursor': async (em, scope) =>
      ids(await samples.list(em, parseQueryParams('cursor=&per_page=4'), { scope } as any)),
    'a count': (em, scope) => samples.count(em, undefined, { scope } as any),
    'one record': (em, scope) => samples.exists(em, 2, { scope } as any),
    'a filter': async (em, where) => ids(await samples.list(filteredBy(em, where), parseQueryParams('sort=id'))),
    'a filter and a scope': async (em, where) =>
      ids(
        await samples.list(filteredBy(em, where), undefined, {
          scope: { active: true, $or: [{ count: 1 }, { id: { $gt: 9 } }] },
        })
      ),
    'the filter of included and counted records': async (em, where) =>
      (await owners.list(filteredBy(em, where), parseQueryParams('include=samples,samplesCount,samplesExists'))).items
        .map((owner: any) => [ids({ items: owner.samples }), owner.samplesCount, owner.samplesExists]),
    'the filter of related records': async (em, where) =>
      ids(await owners.list(filteredBy(em, where), parseQueryParams('filter[samples.active]=true'))),
    'the filter on both sides of a relation': async (em, where) =>
      ids(await samples.list(filteredBy(em, where), parseQueryParams('filter[owner.samples.active]=true&sort=id'))),
  }

  t.test('kept statements find the rows that MikroORM finds', async (t) => {
    // constant conditions are compiled once
    await owners.list(orm.em.fork(), parseQueryParams('include=samples,samplesCount,samplesExists'))
    const seen = { kept: 0, compiled: 0 }
    await assertProperty(
      fc.asyncProperty(where, fc.constantFrom(...Object.keys(ways)), async (make, way) => {
        const read = ways[way]!
        const expected = await answer(() => read(orm.em.fork(), compiled(make)))
        assert.deepStrictEqual(await answer(() => read(orm.em.fork(), make())), expected)
        const kept = await answer(() => read(withoutBuilder(), make()))
        if (kept === 'compiled' || (kept as { refused?: unknown } | null)?.refused !== undefined) seen.compiled++
        else {
          seen.kept++
          assert.deepStrictEqual(kept, expected, 'kept')
        }
      }),
      { numRuns: 400 }
    )
    t.ok(seen.kept > 100 && seen.compiled > 50, JSON.stringify(seen))
  })

  t.test('a condition with a value of the wrong type does not break later statements', async (t) => {
    const odd = (): Where => ({ $or: [{ $and: [{ tags: true }, { price: '-19.990' }] }, { tags: true }] })
    const usual = (): Where => ({ count: 1 })
    const expected = await answer(() => ways['a filter']!(orm.em.fork(), usual()))
    for (const wrong of [odd(), compiled(odd)]) {
      t.strictSame(await answer(() => ways['a filter']!(orm.em.fork(), wrong)), { refused: 'FST_CRUD_DATA_INVALID' })
      t.strictSame(await answer(() => ways['a filter']!(orm.em.fork(), usual())), expected)
    }
  })
})
