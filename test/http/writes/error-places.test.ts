/** Errors that only the database finds point to the record of a batch and to the properties that they are about. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { bodyOf, countOf, resource, select, serve, verdict, writes, type Json } from '../helper.ts'

const Client = defineEntity({
  name: 'Client', tableName: 'secret_client',
  properties: { id: p.integer().primary().autoincrement(false), name: p.string() },
})

const Period = defineEntity({
  name: 'Period',
  embeddable: true,
  properties: { from: p.integer().nullable(), until: p.integer().fieldName('secret_until').nullable() },
} as never) as any

const properties = {
  id: p.integer().primary().autoincrement(), externalId: p.string().fieldName('secret_external').unique().nullable(),
  title: p.text().nullable(), amount: p.integer().nullable(), limit: p.integer().nullable(),
  code: p.string().fieldName('secret_code').nullable(), price: p.type('money').nullable(),
  lasts: p.type('interval').nullable(), words: p.type('tsquery').nullable(), steps: p.type('jsonpath').nullable(),
  seats: p.integer().nullable(), room: p.integer().nullable(), rank: p.integer().hidden().nullable(),
  share: p.decimal().precision(10).scale(2).nullable(), mail: p.text().fieldName('secret_mail').nullable(),
  text: p.text().nullable(), flags: p.string().columnType('bit(4)').nullable(),
  marks: p.string().columnType('bit varying(6)').nullable(), client: () => p.manyToOne(Client).nullable(),
  period: () => p.embedded(Period).nullable(), deleted_at: p.datetime().nullable(),
}

/** Written by one statement. */
const Order = defineEntity({ name: 'Order', tableName: 'secret_order', properties: properties as any })

/** Written through MikroORM's unit of work, because of its lifecycle hook. */
const Hooked = defineEntity({
  name: 'Hooked', tableName: 'secret_hooked', properties: properties as any,
  hooks: {
    beforeCreate: [({ entity }: any) => {
      if (entity.title === 'from hook') entity.amount = -1
    }],
  },
})

const rulesOf = (table: string): readonly string[] => [
  `alter table ${table} add constraint secret_amount check (amount >= 0)`,
  `alter table ${table} add constraint secret_limit check (amount <= "limit")`,
  `alter table ${table} add constraint secret_period check (period_from <= period_secret_until)`,
  `alter table ${table} add constraint secret_rank check (rank <> 13)`,
  `alter table ${table} add constraint secret_seats check (rank is null or seats > 0)`,
  `alter table ${table} add constraint secret_deleted check (deleted_at is null or seats is null)`,
  `alter table ${table} alter column secret_code type secret_domain`,
  `alter table ${table} alter column share type numeric(4, 2)`,
  `alter table ${table} alter column title set not null`,
  `alter table ${table} add unique (room, seats)`,
  `create unique index ${table}_mail on ${table} (lower(secret_mail::varchar), coalesce("limit", 0))`,
  `create unique index ${table}_text on ${table} (("text" || ':secret_mail)=('))`,
]

