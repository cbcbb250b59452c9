import { raw } from '@mikro-orm/core'
import t from 'tap'
import { AllowedSort, parseQueryParams, type CustomFilterContext } from '../../src/index.ts'
import { entities, OrderItem, Plant, type Plant as PlantEntity } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { bodyOf, client, resource, select, serve, type Json } from './helper.ts'

const contexts: CustomFilterContext[] = []

const plants = resource(Plant, {
  allowedFilters: [{ position: ['gte'] }],
  allowedSorts: [
    'position',
    'name',
    AllowedSort.custom<PlantEntity>(
      'length',
      (qb, direction) => qb.orderBy({ [raw('char_length(e0.name)')]: direction })
    ),
    AllowedSort.custom<PlantEntity>('near', (qb, direction, context) => {
      contexts.push(context)
      return qb.orderBy({
        [raw('abs(e0."order"::bigint - ?)', [5])]: direction,
        [raw("case when e0.name like '%?, (order by%' then 1 else 0 end")]: 'desc',
      })
    }),
    AllowedSort.custom<PlantEntity>(
      'city',
      (qb, direction) => qb.leftJoin('supplier', 's').orderBy({ [raw('s.address_city')]: `${direction} nulls last` })
    ),
    AllowedSort.custom<PlantEntity>(
      'by_tag',
      (qb, direction) => qb.leftJoin('tags', 'x').orderBy({ 'x.name': `${direction} nulls last` })
    ),
    AllowedSort.custom<PlantEntity>(
      'weighty',
      (qb) => qb.innerJoin('tags', 'x').where({ 'x.weight': { $gte: 1 } }).orderBy({ 'x.name': 'asc' }),
      { alias: 'heavy', direction: 'desc' }
    ),
    AllowedSort.custom<PlantEntity>('nothing', (qb) => qb),
    AllowedSort.custom<PlantEntity>('limited', (qb) => qb.orderBy({ name: 'asc' }).limit(3)),
    AllowedSort.custom<PlantEntity>(
      'failing',
      (async () => {
        throw new Error('nobody waits for this')
      }) as never
    ),
    AllowedSort.custom<PlantEntity>('late', (async (qb: Json) => qb.orderBy({ name: 'asc' })) as never),
  ],
  allowedIncludes: ['tags'], defaultSort: ['-length' as never],
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': plants,
    '/items': resource(OrderItem, {
      allowedSorts: [
        AllowedSort.custom('plant_name', (qb, direction) => qb.join('plant', 'p').orderBy({ 'p.name': direction })),
      ],
    }),
  })
  const { all, get, details } = client(app, '/plants')
  const ids = (query: string) => all('id', query)
  const sorted = async (order: string) =>
    (await select(orm, `select p.id from plant p where p.deleted_at is null order by ${order}, p.id`)).map(({ id }) =>
      id
    )

  t.test('a custom order takes its place among the other sorts, with the key last', async (t) => {
    t.strictSame(await ids('sort=length'), await sorted('char_length(p.name)'))
    t.strictSame(await ids('sort=-length'), await sorted('char_length(p.name) desc'))
    t.strictSame(await ids(''), await sorted('char_length(p.name) desc'), 'as the default')
    t.strictSame(await ids('sort=position,-length'), await sorted('p."order", char_length(p.name) desc'))
    t.strictSame(await ids('sort=near,-name'), await sorted('abs(p."order"::bigint - 5), p.name desc'))
    const far = (await select(
      orm,
      'select id from plant p where deleted_at is null and "order" >= 2 ' +
        'order by abs("order"::bigint - 5) desc, name desc'
    )).map(({ id }) => id)
    t.strictSame(await ids('sort=-near,-name&filter[position]=2&include=tags'), far)
    t.equal(contexts[0]!.request!.method, 'GET')
  })

  t.test('joins of a custom sort neither repeat rows nor lose them', async (t) => {
    const byTag = (order: string) =>
      sorted(
        `(select ${
          order === 'asc' ? 'min' : 'max'
        }(t.name) from plant_tags pt join tag t on t.id = pt.tag_id where pt.plant_id = p.id) ${order} nulls last`
      )
    t.strictSame(await ids('sort=by_tag'), await byTag('asc'))
    t.strictSame(await ids('sort=-by_tag'), await byTag('desc'))
    t.strictSame(await ids('sort=city,-name'),
      await sorted('(select s.address_city from supplier s where s.id = p.supplier_id) nulls last, p.name desc'))
    t.strictSame((await ids('sort=heavy')).toSorted((a: number, b: number) => a - b),
      (await ids('sort=position')).toSorted((a: number, b: number) => a - b),
      'rows that its joins do not find come last')
    t.strictSame(
      (await client(app, '/items').get('sort=plant_name')).items.map(({ plant }: Json) => plant),
      (await select(
        orm,
        'select i.plant_id as id from order_item i join plant p on p.id = i.plant_id ' +
          'order by p.name, i.order_id, i.plant_id'
      )).map(({ id }) => id)
    )
  })

  t.test('a custom sort works with includes, pages, offsets and totals, in one statement', async (t) => {
    for (const sort of ['by_tag', '-length', 'near,by_tag']) {
      const whole = await ids(`sort=${sort}&per_page=100`)
      const recorder = await recordStatements(orm)
      const page = await get(`sort=${sort}&per_page=4&page=2&include=tags`)
      t.equal(recorder.take().length, 1)
      recorder.stop()
      t.strictSame([page.total, page.items.map(({ id }: Json) => id)], [13, whole.slice(4, 8)], sort)
      t.ok(page.items.every(({ tags }: Json) => Array.isArray(tags)))
      t.strictSame(await ids(`sort=${sort}&limit=5&offset=7`), whole.slice(7, 12))
    }
  })

  t.test('a custom sort works in the builder of query()', async (t) => {
    for (const sort of ['by_tag', '-length', 'position,by_tag,-name', 'near']) {
      const found = await (await plants.query(orm.em.fork(), parseQueryParams(`sort=${sort}&per_page=6`)))
        .getResultList()
      t.strictSame(found.map(({ id }: Json) => id), (await ids(`sort=${sort}`)).slice(0, 6), sort)
    }
    t.equal(await plants.count(orm.em.fork(), parseQueryParams('sort=by_tag')), 13)
  })

  t.test('a custom sort with a cursor is refused', async (t) => {
    t.match(await details('sort=length&cursor='), [
      /The sort 'length' has no cursors; use page and per_page, or limit and offset\./,
    ])
    t.match(await details('cursor='), [/The sort 'length' has no cursors/], 'the default is one')
    t.equal((await get('sort=name&cursor=')).items.length, 13)
  })

  t.test('a custom sort that adds no order is a mistake of the application', async (t) => {
    for (const [sort, message] of [
      ['nothing', /AllowedSort\.custom 'nothing': the callback has added no order/],
      ['limited', /'limit' has no meaning for a sort/],
      ['late', /must return the query builder itself, not a promise: it must not be async/],
      ['failing', /not a promise/],
    ] as const) {
      t.match(bodyOf(await app.inject(`/plants?sort=${sort}`)), { statusCode: 500, message }, sort)
    }
    t.throws(() => AllowedSort.custom('a b', (qb) => qb), { code: 'FST_CRUD_CONFIG_INVALID' })
    t.throws(() => AllowedSort.custom('a', 'b' as never), /the callback must be a function/)
    t.throws(() => AllowedSort.custom('a', (qb) => qb, { direction: 'down' as never }), /direction: expected one of/)
    t.throws(() => resource(Plant, { allowedSorts: [AllowedSort.custom('purchasePrice', (qb) => qb)] }).bind(orm.em),
      /'purchasePrice' of Plant is hidden/)
  })
})
