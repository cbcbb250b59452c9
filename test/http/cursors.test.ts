import fc from 'fast-check'
import t from 'tap'
import type { ScalarProperty } from '../../src/model/index.ts'
import { fingerprintOf, writeCursor } from '../../src/plan/cursor.ts'
import type { OrderTerm } from '../../src/plan/index.ts'
import { AllowedSort, parseQueryParams } from '../../src/index.ts'
import { Customer, entities, OrderItem, Plant, Shelf, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, select, serve, type Client, type Json } from './helper.ts'

const PLANT_SORTS = [
  'id', 'name', 'price', 'position', 'status', 'created_at', 'latinName', 'nameLength', 'supplier', 'inStock',
  'supplier.name', 'supplier.address.city', 'group.name', 'group.parent.name', 'label.text', 'uuid',
] as const
const SPECIMEN_SORTS = [
  'leaves', 'stems', 'cells', 'pollen', 'spores', 'dryMass', 'value', 'acidity', 'chlorophyll', 'minimum', 'alive',
  'nickname', 'description', 'grade', 'tracker', 'flowering', 'hardiness', 'health', 'sownOn', 'measuredAt',
  'recordedAt', 'wateredAt', 'petals', 'readings', 'plant.price',
] as const

const plants = resource(Plant, {
  allowedFilters: [{ name: ['eq', 'contains'], status: ['eq', 'in'] }, 'tags.name'],
  allowedSorts: [...PLANT_SORTS, new AllowedSort('position', 'price', { alias: 'rank' })],
  allowedIncludes: ['tags', 'group.parent'],
})

const specimens = resource(Specimen, { allowedSorts: SPECIMEN_SORTS, allowedFields: ['id'] })

/** A page without its items. */
const info = ({ items, ...rest }: Json) => rest

interface Walk {
  readonly keys: unknown[]
  readonly pages: Json[]
}

const keyOf = (item: Json): string => JSON.stringify([item.id, item.house, item.number, item.order, item.plant])

/** Follows the cursors of one direction to the end, checking each page's form. */
async function walk (
  { get }: Client,
  query: string,
  size: () => number,
  way: 'next' | 'prev' = 'next',
  from = ''
): Promise<Walk> {
  const keys: unknown[] = []
  const pages: Json[] = []
  for (let cursor: string | null = from; cursor !== null;) {
    const perPage = size()
    const page: Json = await get(`${query}&per_page=${perPage}&cursor=${cursor}`)
    if (Object.keys(page).join() !== 'items,per_page,next_cursor,prev_cursor,has_next,has_prev') {
      throw new Error(Object.keys(page).join())
    }
    if (page.has_next !== (page.next_cursor !== null) || page.has_prev !== (page.prev_cursor !== null)) {
      throw new Error(JSON.stringify(page))
    }
    if (page.per_page !== perPage || page.items.length > perPage) throw new Error(`${page.items.length} of ${perPage}`)
    const found = page.items.map(keyOf)
    if (way === 'next') keys.push(...found)
    else keys.unshift(...found)
    pages.push(page)
    if (pages.length > 100) throw new Error('endless')
    cursor = page[`${way}_cursor`]
  }
  return { keys, pages }
}

const sorts = (names: readonly string[]) =>
  fc.subarray([...names], { maxLength: Math.min(3, names.length) }).chain((chosen) =>
    fc.tuple(fc.shuffledSubarray(chosen, { minLength: chosen.length }),
      fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }))
  )
    .map(([chosen, down]) => chosen.map((name, index) => `${down[index] ? '-' : ''}${name}`).join())