await forEachDatabase(t, { entities: [Client, Order, Hooked] }, async (t, { orm }) => {
  await select(orm, "create domain secret_domain as varchar(20) check (value <> 'bad')")
  for (const rule of [...rulesOf('secret_order'), ...rulesOf('secret_hooked')]) await select(orm, rule)
  await select(orm, "insert into secret_client (id, name) values (1, 'first')")
  for (const table of ['secret_order', 'secret_hooked']) {
    await select(
      orm,
      `insert into ${table} (title, secret_external, room, seats, secret_mail, text) values ` +
        "('taken', 'TAKEN', 1, 7, 'ann@example.com', 'taken'), ('x', 'OTHER', 2, 8, null, null)"
    )
  }
  const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
  const app = await serve(t, orm, {
    '/orders': { crud: resource(Order), operations },
    '/hooked': { crud: resource(Hooked), operations },
    '/transactions/orders': { crud: resource(Order), operations, transaction: true },
    '/transactions/hooked': { crud: resource(Hooked), operations, transaction: true },
  })
  const { post, patch, remove } = writes(app)

  const good = (index: number): Json => ({ title: `good ${index}` })
  const [INVALID, CONFLICT] = ['400 FST_CRUD_DATA_INVALID', '409 FST_CRUD_CONFLICT']
  const [notOfType, breaksRule] = ['is not valid for its type.', 'does not satisfy a rule of the data.']
  /** Each record is refused by the database alone. */
  const REFUSED: ReadonlyArray<
    readonly [what: string, record: Json, status: string, names: readonly string[], message: string]
  > = [
    [
      'unique', { externalId: 'TAKEN' }, CONFLICT, ['/externalId'],
      "There is another record with this value of 'externalId'.",
    ],
    [
      'unique, of two columns', { room: 1, seats: 7 }, CONFLICT, ['/seats', '/room'],
      "There is another record with these values of 'seats' and 'room'.",
    ],
    [
      'unique, of expressions', { mail: 'Ann@Example.com' }, CONFLICT, ['/limit', '/mail'],
      "There is another record with these values of 'limit' and 'mail'.",
    ],
    [
      'unique, of an expression with a text', { text: 'taken' }, CONFLICT, ['/text'],
      "There is another record with this value of 'text'.",
    ],
    ['foreign key', { client: 9 }, CONFLICT, ['/client'], "'client' refers to a record that does not exist."],
    ['not null', { title: null }, INVALID, ['/title'], "'title' cannot be null."],
    ['check', { amount: -1 }, INVALID, ['/amount'], `The value of 'amount' ${breaksRule}`],
    [
      'check of two properties', { amount: 2, limit: 1 }, INVALID, ['/amount', '/limit'],
      "The values of 'amount' and 'limit' do not satisfy a rule of the data.",
    ],
    [
      'check of nested properties', { period: { from: 2, until: 1 } }, INVALID, ['/period/from', '/period/until'],
      "The values of 'period.from' and 'period.until' do not satisfy a rule of the data.",
    ],
    ['rule of a type', { code: 'bad' }, INVALID, ['/code'], `The value of 'code' ${breaksRule}`],
    ['money', { price: 'a lot' }, INVALID, ['/price'], `The value of 'price' ${notOfType}`],
    ['interval', { lasts: 'for ever' }, INVALID, ['/lasts'], `The value of 'lasts' ${notOfType}`],
    [
      'interval out of range', { lasts: '999999999999 years' }, INVALID, ['/lasts'],
      "The value of 'lasts' is out of range.",
    ],
    [
      'interval that only its months put out of range', { lasts: '178956970 years 12 months' }, INVALID, ['/lasts'],
      "The value of 'lasts' is out of range.",
    ],
    ['bits of another number', { flags: '101' }, INVALID, ['/flags'], `The value of 'flags' ${notOfType}`],
    ['too many bits', { marks: 'x55', flags: '1010' }, INVALID, ['/marks'], "The value of 'marks' is too long."],
    ['a text that is too long', { code: 'x'.repeat(21) }, INVALID, ['/code'], "The value of 'code' is too long."],
    ['a number with too many digits', { share: '100.5' }, INVALID, ['/share'], "The value of 'share' is out of range."],
    // PostgreSQL reports these as errors of syntax, as it does for ltree
    ['words of a search', { words: 'a & & b' }, INVALID, ['/words'], `The value of 'words' ${notOfType}`],
    ['path into JSON', { steps: '$.a[' }, INVALID, ['/steps'], `The value of 'steps' ${notOfType}`],
  ]

  const IN_TRANSACTIONS = REFUSED.filter(([what]) => what === 'unique' || what === 'foreign key' || what === 'check')

  for (const path of ['/orders', '/hooked', '/transactions/orders', '/transactions/hooked']) {
    const table = path.endsWith('orders') ? 'secret_order' : 'secret_hooked'
    const count = async (): Promise<number> => await countOf(orm, `${table}`)

    const isInTransaction = path.startsWith('/transactions')
    for (const [what, data, status, names, message] of isInTransaction ? IN_TRANSACTIONS : REFUSED) {
      t.test(`${path}: ${what}`, async (t) => {
        const record = { title: 'x', ...data }
        const before = await count()
        const check = (response: Awaited<ReturnType<typeof post>>, prefix: string) => {
          t.equal(verdict(response), [status, ...names.map((name) => `${prefix}${name}`)].join(' '))
          t.equal(bodyOf(response).message, prefix === '' ? message : `${prefix}: ${message}`)
          t.notMatch(response.body, /secret/)
        }
        check(await post(path, record), '')
        check(await patch(`${path}/2`, record), '')
        check(await post(path, [record]), '/0')
        check(await post(path, [good(0), record, good(2)]), '/1')
        check(await post(path, [...Array.from({ length: 6 }, (_, index) => good(index)), record]), '/6')
        check(await post(path, [good(0), good(1), record, record, good(2)]), '/2')
        t.equal(await count(), before)
      })
    }

    t.test(`${path}: of two records of a batch that conflict, the later one is named`, async (t) => {
      const before = await count()
      const twice = { title: 'x', externalId: 'TWICE' }
      const conflict = await post(path, [good(0), twice, good(1), twice, twice])
      t.equal(verdict(conflict), '409 FST_CRUD_CONFLICT /3/externalId')
      t.equal(bodyOf(conflict).message, "/3: There is another record with this value of 'externalId'.")
      t.equal(verdict(await post(path, [{ title: 'a', room: 5, seats: 5 }, { title: 'b', room: 5, seats: 5 }])),
        '409 FST_CRUD_CONFLICT /1/seats /1/room')
      t.equal(await count(), before)
    })

    t.test(`${path}: a check of hidden properties names none of them`, async (t) => {
      const model = path.endsWith('orders') ? Order : Hooked
      const crud = hooked({ model, writable: 'all' }, {
        beforeCreate: (data) => ({ ...data, rank: data.title === 'ranked' ? 13 : 1 }),
      })
      const app = await serve(t, orm, { '/ranked': { crud, operations } })
      const { post } = writes(app)
      const alone = await post('/ranked', { title: 'ranked', seats: 1 })
      t.equal(verdict(alone), '400 FST_CRUD_DATA_INVALID')
      t.equal(bodyOf(alone).message, 'The values do not satisfy a rule of the data.')
      t.equal(verdict(await post('/ranked', [{ title: 'x', seats: 1 }, { title: 'ranked', seats: 1 }])),
        '400 FST_CRUD_DATA_INVALID /1')
      const mixed = await post('/ranked', { title: 'x', seats: 0 })
      t.equal(verdict(mixed), '400 FST_CRUD_DATA_INVALID /seats')
      t.equal(bodyOf(mixed).message, "The value of 'seats' does not satisfy a rule of the data.")
    })

    t.test(`${path}: a deletion that a check refuses points to what the check reads`, async (t) => {
      t.match(verdict(await remove(`${path}/2`)), /^400 FST_CRUD_DATA_INVALID \/seats/)
    })
  }

  t.test('a record that MikroORM completes is found by its complete values', async (t) => {
    t.equal(verdict(await post('/hooked', [good(0), { title: 'from hook' }, good(1)])),
      '400 FST_CRUD_DATA_INVALID /1/amount')
  })

  t.test('a rule that is made later is known as well', async (t) => {
    await select(orm, "alter table secret_order add constraint secret_later check (title <> 'later')")
    t.equal(verdict(await post('/orders', { title: 'later' })), '400 FST_CRUD_DATA_INVALID /title')
  })

  t.test('a rule that is made later is known as well for a list in a transaction', async (t) => {
    await select(orm, "alter table secret_order add constraint secret_latest check (title <> 'latest')")
    t.equal(verdict(await post('/transactions/orders', [good(0), { title: 'latest' }])),
      '400 FST_CRUD_DATA_INVALID /1/title')
  })
})

