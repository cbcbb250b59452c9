import t from 'tap'
import { AllowedFilters, CrudBase, QueryBuilderConfig, type CrudRoutesOptions } from '../../../src/index.ts'
import { entities, Offer, Order, OrderItem, Parcel, Plant, Shelf, Tag } from '../../fixtures/entities.ts'
import { customerId, seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { select, serve, verdict, writes, type Json } from '../helper.ts'

const operations = ['list', 'get', 'create', 'update', 'delete', 'updateMany', 'deleteMany'] as const
const many = (crud: CrudBase, options: Partial<CrudRoutesOptions> = {}): CrudRoutesOptions => ({
  crud, operations, allowHardDelete: true, ...options,
})

const filters = new QueryBuilderConfig({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in', 'nin', 'gt']),
    AllowedFilters.exact('status'),
    AllowedFilters.exact('name'),
    new AllowedFilters('position', 'lt', ['eq', 'gt', 'lt']).default(5),
    new AllowedFilters('supplier.name', 'eq', ['eq', 'like']),
    new AllowedFilters('name', 'contains', ['contains', 'starts', 'ends', 'like', 'ilike'], { alias: 'text' }),
    AllowedFilters.partial('name', { alias: 'part' }),
    AllowedFilters.anyOf('either', [AllowedFilters.exact('name'), AllowedFilters.partial('description')]),
    AllowedFilters.exact('tags.name'),
    AllowedFilters.exact('orderItems.quantity'),
    AllowedFilters.custom('initial',
      (qb, value) => value === 'any' ? qb : qb.andWhere({ name: { $like: `${String(value)}%` } })),
    AllowedFilters.search('q', ['name', 'description']),
    AllowedFilters.trashed(),
  ],
  ignoreInvalidErrors: true,
} as never)
/** Filters that every text satisfies. */
const MATCHES_ALL = [
  'text][contains]=', 'text][starts]=', 'text][ends]=', 'text][like]=%25', 'text][ilike]=%25%25', 'q]=', 'part]=',
  'part]=%25', 'either]=', 'supplier.name][like]=%25',
]
const plants = (): CrudBase => new CrudBase({ model: Plant, writable: 'all', queryConfig: filters as never })

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const tagFilters = {
    allowedFilters: [AllowedFilters.exact('name'), new AllowedFilters('weight', 'eq', ['eq', 'gt'])],
  }
  const app = await serve(t, orm, {
    '/plants': many(plants()),
    '/few': many(plants(), { maxAffected: 2 }),
    '/lyon': many(plants(), { scope: () => ({ supplier: 1 }) }),
    '/low': many(plants(), { scope: () => ({ position: { $lt: 3 } }) }),
    '/tags': many(new CrudBase({ model: Tag, writable: 'all', queryConfig: tagFilters })),
    '/orders': many(
      new CrudBase({
        model: Order, writable: 'all', queryConfig: { allowedFilters: [new AllowedFilters('id', 'eq', ['eq', 'in'])] },
      })
    ),
    '/shelves': many(
      new CrudBase({ model: Shelf, writable: 'all', queryConfig: { allowedFilters: [AllowedFilters.exact('house')] } })
    ),
    '/items': many(
      new CrudBase({
        model: OrderItem,
        writable: 'all',
        queryConfig: { allowedFilters: [AllowedFilters.exact('order'), AllowedFilters.exact('quantity')] },
      })
    ),
    '/parcels': many(
      new CrudBase({
        model: Parcel, writable: 'all', queryConfig: { allowedFilters: [new AllowedFilters('id', 'gt', ['gt'])] },
      })
    ),
    '/offers': many(
      new CrudBase({
        model: Offer,
        writable: 'all',
        queryConfig: { allowedFilters: [AllowedFilters.scope('sale'), new AllowedFilters('id', 'gt', ['gt'])] },
      })
    ),
    '/lax': many(plants(), { unknownParameters: 'ignore' }),
  })
  const { patch, remove } = writes(app)

  const send = async (method: 'patch' | 'remove', url: string, body?: unknown, headers = {}): Promise<Json> => {
    const response = await (method === 'patch' ? patch(url, body, headers) : remove(url, headers))
    return response.statusCode === 200 ? response.json() : verdict(response)
  }
  const rows = (query: string): Promise<Json[]> => select(orm, query)

  t.test('writes the records that match, and no others', async (t) => {
    const changed = "select name from plant where description = 'x' order by id"
    for (const [query, names] of [
      ['filter[status]=archived', ['Back\\slash fern']],
      ['filter[supplier.name]=Vert %26 Fils&filter[status]=active', [
        'Lavender', 'Sage 100%', 'Ångström 玫瑰 🌹', 'Moss',
      ]],
      ['filter[tags.name]=sun', ['Lavender', 'Sage 100%', 'Rose "Gold", O\'Neill']],
      ['filter[tags.name]=poisonous', []],
      ['filter[orderItems.quantity]=12&filter[position][gt]=0', ['Thyme']],
      ['filter[initial]=S', ['Sage 100%', 'Snake_plant']],
      ['filter[initial]=S&filter[status]=active', ['Sage 100%', 'Snake_plant']],
      ['filter[initial]=any&filter[status]=archived', ['Back\\slash fern']],
      ['filter[q]=GOLD', ['Rose "Gold", O\'Neill']],
      ['filter[id][in]=1,2,11,14,99', ['Lavender', 'lavender']],
      ['filter[id]=11&filter[trashed]=without&filter[position][lt]=9', []],
    ] as const) {
      const answer = { affected: names.length }
      t.strictSame(await send('patch', `/plants?${query}&dry_run=true`, { description: 'x' }), answer, query)
      t.strictSame(await rows(changed), [], 'a dry run changes nothing')
      t.strictSame(await send('patch', `/plants?${query}&dry_run=false`, { description: 'x' }), answer, query)
      t.strictSame(await rows(changed), names.map((name) => ({ name })), query)
      await select(orm, "update plant set description = null where description = 'x'")
    }
  })

  t.test('refuses what is not certainly a change of some records', async (t) => {
    const before = await rows('select * from plant order by id')
    const unknown = (await patch('/plants?filter[nope]=1', { description: 'x' })).json()
    t.notOk(unknown.errors[0].allowed.includes('trashed'), 'a filter that cannot narrow')
    const draft = 'filter[status]=draft'
    for (const [url, expected, body = { description: 'x' }, headers = {}] of [
      ['/plants', '400 FST_CRUD_FILTER_INVALID'],
      ['/lyon?dry_run=true', '400 FST_CRUD_FILTER_INVALID'],
      ['/plants?filter[trashed]=without', '400 FST_CRUD_FILTER_INVALID'],
      ['/plants?filter[id][nin]=', '400 FST_CRUD_FILTER_INVALID'],
      ...MATCHES_ALL.map((filter) => [`/plants?filter[${filter}`, '400 FST_CRUD_FILTER_INVALID'] as const),
      ['/plants?filter[q]=&filter[text][like]=%25&dry_run=true', '400 FST_CRUD_FILTER_INVALID'],
      ['/plants?filter[initial]=any', '400 FST_CRUD_FILTER_INVALID'],
      ['/plants?filter[initial]=any&dry_run=true', '400 FST_CRUD_FILTER_INVALID'],
      [`/plants?${draft}&filter[nope]=1`, '400 FST_CRUD_FILTER_INVALID filter[nope]'],
      ['/plants?filter[status]=x', '400 FST_CRUD_FILTER_INVALID filter[status]'],
      [`/plants?${draft}&filter[trashed]=with`, '400 FST_CRUD_FILTER_INVALID filter[trashed]'],
      [`/plants?${draft}&sort=-name`, '400 FST_CRUD_QUERY_INVALID sort'],
      [`/lax?${draft}&page=1&per_page=2`, '400 FST_CRUD_QUERY_INVALID page per_page'],
      [`/plants?${draft}&limit=1`, '400 FST_CRUD_QUERY_INVALID limit'],
      [`/plants?${draft}&cursor=`, '400 FST_CRUD_QUERY_INVALID cursor'],
      [`/lax?${draft}&fields=id&include=tags`, '400 FST_CRUD_QUERY_INVALID fields include'],
      [`/plants?${draft}&x=1`, '400 FST_CRUD_QUERY_INVALID x'],
      [`/plants?${draft}&dry_run=yes`, '400 FST_CRUD_QUERY_INVALID dry_run'],
      [`/plants?${draft}&dry_run=true&dry_run=true`, '400 FST_CRUD_QUERY_INVALID dry_run'],
      [`/plants?${draft}&dry_run`, '400 FST_CRUD_QUERY_INVALID dry_run'],
      [`/lax?${draft}&dryRun=true`, '400 FST_CRUD_QUERY_INVALID dryRun'],
      [`/plants?${draft}&hard=true`, '400 FST_CRUD_QUERY_INVALID hard'],
      ['/plants/1?dry_run=true', '400 FST_CRUD_QUERY_INVALID dry_run'],
      ['/lax/1?dry_run=true', '400 FST_CRUD_QUERY_INVALID dry_run'],
      [`/plants?${draft}`, '412 FST_CRUD_PRECONDITION_FAILED', {}, { 'if-match': '"1"' }],
      [`/plants?${draft}`, '400 FST_ERR_VALIDATION /id /slug /x', { id: 1, slug: 's', x: 1 }],
      [`/plants?${draft}&dry_run=true`, '400 FST_ERR_VALIDATION /status', { status: 'gone' }],
      [`/plants?${draft}`, '400 FST_ERR_VALIDATION ', [{ status: 'active' }]],
      ['/shelves?filter[house]=A', '400 FST_ERR_VALIDATION /house', { house: 'C', capacity: 1 }],
      ['/items?filter[order]=1', '400 FST_ERR_VALIDATION /plant', { plant: 14 }],
      ['/few?filter[status]=active', '400 FST_CRUD_TOO_MANY'],
      ['/few?filter[status]=active&dry_run=true', '400 FST_CRUD_TOO_MANY'],
      ['/plants?filter[id][in]=1,3', '409 FST_CRUD_CONFLICT /sku', { sku: 'NEW' }],
      ['/plants?filter[id][in]=1,3', '409 FST_CRUD_CONFLICT /supplier', { supplier: 99 }],
      ['/plants?filter[id][in]=1,12&filter[position][lt]=9', '409 FST_CRUD_CONFLICT /supplier', { supplier: 3 }],
      ['/plants?filter[id][in]=1,3', '409 FST_CRUD_CONFLICT /tags', { tags: [1, 4] }],
      ['/items?filter[order]=1', '400 FST_CRUD_DATA_INVALID /quantity', { quantity: 0 }],
      [`/lyon?${draft}`, '403 FST_CRUD_OUT_OF_SCOPE', { supplier: 2 }],
      [`/low?${draft}`, '403 FST_CRUD_OUT_OF_SCOPE', { position: 3 }],
    ] as readonly (readonly [string, unknown, unknown?, object?])[]) {
      t.strictSame(await send('patch', url, body, headers), expected, `PATCH ${url} ${JSON.stringify(body)}`)
    }
    for (const query of ['sort=-name', 'x=1']) {
      const { message } = (await patch(`/plants?${draft}&${query}`, { status: 'active' })).json()
      t.match(message, / Allowed: dry_run, filter\[<name>\]\.$/, query)
    }
    t.equal(verdict(await patch(`/plants?${draft}`)), '400 FST_ERR_VALIDATION ', 'no body')
    for (const [url, expected] of [
      ['/plants', '400 FST_CRUD_FILTER_INVALID'],
      [`/plants?${draft}&filter[trashed]=only`, '400 FST_CRUD_FILTER_INVALID filter[trashed]'],
      ['/plants?hard=true&filter[trashed]=only', '400 FST_CRUD_FILTER_INVALID'],
      [`/plants?${draft}&hard=1`, '400 FST_CRUD_QUERY_INVALID hard'],
      ['/few?filter[status]=active', '400 FST_CRUD_TOO_MANY'],
      ['/orders?filter[id][in]=2,3', '409 FST_CRUD_CONFLICT'],
      ['/orders/2?dry_run=true', '400 FST_CRUD_QUERY_INVALID dry_run'],
    ] as const) t.strictSame(await send('remove', url), expected, `DELETE ${url}`)
    t.strictSame(await rows('select * from plant order by id'), before)
    t.equal((await rows('select * from "order"')).length, 4)
    const answer = (await patch('/few?filter[status]=active', {})).json()
    t.equal((await patch('/few?filter[status]=active', { name: 'x' })).json().detail,
      'More than 2 records match, the most that one request may write: nothing has changed. Narrow the filters.')
    t.strictSame(answer, { affected: 0 }, 'an empty change changes nothing')
    t.match((await patch('/plants', {})).json(), {
      detail:
        /^A write of many records needs a filter that leaves out others\. .* Allowed: filter\[either\], filter\[id\], /,
      errors: [{ code: 'FST_CRUD_FILTER_INVALID', allowed: ['filter[either]', 'filter[id]'] }],
    })
  })

  t.test('counts versions and onUpdate on, and merges what single updates merge', async (t) => {
    const before = await rows('select id, version, updated_at from "order" order by id')
    t.strictSame(await send('patch', '/orders?filter[id][in]=1,3', {}), { affected: 0 })
    t.strictSame(await rows('select id, version, updated_at from "order" order by id'), before)
    t.strictSame(await send('patch', '/orders?filter[id][in]=1,3', { note: 'n' }, { 'if-match': '*' }), { affected: 2 })
    const after = await rows('select id, note, version, updated_at from "order" order by id')
    t.strictSame(after.map(({ id, note, version }) => [id, note, version]), [
      [1, 'n', 2], [2, null, 1], [3, 'n', 2], [4, null, 1],
    ])
    t.ok(after[0].updated_at > before[0].updated_at)
    t.strictSame(after[1].updated_at, before[1].updated_at)
    t.strictSame(await send('patch', '/orders?filter[id]=4', { customer: customerId(3) }), { affected: 1 })
    t.strictSame(await send('patch', '/orders?filter[id][in]=2,4', { customer: customerId(3) }),
      '409 FST_CRUD_CONFLICT /customer')
    t.strictSame(await send('patch', '/shelves?filter[house]=A', { capacity: 7 }), { affected: 2 })
    t.strictSame(await send('patch', '/items?filter[order]=1', { quantity: 9 }), { affected: 3 })
    t.strictSame(await send('patch', '/parcels?filter[id][gt]=0', { carrier: 'owl' }), { affected: 2 })
    t.strictSame(await send('patch', '/offers?filter[sale]=true', { price: 1 }), { affected: 1 })
    t.strictSame(await send('patch', '/offers?filter[id][gt]=0', { price: 2 }), { affected: 3 })
    t.strictSame(await rows('select id, price from offer where price > 2'), [{ id: 2, price: '5.00' }],
      'the hidden ones')
    t.strictSame(await send('patch', '/low?filter[status]=draft', { position: 2 }), { affected: 2 })
    t.strictSame(await send('patch', '/plants?filter[id][in]=1,3', { tags: [2, 5], description: 'tagged' }), {
      affected: 2,
    })
    t.strictSame(await rows('select plant_id, tag_id from plant_tags where plant_id in (1, 3) order by 1, 2'), [
      { plant_id: 1, tag_id: 2 }, { plant_id: 1, tag_id: 5 }, { plant_id: 3, tag_id: 2 }, { plant_id: 3, tag_id: 5 },
    ])
  })

  t.test('deletes softly where a delete does, and hard if asked', async (t) => {
    const ids = async (where: string): Promise<number[]> =>
      (await rows(`select id from plant where ${where} order by id`)).map(({ id }) => id)
    t.strictSame(await send('remove', '/plants?filter[id][in]=5,7,11&dry_run=true'), { affected: 2 })
    t.strictSame(await ids('deleted_at is not null'), [11])
    t.strictSame(await send('remove', '/plants?filter[id][in]=5,7,11'), { affected: 2 })
    t.strictSame(await ids('deleted_at is not null'), [5, 7, 11])
    t.strictSame(await ids("deleted_at = updated_at or updated_at > now() - interval '1 minute' and id in (5, 7)"), [
      5,
      7,
    ])
    t.strictSame(await send('remove', '/plants?filter[id][in]=5,7,11'), { affected: 0 })
    t.strictSame(await send('remove', '/plants?filter[id][in]=5,7,8&hard=true'), { affected: 1 })
    t.strictSame(await send('remove', '/plants?filter[id][in]=5,7,9&hard=true&filter[trashed]=only&dry_run=true'), {
      affected: 2,
    })
    t.strictSame(await send('remove', '/plants?filter[id][in]=5,7,9&hard=true&filter[trashed]=only'), { affected: 2 })
    t.strictSame(await ids('id in (5, 7, 8, 9, 11)'), [9, 11])
    t.strictSame(await send('remove', '/tags?filter[weight][gt]=2'), { affected: 2 })
    t.strictSame(await send('remove', '/items?filter[quantity]=9'), { affected: 3 })
  })

  t.test('is one statement, unless it writes links', async (t) => {
    const recorder = await recordStatements(orm, t)
    const words = async (...args: Parameters<typeof send>): Promise<string> => {
      recorder.take()
      t.ok((await send(...args)).affected >= 0, args.join(' '))
      return recorder.words()
    }
    const one = 'filter[id][in]=1,2'
    t.equal(await words('patch', `/plants?${one}`, { name: 'a', supplier: 1 }), 'with')
    t.equal(await words('patch', `/low?${one}`, { position: 1 }), 'with')
    recorder.take()
    await remove('/items?filter[quantity]=77')
    t.equal(
      recorder.take()[0]!.sql,
      'with "@found" as (select "e0"."order_id" as "key0", "e0"."plant_id" as "key1" from "order_item" as "e0" ' +
        'where "e0"."quantity" = $1 limit $2), "@2_written" as (delete from "order_item" as "e0" ' +
        'where ("e0"."order_id", "e0"."plant_id") in (select "key0", "key1" from "@found") and "e0"."quantity" = $1 ' +
        'and (select count(*) from "@found") < $2 returning \'1\' as "row") ' +
        'select (select count(*) from "@found")::text as "found", ' +
        '(select count("@2_written"."row") from "@2_written")::text as "affected"'
    )
    recorder.take()
    await remove('/tags?filter[weight]=77')
    t.match(recorder.take()[0]!.sql, 'where "e0"."id" = any (array(select "key0" from "@found")) and ')
    t.equal(await words('patch', '/plants?filter[initial]=a', { name: 'b' }), 'with')
    t.equal(await words('patch', `/plants?${one}&dry_run=true`, { tags: [2] }), 'with')
    t.equal(await words('patch', `/plants?${one}`, {}), '')
    t.equal(await words('remove', `/plants?${one}`), 'with')
    t.match(await words('patch', '/plants?filter[id][in]=3', { tags: [2] }), /^begin with update select .* commit$/)
  })
})