/** Values that no client can write and every column can store, and some that are nearly the same. */
const UNUSUAL =
  `insert into specimen (code, plant_id, acidity, chlorophyll, dry_mass, sown_on, measured_at, recorded_at, watered_at,
  readings) values
  ('U1', 1, 'NaN', '-Infinity', 'NaN', 'infinity', 'infinity', '-infinity', '24:00:00', '{"a": 1.50}'),
  ('U2', 1, '-0', 'NaN', 0, '-infinity', '-infinity', 'infinity', '12:00:00', 'null'),
  ('U3', 1, '0', '-0', 0, '0044-03-15 BC', '0044-03-15 12:00:00+00 BC', '2024-05-06 07:08:09.123456', '12:00:00.4',
  '[1, 2]'),
  ('U4', 1, 'Infinity', '0.1', 0.000001, '12024-01-01', '12024-01-01 00:00:00+00', '2024-05-06 07:08:09.123457', null,
  '"x\\u00e9"'),
  ('U5', 1, 0.1, '0.10000001', -0.000001, '2024-02-29', '2024-05-06 07:08:09.123+14', '0044-03-15 BC', null,
  '{"a": 1.5}')`

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': plants, '/specimens': specimens,
    '/shelves': resource(Shelf, {
      allowedSorts: ['capacity', 'number'],
    }),
    '/items': resource(OrderItem, {
      allowedSorts: ['quantity', 'plant.name', 'plant'],
    }),
    '/customers': resource(Customer),
  })
  const { get, refused, details } = client(app, '/plants')
  const ids = ({ items }: Json): number[] => items.map(({ id }: Json) => id)

  const matches = async (path: string, names: readonly string[], numRuns: number) => {
    const at = client(app, path)
    await assertProperty(
      fc.asyncProperty(
        sorts(names),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        async (sort, sizes) => {
          const query = `sort=${sort}${path === '/specimens' ? '&fields=id' : ''}`
          const whole = (await at.get(`${query}&per_page=100`)).items.map(keyOf)
          let turn = 0
          const size = () => sizes[turn++ % sizes.length]!
          const forwards = await walk(at, query, size)
          if (forwards.keys.join() !== whole.join()) throw new Error(`forwards ${forwards.keys} instead of ${whole}`)
          const last = forwards.pages.at(-1)
          if (last.prev_cursor === null) {
            return forwards.pages.length === 1
          }
          const backwards = await walk(at, query, size, 'prev', last.prev_cursor)
          const expected = whole.slice(0, whole.length - last.items.length)
          if (backwards.keys.join() !== expected.join()) {
            throw new Error(`backwards ${backwards.keys} instead of ${expected}`)
          }
          return backwards.pages.every((page) => page.has_next) && forwards.pages.slice(1).every((page) =>
            page.has_prev
          ) && !forwards.pages[0].has_prev
        }
      ),
      { numRuns }
    )
  }

  t.test('a walk visits each row once, in the order of other pages, forwards and backwards', async (t) => {
    await matches('/plants', PLANT_SORTS, 15)
    await matches('/shelves', ['capacity', 'number'], 5)
    await matches('/items', ['quantity', 'plant.name', 'plant'], 8)
    await matches('/customers', [], 2)
    t.pass()
  })

  t.test('a walk handles values of all types, including unusual ones', async (t) => {
    await orm.em.getConnection().execute(UNUSUAL)
    t.teardown(() => orm.em.getConnection().execute("delete from specimen where code like 'U_'"))
    const at = client(app, '/specimens')
    for (const name of SPECIMEN_SORTS) {
      for (const sort of [name, `-${name}`]) {
        const whole = (await at.get(`sort=${sort}&fields=id`)).items.map(keyOf)
        const forwards = await walk(at, `sort=${sort}&fields=id`, () => 3)
        const backwards = await walk(at, `sort=${sort}&fields=id`, () => 7, 'prev', forwards.pages.at(-1).prev_cursor)
        t.strictSame([forwards.keys, [...backwards.keys, ...forwards.pages.at(-1).items.map(keyOf)]], [whole, whole],
          sort)
      }
    }
    await matches('/specimens', SPECIMEN_SORTS, 6)
  })

  t.test('the answer has the size, the cursors and whether other pages exist, without totals', async (t) => {
    const page = await get('cursor=')
    t.strictSame(info(page), { per_page: 20, next_cursor: null, prev_cursor: null, has_next: false, has_prev: false })
    t.equal(page.items.length, 13)
    t.strictSame(await get('cursor=&filter[name]=Nothing'), {
      items: [], per_page: 20, next_cursor: null, prev_cursor: null, has_next: false, has_prev: false,
    })
    const first = await get('cursor=&per_page=5')
    t.match(info(first), { per_page: 5, next_cursor: /^[\w-]+$/, prev_cursor: null, has_next: true, has_prev: false })
    t.strictSame(ids(first), [1, 2, 3, 4, 5])
    t.match(await details('cursor=&per_page=101'), [/at most 100/])
  })

  t.test('filters apply on all pages, and includes, fields and sizes may change on the way', async (t) => {
    const query = 'filter[status][in]=active,draft&filter[tags.name]=sun&sort=-position'
    const whole = await get(query)
    const first = await get(`${query}&per_page=1&cursor=`)
    const second = await get(
      'filter[tags.name]=sun&filter[status][in]=active,draft&sort=-position&per_page=2&include=tags,group.parent' +
        `&cursor=${first.next_cursor}`
    )
    t.strictSame([...ids(first), ...ids(second)], ids(whole))
    t.ok(second.items.every(({ tags }: Json) => Array.isArray(tags)))
    t.strictSame(second.items.map(({ group }: Json) => group?.parent?.name),
      (await get(`${query}&include=group.parent`)).items.slice(1).map(({ group }: Json) => group?.parent?.name))
    const back = await get(`${query}&include=tags&cursor=${second.prev_cursor}`)
    t.strictSame(back.items.map(({ id, tags }: Json) => [id, tags.length > 0]), [[ids(whole)[0], true]])
  })

  t.test('a page by cursor is one statement', async (t) => {
    const { next_cursor: cursor } = await get('cursor=&per_page=3&sort=-price')
    const recorder = await recordStatements(orm, t)
    for (const query of ['cursor=', `cursor=${cursor}`, `cursor=${cursor}&include=tags,group.parent`]) {
      await get(`sort=-price&per_page=3&${query}`)
      t.equal(recorder.take().length, 1, query)
    }
  })

  t.test('a walk continues while rows come and go', async (t) => {
    const run = (sql: string) => orm.em.getConnection().execute(sql)
    await run("insert into specimen (code, plant_id, leaves) select 'W' || i, 1, i / 3 from generate_series(1, 9) i")
    t.teardown(() => run("delete from specimen where code like 'W%' or code like 'X%'"))
    const at = client(app, '/specimens')
    const remaining = async () =>
      (await select(orm, "select id from specimen where code like 'W%'")).map(({ id }) => id)

    t.test('each row that stays is visited once', async (t) => {
      await assertProperty(
        fc.asyncProperty(
          sorts(['leaves', 'stems', 'nickname', 'plant.price']),
          fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.option(fc.integer({ min: 0, max: 3 })), fc.boolean()), {
            minLength: 12,
            maxLength: 12,
          }),
          async (sort, steps) => {
            await run("delete from specimen where code like 'X%'")
            const added = await select(
              orm,
              "insert into specimen (code, plant_id, leaves, nickname) select 'X' || i, 1, i / 2, " +
                "case when i % 3 = 0 then 'n' || i % 2 end from generate_series(1, 6) i returning id"
            )
            const doomed: number[] = added.map(({ id }) => id)
            const seen: number[] = []
            let cursor: string | null = ''
            for (const [size, doom, insert] of steps) {
              if (cursor === null) break
              const page: Json = await at.get(`sort=${sort}&fields=id&per_page=${size}&cursor=${cursor}`)
              seen.push(...ids(page))
              cursor = page.next_cursor
              // preferably the row from which the cursor was made
              const id = doom === null ? undefined : doomed.includes(seen.at(-1)!) ? seen.at(-1)! : doomed[doom]
              if (id !== undefined) await run(`delete from specimen where id = ${id}`)
              if (insert) {
                await run(
                  "insert into specimen (code, plant_id, leaves, nickname) values ('X' || " +
                    "substr(gen_random_uuid()::text, 1, 8), 1, 2, 'n1')"
                )
              }
            }
            while (cursor !== null) {
              const page: Json = await at.get(`sort=${sort}&fields=id&per_page=9&cursor=${cursor}`)
              seen.push(...ids(page))
              cursor = page.next_cursor
            }
            return new Set(seen).size === seen.length && (await remaining()).every((id) => seen.includes(id))
          }
        ),
        { numRuns: 8 }
      )
      await run("delete from specimen where code like 'X%'")
      t.pass()
    })

    t.test('has_prev and has_next are correct, with a look-up if the row of the cursor is gone', async (t) => {
      const query = 'fields=id&sort=-leaves'
      const first = await at.get(`${query}&per_page=4&cursor=`)
      const recorder = await recordStatements(orm, t)
      await run(`update specimen set leaves = 2147483647 where id = ${ids(first).at(-1)}`)
      recorder.take()
      const second = await at.get(`${query}&per_page=2&cursor=${first.next_cursor}`)
      t.equal(recorder.take().length, 2)
      t.equal(second.has_prev, true)
      const back = await at.get(`${query}&per_page=9&cursor=${second.prev_cursor}`)
      t.strictSame(ids(back).length, 4)
      t.strictSame([back.has_prev, back.has_next], [false, true])
    })
  })

  t.test('an empty page has a cursor back, and all rows of a side may be gone', async (t) => {
    const run = (sql: string) => orm.em.getConnection().execute(sql)
    const at = client(app, '/shelves')
    await run("insert into shelf (house, number, capacity) values ('Z', 1, 1), ('Z', 2, 1), ('Z', 3, null)")
    t.teardown(() => run("delete from shelf where house = 'Z'"))
    const names = ({ items }: Json) => items.map(({ house, number }: Json) => `${house}${number}`)
    const page = await at.get('per_page=5&cursor=')
    t.strictSame(names(page), ['A1', 'A2', 'B1', 'Z1', 'Z2'])
    await run("delete from shelf where house = 'Z' and number > 1")
    const empty = await at.get(`cursor=${page.next_cursor}`)
    t.match(empty, { items: [], has_next: false, next_cursor: null, has_prev: true, prev_cursor: String })
    await run("insert into shelf (house, number) values ('Z', 2)")
    const back = await at.get(`per_page=2&cursor=${empty.prev_cursor}`)
    t.strictSame(names(back), ['Z1', 'Z2'], 'what was at the place of the cursor comes, too')
    t.match(back, { has_next: false, next_cursor: null, has_prev: true })
    await run("insert into shelf (house, number) values ('Z', 3)")
    t.strictSame((await at.get(`per_page=2&cursor=${empty.prev_cursor}`)).has_next, true)

    const last = await at.get('sort=-number&per_page=1&cursor=')
    t.strictSame(names(last), ['Z3'])
    const second = await at.get(`sort=-number&per_page=1&cursor=${last.next_cursor}`)
    await run("delete from shelf where house = 'Z' and number = 3")
    const start = await at.get(`sort=-number&cursor=${second.prev_cursor}`)
    t.match(start, { items: [], has_prev: false, prev_cursor: null, has_next: true, next_cursor: String })
    t.strictSame(names(await at.get(`sort=-number&cursor=${start.next_cursor}`)), names(await at.get('sort=-number')))
    t.match(await at.get(`sort=-number&cursor=${last.next_cursor}`), {
      has_prev: false, prev_cursor: null, has_next: false,
    })
  })

  t.test('an invalid cursor, or one of another query, is refused instead of answered with page 1', async (t) => {
    const { next_cursor: cursor } = await get('sort=-price&filter[name][contains]=e&per_page=2&cursor=')
    const { next_cursor: shelf } = await client(app, '/shelves').get('per_page=1&cursor=')
    t.equal((await get(`sort=-price&filter[name][contains]=e&cursor=${cursor}`)).has_prev, true)
    const mine = 'sort=-price&filter[name][contains]=e'
    const flipped = (cursor[0] === 'A' ? 'B' : 'A') + cursor.slice(1)
    for (const [what, query, sentence] of [
      ['garbage', `${mine}&cursor=garbage`, /can't be read/],
      ['JSON', `${mine}&cursor=${Buffer.from('[0,"1","1"]').toString('base64url')}`, /can't be read/],
      ['cut', `${mine}&cursor=${cursor.slice(0, -3)}`, /can't be read/],
      ['longer', `${mine}&cursor=${cursor}AA`, /can't be read/],
      ['padded', `${mine}&cursor=${cursor}=`, /can't be read/],
      ['too long', `${mine}&cursor=${'A'.repeat(5000)}`, /can't be read/],
      ['not base64url', `${mine}&cursor=${cursor}%00`, /can't be read/],
      ['tampered', `${mine}&cursor=${flipped}`, /belongs to another query/],
      ['another sort', `sort=price&filter[name][contains]=e&cursor=${cursor}`, /belongs to another query/],
      ['no sort', `filter[name][contains]=e&cursor=${cursor}`, /belongs to another query/],
      ['another filter', `sort=-price&filter[name][contains]=a&cursor=${cursor}`, /belongs to another query/],
      ['no filter', `sort=-price&cursor=${cursor}`, /belongs to another query/],
      ['another resource', `cursor=${shelf}`, /belongs to another query/],
    ] as const) {
      t.match(await refused(query), {
        code: 'FST_CRUD_PAGINATION_INVALID',
        errors: [{ source: { parameter: 'cursor' }, detail: sentence }],
      }, what)
    }
    const checksum = Buffer.from(cursor, 'base64url').toString().slice(0, 16)
    for (const place of ['', 'null', '{}', '0', '"0"', '[]', '[9]', '["0","1"]', '[0,1]', '[0,{}]', '[-1,"1"]']) {
      const forged = Buffer.from(checksum + place).toString('base64url')
      t.match(await refused(`${mine}&cursor=${forged}`), { errors: [{ detail: /^The cursor can't be read\./ }] }, place)
    }
    t.match(await refused(`sort=nothing&cursor=${cursor}`), { code: 'FST_CRUD_SORT_INVALID', errors: { length: 1 } },
      'which says nothing of the cursor')
  })

  t.test('values of forged cursors are checked by their types', async (t) => {
    const recorder = await recordStatements(orm, t)
    const wrong: Record<string, readonly (string | null)[]> = {
      leaves: ['x', '1.5', '99999999999', '', ' 1', '1e3', 'NaN'],
      stems: ['40000'],
      cells: ['9223372036854775808', '1.0'],
      dryMass: ['1e5', 'x', 'nan', '1,5'],
      acidity: ['1e400', 'inf', 'nan', '0x1'],
      chlorophyll: ['1e39'],
      alive: ['t', '1', 'TRUE', ''],
      nickname: ['a\u0000b'],
      tracker: ['x', '{3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10}'],
      flowering: ['monsoon', ''],
      hardiness: ['one', '40000'],
      sownOn: ['2024-02-30', 'now', '2024-1-1', '9999999-01-01', '4714-01-01 BC', '1900-02-29', 'today'],
      measuredAt: [
        '2024-05-06', 'now', '2024-05-06 25:00:00', '2024-05-06 07:08:09+00', '294277-01-01 00:00:00', 'epoch',
      ],
      recordedAt: ['2024-13-06 07:08:09', 'tomorrow', '2024-05-06T07:08:09'],
      wateredAt: ['24:00:01', '7:00', 'now', 'allballs'],
      readings: ['{', '', '{"a": "\\u0000"}'],
    }
    const { whitelist } = specimens.bind(orm.em)
    const order = (
      name: string
    ): OrderTerm[] => [
      ...whitelist.sorts.get(name)!.targets.map((target) => ({ ...target, descending: false }) as OrderTerm),
      { relations: [], operand: whitelist.model.properties.get('id') as ScalarProperty, descending: false },
    ]
    for (const [name, values] of Object.entries(wrong)) {
      const fingerprint = fingerprintOf({ filters: [], groups: [] }, order(name), whitelist)
      const forge = (texts: (string | null)[]) => writeCursor({ side: 'after', inclusive: false, texts }, fingerprint)!
      for (const value of values) {
        t.match(await client(app, '/specimens').details(`sort=${name}&cursor=${forge([value, '1'])}`), [
          /belongs to another query/,
        ], `${name} ${value}`)
      }
      for (const texts of [['1'], [null, null], [null, '1', '1'], []]) {
        t.match(await client(app, '/specimens').details(`sort=${name}&cursor=${forge(texts)}`), [
          /belongs to another query/,
        ], `${name} ${texts}`)
      }
    }
    t.strictSame(recorder.take(), [], 'nothing reached the database')
  })

  t.test('values too long for a cursor are refused if the answer needs a cursor', async (t) => {
    await orm.em.getConnection().execute(
      "insert into specimen (code, plant_id, description) select 'L' || i, 1, repeat('~', 4000) || i " +
        'from generate_series(1, 2) i'
    )
    t.teardown(() => orm.em.getConnection().execute("delete from specimen where code like 'L_'"))
    const at = client(app, '/specimens')
    const long = (await select(orm, "select id from specimen where code = 'L1'")).map(({ id }) => id)
    const place = ids(await at.get('sort=description&fields=id')).indexOf(long[0])
    t.match(await at.details(`sort=description&per_page=${place + 1}&fields=id&cursor=`), [/too long for a cursor/])
    t.equal((await at.get('sort=description&per_page=100&fields=id&cursor=')).has_next, false)
  })

  t.test('the builder of query() also starts at the cursor', async (t) => {
    for (const sort of ['-price', 'position,-name', 'group.name']) {
      const whole = ids(await get(`sort=${sort}`))
      const first = await get(`sort=${sort}&per_page=4&cursor=`)
      const second = await get(`sort=${sort}&per_page=4&cursor=${first.next_cursor}`)
      const found = async (cursor: string) =>
        (await (await plants.query(orm.em.fork(), parseQueryParams(`sort=${sort}&per_page=3&cursor=${cursor}`)))
          .getResultList()).map(({ id }: Json) => id)
      t.strictSame(await found(''), whole.slice(0, 3), sort)
      t.strictSame(await found(first.next_cursor), whole.slice(4, 7), sort)
      t.strictSame(await found(second.prev_cursor), whole.slice(1, 4).toReversed(), `${sort}, the nearest first`)
    }
    t.equal(
      await plants.count(orm.em.fork(),
        parseQueryParams(`sort=-price&cursor=${(await get('sort=-price&per_page=4&cursor=')).next_cursor}`)),
      13
    )
  })
})
