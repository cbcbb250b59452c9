/** MikroORM-style conditions that are certainly conditions, and others. */
import { MikroORM, p, raw, ref } from '@mikro-orm/postgresql'
import t from 'tap'
import { inspect } from 'node:util'
import { ConditionError, readCondition } from '../../src/conditions/index.ts'
import { Models } from '../../src/model/index.ts'
import { Colour } from '../fixtures/custom-types.ts'
import { entities, Order, OrderItem, Plant, Specimen } from '../fixtures/entities.ts'
import { entity } from '../helpers/entity.ts'

const Size = entity('Size', { height: p.integer(), width: p.integer() }, { embeddable: true })
const Account = entity('Account', {
  id: p.integer().primary(), name: p.string(), projects: () => p.oneToMany(Project).mappedBy('account'),
})
const Project = entity('Project', {
  id: p.integer().primary(), tenant: p.integer(), data: p.json(), size: () => p.embedded(Size).nullable(),
  account: () => p.manyToOne(Account).ref(),
})

const orm = new MikroORM({ entities: [...entities, Account, Project, Size], dbName: 'none' })
const models = new Models(orm.getMetadata(), orm.em.getPlatform(), {})
const account = orm.em.fork().create(Account, { id: 7, name: 'x' })
const query = orm.em.fork().createQueryBuilder(Account).select('id')
const recorded = new Date('2024-05-06T07:08:09Z')

t.test('conditions are read', async (t) => {
  const accepted: ReadonlyArray<readonly [entity: unknown, where: unknown]> = [
    ...[
      {}, { tenant: 5 }, { tenant: 5n }, { tenant: '5' }, { tenant: null }, { tenant: { $ne: null } },
      { tenant: [1, 2] }, { tenant: { $in: [1, null] } }, { tenant: { $gte: 1, $lt: 9 } },
      { __proto__: null, tenant: 5 }, { tenant: { $in: [] } }, { tenant: [] }, { tenant: { $nin: [] } }, { $or: [] },
      { tenant: { $in: query } }, { tenant: raw('current_setting(?)::int', ['x']) },
      { [raw('tenant = ?', [5]) as never]: [] }, { [raw('tenant') as never]: { $gt: 5 } },
      { $and: [{ tenant: 5 }, {}] }, { $and: [{}, { $or: [{ tenant: 5 }, { id: 1, tenant: 6 }] }] },
      { $not: { tenant: 5 } }, { tenant: { $exists: true } }, { tenant: Infinity }, { tenant: -0 }, { account: 7 },
      { account: null }, { account: [7, 8] }, { account: { id: 7 } }, { account: { $in: [7] } },
      { account: { $ne: null } }, { account }, { account: ref(account) }, { account: { name: { $like: 'a%' } } },
      { account: { $or: [{ id: 7 }, { name: 'x' }] } }, { account: { projects: { $some: { tenant: 5 } } } },
      { account: { projects: { $none: {} } } }, { account: { projects: { $size: { $gt: 1 } } } }, { data: null },
      { data: { a: 1 } }, { data: { a: { b: { $gt: 1 } } } }, { data: { $contains: { a: [1, { b: null }] } } },
      { data: { $eq: {} } }, { data: { $hasKey: 'a' } }, { data: { $elemMatch: { a: 1 } } }, { size: { height: 60 } },
      { size: null }, { size_height: 60 },
    ].map((where) => [Project, where] as const),
    ...[{ projects: { $some: {} } }, { projects: { $every: { tenant: 5 } } }, { projects: { tenant: 5 } }, {
      name: /^a/i,
    }].map((where) => [Account, where] as const),
    ...[
      { recordedAt: recorded },
      { recordedAt: { $gt: recorded } },
      { petals: new Colour(1, 2, 3) },
      { petals: { $in: [new Colour(1, 2, 3)] } },
      { scan: Buffer.from('a') },
      { size: { height: 60 } },
      { synonyms: { $contains: ['a'] } },
    ].map((where) => [Specimen, where] as const),
    [Plant, { purchasePrice: '1.50', nameLength: 3 }],
    [OrderItem, { order: 3, plant: { name: 'x' } }],
    [Order, { customer: { $eq: '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10' } }],
  ]
  for (const [entity, where] of accepted) {
    t.doesNotThrow(() => readCondition(where, models.of(entity)), inspect(where, { depth: 3 }).slice(0, 100))
  }
})

