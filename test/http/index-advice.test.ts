/** Advice about indexes, given when the server listens. */
import t, { type Test } from 'tap'
import {
  AllowedAggregate, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, crudKit, type CrudKitOptions,
} from '../../src/index.ts'
import type { MissingIndex } from '../../src/advice/missing-indexes.ts'
import { Delivery, entities, Offer, Order, Plant, Specimen, Tag } from '../fixtures/entities.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { resource, select } from './helper.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly missing?: readonly MissingIndex[]
}

await forEachDatabase(t, { entities }, async (t, { orm, name }) => {
  /** The log of a server from `debug` on while it starts to listen. */
  const logOf = async (t: Test, options: Omit<CrudKitOptions, 'orm'>, broken = false): Promise<Line[]> => {
    const lines: Line[] = []
    const done = Promise.withResolvers<void>()
    const write = (text: string) => {
      const line = JSON.parse(text) as Line
      lines.push(line)
      // the advice is logged while the server already answers
      if (
        /missing indexes|no advice/.test(line.msg) ||
        (options.indexAdvice === false && line.msg.startsWith('Server listening'))
      ) done.resolve()
    }
    const app = newServer(t, { logger: { level: 'debug', stream: { write } } })
    await app.register(crudKit, { orm, ...options })
    if (broken) {
      app.addHook('onReady', async () => {
        Object.defineProperty(app.orm.em, 'fork', {
          value: () => {
            throw new Error('no connection')
          },
          configurable: true,
        })
      })
    }
    await app.listen({ port: 0, host: '127.0.0.1' })
    await done.promise
    if (broken) Reflect.deleteProperty(app.orm.em, 'fork')
    return lines
  }
  const adviceOf = async (t: Test, resources: CrudKitOptions['resources']) =>
    (await logOf(t, { resources })).flatMap(({ missing }) => missing ?? [])
  const plants = resource(Plant, {
    allowedFilters: [
      'id', 'articleNumber', 'inStock', { price: ['ne', 'isnull'], name: ['eq', 'contains', 'ieq'] }, 'latinName',
      'nameLength', 'supplier.name', 'tags.weight', AllowedFilters.search('q', ['name', 'offers.title']),
      AllowedFilters.custom('anything', (qb) => qb),
    ],
    allowedSorts: ['name', 'created_at', 'supplier.name', new AllowedSort('price', 'id', { alias: 'cheapest' })],
    allowedIncludes: ['offers', 'tags', 'supplier'],
    defaultSort: ['-updated_at'],
  })
  // PGlite has the extension only if the database is created with it
  const [extension] = await select(orm, "select 1 from pg_available_extensions where name = 'pg_trgm'")
  t.notOk(extension !== undefined && name === 'pglite')
  const wanted: Array<[sql: string, uses: string[]]> = [
    ['create index on "plant" ("name")', ['filter[name]', 'sort=name']],
    ['create extension if not exists pg_trgm; create index on "plant" using gin ("name" gin_trgm_ops)', [
      'filter[name]',
      'filter[q]',
    ]],
    ['create index on "plant" (lower("name"))', ['filter[name]']],
    ['create index on "plant" ("latinName")', ['filter[latinName]']],
    ['create index on "plant" ("supplier_id")', ['filter[supplier.name]']],
    ['create index on "supplier" ("name")', ['filter[supplier.name]']],
    ['create index on "plant_tags" ("tag_id")', ['filter[tags.weight]']],
    ['create index on "tag" ("weight")', ['filter[tags.weight]']],
    ['create index on "offer" ("plant_id")', ['filter[q]', 'include=offers']],
    ['create extension if not exists pg_trgm; create index on "offer" using gin ("title" gin_trgm_ops)', ['filter[q]']],
    ['create index on "plant" ("created_at")', ['sort=created_at']],
    ['create index on "plant" ("price")', ['sort=cheapest']],
    ['create index on "plant" ("updated_at")', ['the default sort']],
  ]
  const expected = wanted.filter(([sql]) => extension !== undefined || !sql.includes('pg_trgm'))

  t.test('each missing index is named once, with the statement that creates it', async (t) => {
    const warnings = (await logOf(t, {
      resources: { '/plants': plants, '/again': plants, '/offers': resource(Offer, { allowedFilters: ['plant'] }) },
    })).filter(({ level }) => level === 40)
    t.equal(warnings.length, 1, 'in one warning')
    const [{ msg, missing: advice }] = warnings as [Line & Required<Pick<Line, 'missing'>>]
    const rest = ['create index on "offer" ("plant_id")', ['filter[q]', 'include=offers', 'filter[plant]']]
    t.strictSame(advice.map(({ sql, uses }) => [sql, uses]), expected.map((one) => one[0] === rest[0] ? rest : one))
    const [sentence, ...lines] = msg.split('\n')
    t.equal(
      sentence,
      'There is no index behind some filters, sorts and includes. Create the indexes with migrations, and declare ' +
        'them in the entities, too (.index() or indexes: [...]):'
    )
    t.strictSame(lines, advice.map(({ sql, uses }) => `${sql}; -- ${uses.join(', ')}`))
  })

  t.test('a number about a relation needs the index of its join, and facets and groups need none', async (t) => {
    const crud = resource(Plant, {
      allowedIncludes: [AllowedInclude.count('offers')],
      allowedFilters: [{ offersCount: ['gte'] }],
      allowedSorts: ['offersCount'],
      allowedFacets: ['status'],
      allowedGroups: [AllowedGroup.date('created_at', ['month'])],
      allowedAggregates: [new AllowedAggregate('price', ['sum'])],
    })
    t.strictSame(await adviceOf(t, { '/plants': crud }), [{
      uses: ['filter[offersCount]', 'sort=offersCount', 'include=offersCount'],
      sql: 'create index on "offer" ("plant_id")',
    }])
  })

  t.test('an index that begins with a key of an owner serves limited rows', async (t) => {
    const em = orm.em.fork()
    await em.execute('create index owned on plant (supplier_id, name)')
    await em.execute('create index other on plant (price, "latinName")')
    t.teardown(async () => await em.execute('drop index owned, other'))
    const crud = resource(Plant, { allowedSorts: ['name', 'latinName'] })
    const sqlOf = async (options: Omit<CrudKitOptions, 'orm'>) =>
      (await logOf(t, options)).flatMap(({ missing = [] }) => missing.map(({ sql }) => sql))
    const [name, latinName] = ['create index on "plant" ("name")', 'create index on "plant" ("latinName")']
    const resources = { '/plants': crud }
    const accessOf = (...rules: readonly any[]) => ({
      role: () => 'a',
      roles: Object.fromEntries(rules.map((rule, index) => ['abc'[index], rule])),
    })
    const own = { rows: () => ({ supplier: 1 }), operations: ['list'] }
    t.strictSame(await sqlOf({ resources }), [name, latinName])
    t.strictSame(await sqlOf({ resources: { '/plants': { crud, scope: () => ({ supplier: 1 }) } } }), [latinName])
    const all = { operations: ['list'] }
    for (const [rules, expected] of [
      [[{ Plant: own }, { '*': own }, true], [latinName]],
      [[{ Plant: own }, { Plant: true, Supplier: true }], [latinName]],
      [[{ Plant: own }, { Plant: all }], [name, latinName]],
      [[{ Plant: true, Supplier: true }], [name, latinName]],
    ] as const) t.strictSame(await sqlOf({ resources, access: accessOf(...rules) }), expected)
  })

  t.test('the index of limited rows begins with the column that limits them', async (t) => {
    const sqlOf = async (options: Omit<CrudKitOptions, 'orm'>) =>
      (await logOf(t, options)).flatMap(({ missing = [] }) => missing.map(({ sql }) => sql))
    const crud = resource(Order, { allowedFilters: ['note', 'customer'], allowedIncludes: ['deliveries'] })
    const related = ['create index on "delivery" ("order_id")']
    const plain = ['create index on "order" ("note")', 'create index on "order" ("customer_id")', ...related]
    const limited = [
      'create index on "order" ("customer_id", "note")', 'create index on "order" ("customer_id")', ...related,
    ]
    const scope = () => ({ customer: 1 })
    t.strictSame(await sqlOf({ resources: { '/orders': crud } }), plain)
    t.strictSame(await sqlOf({ resources: { '/orders': { crud, scope } } }), limited, 'by the name of the property')
    const log = await logOf(t, { resources: { '/orders': { crud, scope } } })
    t.strictSame(log.find(({ missing }) => missing !== undefined)!.msg.split('\n').slice(1), [
      `${limited[0]}; -- filter[note]; for rows that "customer_id" limits`,
      `${limited[1]}; -- filter[customer]`,
      `${limited[2]}; -- include=deliveries`,
      "The server does not see which columns functions in 'rows' and 'scope' compare, and roles may compare " +
      'different ones. Let each index begin with the column that limits the rows it is for.',
    ], 'and the message says so')
    const member = { Order: { rows: { note: { $ne: 'x' } } }, '*': true }
    t.strictSame(
      await sqlOf({ resources: { '/orders': crud }, access: { role: () => 'a', roles: { a: member } } as never }),
      plain,
      'a constant that equates nothing is no reason to guess'
    )
    const plantsByName = resource(Plant, { allowedFilters: ['latinName'] })
    const access = (rows: any) =>
      ({ role: () => 'a', roles: { a: { Plant: { rows, operations: ['list'] } } } }) as never
    const resources = { '/plants': plantsByName }
    t.strictSame(await sqlOf({ resources, access: access({ group: 3, name: { $ne: 'x' } }) }), [
      'create index on "plant" ("group_id", "latinName")',
    ], 'by a constant')
    const guesses = async (...rows: readonly any[]) => {
      const roles = Object.fromEntries(rows.map((rows, index) => [index, { Order: { rows, operations: ['list'] } }]))
      const log = await logOf(t, { resources: { '/orders': crud }, access: { role: () => '0', roles } as never })
      return log.flatMap(({ missing = [] }) => missing.flatMap(({ guess = [] }) => guess))
    }
    const ANN = '00000000-0000-4000-8000-000000000001'
    t.strictSame(await guesses({ customer: ANN }), [])
    t.strictSame(await guesses(() => ({ customer: ANN })), ['"customer_id"'])
    t.strictSame(await guesses({ customer: ANN }, () => ({ note: 'x' })), ['"customer_id"'], 'one role is known')
    t.strictSame(await guesses({ customer: ANN }, { note: 'x' }), ['"customer_id"'], 'each role has another column')
    t.strictSame(await sqlOf({ resources, access: access(() => ({ group: 3 })) }), [
      'create index on "plant" ("latinName")',
    ], 'nothing tells which property a function compares')
  })

  t.test('there is no advice once indexes exist, by any name, partial or of several columns', async (t) => {
    for (const [sql] of expected) {
      if (!sql.includes('pg_trgm')) {
        await orm.em.getConnection().execute(
          sql.replace(/^create index on ("\w+") \((.+)\)$/, 'create index on $1 ($2, $2)')
        )
      }
    }
    const advice = await adviceOf(t, { '/plants': plants })
    t.strictSame(advice.map(({ sql }) => sql), expected.map(([sql]) => sql).filter((sql) => sql.includes('pg_trgm')))
    for (const { sql } of advice) await orm.em.getConnection().executeDump(sql!)
    t.strictSame(await adviceOf(t, { '/plants': plants }), [])
    t.strictSame(
      await adviceOf(t, { '/tags': resource(Tag, { allowedFilters: ['name'], allowedIncludes: ['plants'] }) }),
      []
    )
  })

  t.test('advice covers arrays, JSON and other schemas, and its statements work', async (t) => {
    const resources = {
      '/specimens': resource(Specimen, {
        allowedFilters: [
          { synonyms: ['contains', 'overlap'] },
          new AllowedFilters('readings.sensor', 'eq', ['eq', 'ieq'], { type: 'string' }),
          { grade: ['ieq'], 'size.height': ['gte'] },
        ],
      }),
      '/deliveries': resource(Delivery, { allowedFilters: ['due'] }),
    }
    const advice = await adviceOf(t, resources)
    t.strictSame(advice.map(({ sql }) => sql), [
      'create index on "specimen" using gin ("synonyms")',
      'create index on "specimen" (("readings"->>\'sensor\'))',
      'create index on "specimen" (lower(("readings"->>\'sensor\')))',
      'create index on "specimen" (lower("grade"))',
      'create index on "specimen" ((case when jsonb_typeof("size"->\'height\') = \'number\' ' +
      'then ("size"->>\'height\')::numeric end))',
      'create index on "delivery" ("due")',
    ])
    for (const { sql } of advice) await orm.em.getConnection().execute(sql!)
    t.strictSame(await adviceOf(t, resources), [], name)
    t.ok((await select(orm, "select 1 from pg_indexes where tablename = 'specimen'")).length >= 4)
  })

  t.test('advice can be turned off, and never keeps a server from starting', async (t) => {
    const wanting = { '/offers': resource(Offer, { allowedFilters: ['branch'] }) }
    t.equal((await adviceOf(t, wanting)).length, 1)
    t.strictSame(
      (await logOf(t, { resources: wanting, indexAdvice: false })).filter(({ missing }) => missing !== undefined),
      []
    )
    t.match((await logOf(t, { resources: wanting }, true)).filter(({ level }) => level === 20), [{
      msg: 'no advice about indexes',
    }])
    t.strictSame(await adviceOf(t, { '/offers': { crud: wanting['/offers'], operations: ['get'] } as never }), [],
      'no list, no advice')
  })
})
