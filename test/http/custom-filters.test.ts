import { raw } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, FilterValidationError, parseQueryParams, type CustomFilterContext } from '../../src/index.ts'
import { entities, Plant, type Plant as PlantEntity } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { bodyOf, client, resource, serve } from './helper.ts'

const seen: { value: unknown, context: CustomFilterContext }[] = []

const plants = resource(Plant, {
  allowedFilters: [
    { position: ['eq', 'gte'] },
    AllowedFilters.custom<PlantEntity>('status', (qb, value) => qb.andWhere({ status: value.toLowerCase() })),
    AllowedFilters.custom<PlantEntity>('any_of', (qb, value, context) => {
      seen.push({ value, context })
      return qb.andWhere({ name: { $in: [value].flat() } })
    }),
    AllowedFilters.custom<PlantEntity>('mine',
      (qb, _value, { request }) => qb.andWhere({ supplier: Number(request!.headers['x-supplier']) })),
    AllowedFilters.custom<PlantEntity>('nothing', (qb) => qb),
    AllowedFilters.custom<PlantEntity>('cheap_or_named',
      (qb, value) => qb.andWhere({ $or: [{ price: { $lt: 1 } }, { name: value }] })),
    AllowedFilters.custom<PlantEntity>('tagged', (qb, value) => qb.andWhere({ tags: { name: value } })),
    AllowedFilters.custom<PlantEntity>('city',
      (qb, value) => qb.leftJoin('supplier', 's').andWhere('s.address_city = ?', [value])),
    AllowedFilters.custom<PlantEntity>('raw',
      (qb, value) => qb.andWhere(raw('char_length(name) = ? and name <> ?', [value.length, '?']))),
    AllowedFilters.custom<PlantEntity>('raw_and_more',
      (qb, value) => qb.andWhere(raw('name = ?', [value])).andWhere({ inStock: true })),
    AllowedFilters.custom<PlantEntity>('has_key',
      (qb, value) => qb.andWhere(raw('jsonb_build_object(name, 1) \\? ?', [value]))),
    AllowedFilters.custom<PlantEntity>('top',
      (qb, value) => qb.orderBy({ price: 'desc nulls last' }).limit(Number(value))),
    AllowedFilters.custom<PlantEntity>('position_text', (qb, value) => qb.andWhere({ position: value })),
    AllowedFilters.custom<PlantEntity>('since', (qb, value) => qb.andWhere({ created_at: { $gte: value } })),
    AllowedFilters.custom<PlantEntity>('picky', () => {
      throw new FilterValidationError([{ code: 'FST_CRUD_FILTER_INVALID', detail: 'Not like this.' }])
    }),
    AllowedFilters.custom<PlantEntity>('broken', () => {
      throw new Error('a bug of the application')
    }),
    AllowedFilters.custom<PlantEntity>('forgetful', (() => {}) as never),
    AllowedFilters.custom<PlantEntity>(
      'late',
      (async () => {
        throw new Error('nobody waits for this')
      }) as never
    ),
    AllowedFilters.custom<PlantEntity>('group', (qb, value) => qb.andWhere({ group: { name: value } }), {
      alias: 'in_group',
    }),
  ],
  allowedSorts: ['name'],
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, { '/plants': plants })
  const { all, get, refused, details } = client(app, '/plants')
  const ids = (query: string) => all('id', query)

  t.test('a callback defines the condition of its filter', async (t) => {
    t.strictSame(await ids('filter[status]=ACTIVE'), [1, 3, 4, 7, 9, 10, 12, 14])
    t.strictSame(await ids('filter[cheap_or_named]=Oak'), [5, 9, 10])
    t.strictSame(await ids('filter[nothing]=x'), await ids(''))
    t.strictSame(await ids('filter[raw]=abc'), [9])
    t.strictSame(await ids('filter[raw_and_more]=Oak'), [9])
    t.strictSame(await ids('filter[has_key]=Oak'), [9])
    t.strictSame(await ids('filter[in_group]=Herbs'), [3, 14])
    t.match(await refused('filter[group]=Herbs'), { errors: [{ detail: /is not allowed/ }] },
      'the alias hides the name')
  })

  t.test('a custom filter applies together with the other filters, and narrows the total', async (t) => {
    t.match(await get('filter[status]=ACTIVE&filter[position][gte]=5&per_page=1&page=2&sort=name'), {
      items: [{ name: 'Thyme' }],
      total: 3,
    })
    t.strictSame(await ids('filter[status]=ACTIVE&filter[cheap_or_named]=Oak'), [9, 10],
      'an or stays within its filter')
    t.strictSame(await ids('filter[status]=ACTIVE&filter[raw]=abcd&filter[cheap_or_named]=x'), [10])
  })

  t.test('joins, orders and limits of a callback choose rows and never repeat one', async (t) => {
    t.strictSame(await ids('filter[tagged]=sun'), [1, 3, 6])
    t.strictSame(await ids('filter[city]=Lyon&filter[status]=active'), [1, 3, 7, 9, 10])
    t.strictSame(await ids('filter[top]=3'), [6, 7, 9])
    t.match(await get('filter[tagged]=sun&per_page=2'), { total: 3, items: { length: 2 } })
  })

  t.test('a callback gets the text verbatim, or the texts of a repeated parameter, and its context', async (t) => {
    seen.length = 0
    t.strictSame(await ids('filter[any_of]=Oak,Moss'), [])
    t.strictSame(await ids('filter[any_of]=Oak&filter[any_of]=Moss'), [9, 10])
    t.strictSame(await ids('filter[any_of][]=Oak'), [9])
    t.strictSame(await ids('filter[any_of]='), [8])
    t.strictSame([...new Set(seen.map(({ value }) => JSON.stringify(value)))], [
      '"Oak,Moss"', '["Oak","Moss"]', '["Oak"]', '""',
    ])
    const { em, request } = seen[0]!.context
    t.equal(request!.em, em)
    t.equal(request!.method, 'GET')

    t.strictSame(
      (await app.inject({ url: '/plants?filter[mine]=1', headers: { 'x-supplier': '2' } })).json().items.map((
        { id }: any
      ) => id),
      [2, 4, 5, 8, 13, 14]
    )
    t.strictSame(
      (await app.inject({ url: '/plants?filter[mine]=1', headers: { 'x-supplier': '3' } })).json().items.map((
        { id }: any
      ) => id),
      [12],
      'the next request has its own'
    )
  })

  t.test('without a server, a callback gets the context of its caller', async (t) => {
    seen.length = 0
    const em = orm.em.fork()
    const page = await plants.list(em, parseQueryParams('filter[any_of]=Oak'), { context: { tenant: 7 } })
    t.equal(page.total, 1)
    t.strictSame([seen[0]!.context.em, seen[0]!.context.request, seen[0]!.context.tenant], [em, undefined, 7])
    t.equal(await plants.count(em, parseQueryParams('filter[tagged]=sun')), 3)
  })

  t.test('text that looks like SQL stays text', async (t) => {
    for (const text of [
      "' or 1=1 --", "Oak'; drop table plant; --", '?', '\\?', '$1', '"', '\\', "\\'", '$' + '{1}', ':name', '??', "'?",
      "\\'?", '\\\\?', '"?"', "E'",
    ]) {
      for (const filter of ['cheap_or_named', 'tagged', 'any_of', 'raw', 'raw_and_more', 'has_key']) {
        const response = await app.inject(`/plants?filter[${filter}]=${encodeURIComponent(text)}`)
        t.equal(response.statusCode, 200, `${filter} ${text}`)
        if (!['cheap_or_named', 'raw'].includes(filter)) t.strictSame(response.json().items, [])
      }
    }
    t.equal((await get()).total, 13)
    t.strictSame(await ids(`filter[raw_and_more]=${encodeURIComponent('Back\\slash fern')}`), [5])
    t.strictSame(await ids(`filter[raw_and_more]=${encodeURIComponent('Rose "Gold", O\'Neill')}`), [6])
  })

  t.test('a repeated value is refused if the callback takes one value', async (t) => {
    const recorder = await recordStatements(orm, t)
    for (const [query, parameter] of [['filter[status]=a&filter[status]=b', 'filter[status]'], [
      'filter[status][]=a',
      'filter[status][]',
    ]] as const) {
      const { code, message, errors } = await refused(query)
      t.equal(code, 'FST_CRUD_FILTER_INVALID', query)
      t.ok(message.startsWith(`The filter ${parameter} takes one value`), message)
      t.match(errors, [{ source: { parameter }, code: 'FST_CRUD_FILTER_INVALID' }])
    }
    t.match(await details('filter[picky]=a'), ['Not like this.'])
    t.match(await details('filter[picky]=a&filter[picky]=b'), ['Not like this.'], "the callback's own refusal is kept")
    t.match(await details('filter[status][eq]=a'), [/takes no operator/])
    t.match(await details('filter[status]=%00'), [
      /^The value of filter\[status\] must be text without NUL characters\.$/,
    ])
    t.match(await details('filter[status][]=%00'), [/without NUL/])
    t.strictSame(recorder.take(), [])
  })

  t.test('a value that the database refuses is a 400', async (t) => {
    for (const query of [
      'filter[position_text]=x', 'filter[position_text]=99999999999', 'filter[position_text]=',
      'filter[since]=yesteryear', 'filter[since]=2024-02-30', 'filter[top]=-1',
    ]) {
      t.match(await refused(query), { statusCode: 400, code: 'FST_CRUD_DATA_INVALID', message: /^A value is / }, query)
    }
    const { body } = await app.inject('/plants?filter[position_text]=x')
    t.notMatch(body, /integer|syntax|select|position/)
    t.strictSame(await ids('filter[position_text]=4'), [])
  })

  t.test('a bug of the callback is a 500', async (t) => {
    const response = await app.inject('/plants?filter[broken]=x')
    t.match(bodyOf(response), { statusCode: 500, message: 'a bug of the application' })
    t.match(bodyOf(await app.inject('/plants?filter[forgetful]=x')), {
      statusCode: 500,
      message: 'AllowedFilters.custom: the callback of filter[forgetful] must return the query builder.',
    })
    t.match(bodyOf(await app.inject('/plants?filter[late]=x')), {
      statusCode: 500,
      message: /must return the query builder itself, not a promise: it must not be async/,
    }, 'and what it throws ends no process')
  })

  t.test('requests with different values of a filter do not share a statement', async (t) => {
    for (let round = 0; round < 2; round++) {
      for (const [name, id] of [['Oak', 9], ['Moss', 10], ['Sage 100%', 3]] as const) {
        t.strictSame(await ids(`filter[any_of]=${encodeURIComponent(name)}&filter[position][gte]=-2147483648`), [id])
      }
    }
  })
})