t.test('a value that is not certainly a condition is refused', async (t) => {
  class Tenant {
    tenant = 5
  }
  const refused: ReadonlyArray<readonly [entity: unknown, where: unknown, message: RegExp]> = [
    ...([
      [undefined, /^it must be an object with conditions on Project; it is undefined$/],
      [null, /it is null$/],
      ['tenant = 5', /it is a string$/],
      [5, /it is a number$/],
      [true, /it is a boolean$/],
      [[], /it is an array$/],
      [[{ tenant: 5 }], /it is an array$/],
      [new Map([['tenant', 5]]), /it is of the class Map$/],
      [new Date(), /it is of the class Date$/],
      [new Tenant(), /it is of the class Tenant$/],
      [Promise.resolve({ tenant: 5 }), /it is of the class Promise$/],
      [() => ({ tenant: 5 }), /it is a function$/],
      [Object.create({ tenant: 5 }), /an object$/],
      [{ tenant: undefined }, /^tenant: it is undefined, which is neither a value nor null$/],
      [{ tenant: {} }, /^tenant: an empty object is not a condition$/],
      [{ tenant: { $eq: {} } }, /^tenant\.\$eq: it is an object, which no column can hold/],
      [{ tenant: { $eq: undefined } }, /^tenant\.\$eq: it is undefined/],
      [{ tenant: { $in: [1, undefined] } }, /^tenant\.\$in\[1\]: it is undefined/],
      // eslint-disable-next-line no-sparse-arrays -- a hole is the input of the test
      [{ tenant: [1, , 3] }, /^tenant\[1\]: it is undefined/],
      [{ tenant: { $in: 5 } }, /\$in takes a list; it is a number$/],
      [{ tenant: { $nin: undefined } }, /\$nin takes a list; it is undefined$/],
      [{ tenant: { $in: [{}] } }, /^tenant\.\$in\[0\]: it is an object/],
      [{ tenant: NaN }, /^tenant: it is NaN$/],
      [{ tenant: new Date(NaN) }, /^tenant: it is an invalid date$/],
      [{ tenant: new Map() }, /^tenant: it is of the class Map, which/],
      [{ tenant: new Set([5]) }, /class Set/],
      [{ tenant: Promise.resolve(5) }, /class Promise/],
      [{ tenant: new Number(5) }, /class Number/], // eslint-disable-line no-new-wrappers -- the input
      [{ tenant: new Tenant() }, /class Tenant/],
      [{ tenant: () => 5 }, /^tenant: it is a function$/],
      [{ tenant: Symbol.iterator }, /^tenant: it is a symbol$/],
      [{ tenant: { $foo: 1 } }, /^tenant\.\$foo: there is no operator \$foo/],
      [{ tenant: { $gtt: 1 } }, /Did you mean '\$gt'\?$/],
      [{ tenant: { gt: 1 } }, /there is no operator gt/],
      [{ tenant: { toString: 1 } }, /there is no operator toString/],
      [{ tenant: { $gt: 1, x: 2 } }, /there is no operator x/],
      [{ tenant: { $not: { $gt: 1 } } }, /^tenant\.\$not: \$not goes around the property/],
      [{ tenant: { $or: [{ $gt: 1 }] } }, /\$or goes around the property/],
      [{ tenant: { $exists: undefined } }, /\$exists is true or false; it is undefined$/],
      [{ tenat: 5 }, /^tenat: Project has no property 'tenat'. Did you mean 'tenant'\?$/],
      [{ $eq: 1 }, /has no property '\$eq'/],
      [{ 'e0.tenant': 1 }, /has no property 'e0.tenant'/],
      [{ 'tenant::text': '1' }, /has no property/],
      [{ account_id: 1 }, /has no property 'account_id'/],
      [{ constructor: 1 }, /has no property/],
      [{ $and: [] }, /^\$and: a list without conditions would hold for all rows$/],
      [{ $and: [{}] }, /^it contains no condition: write \{\} if all rows are meant$/],
      [{ $and: {} }, /^\$and: it must be a list of conditions; it is an object$/],
      [{ $and: undefined }, /^\$and: it must be a list of conditions; it is undefined$/],
      [{ $and: [{ tenant: 5 }, undefined] },
        /^\$and\[1\]: it must be an object with conditions on Project; it is undefined$/],
      [{ $or: [{}] }, /^\$or: one of its conditions is empty$/],
      [{ $or: [{ tenant: 5 }, {}] }, /^\$or: one of its conditions is empty$/],
      [{ $or: [{ $and: [{}] }, { tenant: 5 }] }, /one of its conditions is empty$/],
      [{ $or: [{ tenant: undefined }, { tenant: 5 }] }, /^\$or\[0\]\.tenant: it is undefined/],
      [{ $not: {} }, /^\$not: one of its conditions is empty$/],
      [{ $not: undefined }, /^\$not: it must be an object/],
      [{ tenant: 5, [Symbol('x')]: 1 }, /^a symbol is not the name of a property$/],
      [{ [raw('tenant') as never]: {} }, /^raw\(\.\.\.\): an empty object/],
      [{ [raw('tenant') as never]: undefined }, /^raw\(\.\.\.\): it is undefined/],
      [{ account: {} }, /^account: it contains no condition$/],
      [{ account: undefined }, /^account: it is undefined/],
      [{ account: { id: undefined } }, /^account\.id: it is undefined/],
      [{ account: { id: {} } }, /^account\.id: an empty object/],
      [{ account: { projects: {} } }, /^account\.projects: it contains no condition$/],
      [{ account: { $ne: null, name: 'x' } },
        /^account\.name: operators such as \$ne cannot be mixed with other conditions/],
      [{ account: { $foo: 1 } }, /there is no operator \$foo for a relation/],
      [{ account: { $and: [{}] } }, /^account: it contains no condition$/],
      [{ account: new Map() }, /class Map/],
      [{ account: [{ id: 7 }] }, /^account\[0\]: it is an object/],
      [{ account: { nme: 'x' } }, /^account\.nme: Account has no property 'nme'. Did you mean 'name'\?$/],
      [{ account: { projects: { $every: {} } } }, /^account\.projects\.\$every: it contains no condition$/],
      [{ account: { projects: { $some: undefined } } }, /\$some: it must be an object/],
      [{ account: orm.em.fork().create(Account, { name: 'new' } as never) }, /^account(\[0\])?: it is/],
      [{ data: {} }, /^data: an empty object is not a condition$/],
      [{ data: { a: {} } }, /^data\.a: an empty object/],
      [{ data: { a: undefined } }, /^data\.a: it is undefined/],
      [{ data: { $foo: 1 } }, /no operator \$foo/],
      [{ data: { $contains: { a: undefined } } }, /^data\.\$contains\.a: it is undefined/],
      [{ data: { $contains: { a: [() => 1] } } }, /a function$/],
      [{ data: { $elemMatch: {} } }, /contains no condition$/],
      [{ data: undefined }, /undefined/],
    ] as ReadonlyArray<readonly [unknown, RegExp]>).map(([where, message]) => [Project, where, message] as const),
    [Project, { size: {} }, /^size: it contains no condition$/],
    [Project, { size: { heigth: 1 } }, /^size\.heigth: size has no property 'heigth'. Did you mean 'height'\?$/],
    [Project, { size: { height: undefined } }, /^size\.height: it is undefined/],
    [Project, { size: 5 }, /^size: it must be an object/],
    [Specimen, { recordedAt: new Date(NaN) }, /invalid date/],
  ]
  for (const [entity, where, message] of refused) {
    try {
      readCondition(where, models.of(entity))
      t.fail(`is accepted; wanted: ${message}`)
    } catch (error) {
      t.ok(error instanceof ConditionError, String(error))
      t.match((error as Error).message, message)
    }
  }
})