const Node = defineEntity({
  name: 'Node',
  properties: {
    id: p.integer().primary().autoincrement(false), name: p.string(), parent: () => p.manyToOne(Node).nullable(),
  } as any,
}) as any

await forEachDatabase(t, { entities: [Node], needs: ['triggers'] }, async (t, { orm }) => {
  await select(
    orm,
    `create function secret_balance() returns trigger language plpgsql as $$ begin
      if (select count(*) from node) % 3 <> 0 then raise exception 'secret' using errcode = '23514'; end if;
      return null; end $$`
  )
  const app = await serve(t, orm, { '/nodes': { crud: resource(Node), operations: ['createMany', 'list'] } })
  const { post } = writes(app)

  t.test('an error about the batch as a whole points to no record', async (t) => {
    await select(orm,
      'create trigger secret_balance after insert on node for each statement execute function secret_balance()')
    const response = await post('/nodes', [{ id: 1, name: 'a' }, { id: 2, name: 'b' }])
    t.equal(verdict(response), '400 FST_CRUD_DATA_INVALID')
    t.equal(bodyOf(response).message, 'The values do not satisfy a rule of the data.')
    await select(orm, 'drop trigger secret_balance on node')
  })

  t.test('a constraint that is checked at the end of the transaction points to no wrong record', async (t) => {
    await select(orm, 'alter table node add constraint secret_late unique (name) deferrable initially deferred')
    const response = await post('/nodes', [{ id: 1, name: 'a' }, { id: 2, name: 'b' }, { id: 3, name: 'b' }])
    t.equal(verdict(response), '409 FST_CRUD_CONFLICT')
    t.equal(bodyOf(response).message, "There is another record with this value of 'name'.")
    await select(orm, 'alter table node drop constraint secret_late')
  })
})
