import t from 'tap'
import { type PaginationOptions } from '../../src/index.ts'
import { entities, Plant, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, serve, type Json } from './helper.ts'

const VISIBLE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]
const plants = (pagination?: PaginationOptions) =>
  resource(Plant, {
    allowedFilters: [{ id: ['eq', 'in'] }, 'name', 'status'],
    allowedSorts: ['position', 'price', 'status', 'group.name', 'inStock'],
    allowedIncludes: ['tags'],
    ...(pagination && { pagination }),
  })

/** A page without its items. */
const info = ({ items, ...rest }: Json) => rest
const keys = ({ items }: Json): number[] => items.map(({ id }: Json) => id)

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': plants(),
    '/small': plants({ defaultPerPage: 2, maxPerPage: 5, maxOffset: 6 }),
    '/uncounted': plants({ count: 'none', defaultPerPage: 4 }),
    '/planned': plants({ count: 'planned', defaultPerPage: 4 }),
    '/bounded': plants({ count: { upTo: 5 }, defaultPerPage: 2 }),
    '/choice': plants({ countParameter: true, defaultPerPage: 4 }),
    '/chosen-bound': plants({ countParameter: true, count: { upTo: 5 } }),
    '/chosen-plan': plants({ countParameter: true, count: 'planned' }),
    '/tags': resource(Tag),
  })
  const { get, refused, details } = client(app, '/plants')
  const uncounted = client(app, '/uncounted')

  t.test('without parameters, a list is page 1 with 20 records', async (t) => {
    const page = await get()
    t.strictSame(info(page), { total: 13, page: 1, per_page: 20, total_pages: 1, has_next: false, has_prev: false })
    t.strictSame(Object.keys(page), ['items', 'total', 'page', 'per_page', 'total_pages', 'has_next', 'has_prev'])
  })

  t.test('page and per_page choose the page', async (t) => {
    for (const [query, expected, ids] of [
      ['per_page=5', { total: 13, page: 1, per_page: 5, total_pages: 3, has_next: true, has_prev: false }, [
        1, 2, 3, 4, 5,
      ]],
      ['per_page=5&page=2', { total: 13, page: 2, per_page: 5, total_pages: 3, has_next: true, has_prev: true }, [
        6, 7, 8, 9, 10,
      ]],
      ['page=3&per_page=5', { total: 13, page: 3, per_page: 5, total_pages: 3, has_next: false, has_prev: true }, [
        12, 13, 14,
      ]],
      ['page=1', { total: 13, page: 1, per_page: 20, total_pages: 1, has_next: false, has_prev: false }, VISIBLE],
      ['per_page=13', { total: 13, page: 1, per_page: 13, total_pages: 1, has_next: false, has_prev: false }, VISIBLE],
      ['per_page=12&page=2', { total: 13, page: 2, per_page: 12, total_pages: 2, has_next: false, has_prev: true }, [
        14,
      ]],
      [
        'per_page=100', { total: 13, page: 1, per_page: 100, total_pages: 1, has_next: false, has_prev: false },
        VISIBLE,
      ],
      ['per_page=005&page=01', { total: 13, page: 1, per_page: 5, total_pages: 3, has_next: true, has_prev: false }, [
        1, 2, 3, 4, 5,
      ]],
    ] as const) {
      const page = await get(query)
      t.strictSame([info(page), keys(page)], [expected, ids], query)
    }
  })

  t.test('limit and offset choose the window', async (t) => {
    for (const [query, expected, ids] of [
      ['limit=5', { total: 13, limit: 5, offset: 0, has_next: true, has_prev: false }, [1, 2, 3, 4, 5]],
      ['limit=5&offset=3', { total: 13, limit: 5, offset: 3, has_next: true, has_prev: true }, [4, 5, 6, 7, 8]],
      ['limit=3&offset=10', { total: 13, limit: 3, offset: 10, has_next: false, has_prev: true }, [12, 13, 14]],
      ['offset=12', { total: 13, limit: 20, offset: 12, has_next: false, has_prev: true }, [14]],
      ['offset=0', { total: 13, limit: 20, offset: 0, has_next: false, has_prev: false }, VISIBLE],
      ['limit=1&offset=11', { total: 13, limit: 1, offset: 11, has_next: true, has_prev: true }, [13]],
    ] as const) {
      const page = await get(query)
      t.strictSame([info(page), keys(page)], [expected, ids], query)
    }
  })

  t.test('a page past the end is empty', async (t) => {
    t.strictSame(await get('page=2'), {
      items: [], total: 13, page: 2, per_page: 20, total_pages: 1, has_next: false, has_prev: true,
    })
    t.strictSame(await get('page=1000&per_page=100'), {
      items: [], total: 13, page: 1000, per_page: 100, total_pages: 1, has_next: false, has_prev: true,
    })
    t.strictSame(await get('offset=13'), {
      items: [], total: 13, limit: 20, offset: 13, has_next: false, has_prev: true,
    })
    t.strictSame(await get('offset=100000&limit=1'), {
      items: [], total: 13, limit: 1, offset: 100000, has_next: false, has_prev: true,
    })
  })

  t.test('a list without records has no pages', async (t) => {
    t.strictSame(await get('filter[name]=Nothing'), {
      items: [], total: 0, page: 1, per_page: 20, total_pages: 0, has_next: false, has_prev: false,
    })
    t.strictSame(await get('filter[name]=Nothing&page=3'), {
      items: [], total: 0, page: 3, per_page: 20, total_pages: 0, has_next: false, has_prev: false,
    })
    t.strictSame(await get('filter[name]=Nothing&offset=3'), {
      items: [], total: 0, limit: 20, offset: 3, has_next: false, has_prev: false,
    })
  })

  t.test('walking all pages visits each record once, also if sorted values are equal or null', async (t) => {
    for (const path of ['/plants', '/uncounted']) {
      for (const sort of [
        '', 'position', '-position', 'price', '-price', 'status', '-status', 'group.name', '-group.name',
        'inStock,-price',
      ]) {
        for (const size of [2, 5, 13]) {
          const whole = keys(await client(app, path).get(`sort=${sort}&per_page=100`))
          const [pages, offsets]: [number[], number[]] = [[], []]
          for (let page = 1, more = true; more; page++) {
            const answer = await client(app, path).get(`sort=${sort}&per_page=${size}&page=${page}`)
            pages.push(...keys(answer))
            more = answer.has_next
          }
          for (let offset = 0, more = true; more; offset += size) {
            const answer = await client(app, path).get(`sort=${sort}&limit=${size}&offset=${offset}&include=tags`)
            offsets.push(...keys(answer))
            more = answer.has_next
          }
          if (
            whole.toSorted((a, b) => a - b).join() !== VISIBLE.join() || pages.join() !== whole.join() ||
            offsets.join() !== whole.join()
          ) {
            t.fail(`${path} sort=${sort} by ${size}: ${whole} / ${pages} / ${offsets}`)
          }
        }
      }
      t.pass(path)
    }
  })

  t.test('without a count, totals are null and has_next stays correct', async (t) => {
    t.strictSame(info(await uncounted.get()), {
      total: null, page: 1, per_page: 4, total_pages: null, has_next: true, has_prev: false,
    })
    for (const [query, count, hasNext] of [
      ['page=3', 4, true], ['page=4', 1, false], ['per_page=13', 13, false], ['per_page=12', 12, true],
      ['limit=12&offset=1', 12, false], ['limit=12', 12, true], ['page=5', 0, false],
    ] as const) {
      const page = await uncounted.get(query)
      t.match(page, { total: null, has_next: hasNext }, query)
      t.equal(page.items.length, count, query)
    }
    t.strictSame(await uncounted.get('page=9'), {
      items: [], total: null, page: 9, per_page: 4, total_pages: null, has_next: false, has_prev: true,
    })
    t.strictSame(await uncounted.get('offset=20'), {
      items: [], total: null, limit: 4, offset: 20, has_next: false, has_prev: true,
    })
  })

  t.test('a request may leave the total out where the whitelist says so, and never asks for more', async (t) => {
    const choice = client(app, '/choice')
    const recorder = await recordStatements(orm, t)
    const uncountedPage = { total: null, page: 1, per_page: 4, total_pages: null, has_next: true, has_prev: false }
    const exactPage = { ...uncountedPage, total: 13, total_pages: 4 }
    // in both orders, so that neither answer is made by the statement that was kept for the other
    for (const [query, expected] of [
      ['count=none', uncountedPage], ['count=exact', exactPage], ['', exactPage], ['count=none', uncountedPage],
    ] as const) {
      t.strictSame(info(await choice.get(query)), expected, query)
      const texts = recorder.texts()
      t.equal(texts.length, 1, 'one statement')
      t.equal(texts[0]!.includes('(select count(*) from'), expected.total !== null, 'which counts only if asked')
    }
    t.strictSame(info(await choice.get('count=none&limit=13')), {
      total: null, limit: 13, offset: 0, has_next: false, has_prev: false,
    })
    t.strictSame(info(await client(app, '/chosen-bound').get('count=none')), {
      total: null, page: 1, per_page: 20, total_pages: null, has_next: false, has_prev: false,
    })
    t.equal((await client(app, '/chosen-bound').get()).total_is_minimum, true)
    t.equal((await client(app, '/chosen-plan').get('count=none&per_page=2')).total, null)
    for (const [path, query, detail] of [
      ['/choice', 'count=planned', 'count must be none or exact.'],
      ['/choice', 'count=', 'count must be none or exact.'],
      ['/choice', 'count=none&count=none', 'count is given more than once.'],
      ['/choice', 'count[]=none', 'count takes one value and no brackets.'],
      ['/choice', 'cursor=&count=none', "Pages by cursor have no total: leave 'count' out."],
      ['/choice', 'count=exact&cursor=', "Pages by cursor have no total: leave 'count' out."],
      ['/choice', 'withTotal=1', /^There is no parameter 'withTotal'. Did you mean 'count'\?/],
      ['/plants', 'withTotal=1', /^There is no parameter 'withTotal'. Allowed: cursor, filter/],
      ['/plants', 'count=none', "'count' is not enabled for this list."],
      ['/uncounted', 'count=none', "'count' is not enabled for this list."],
      ['/chosen-bound', 'count=exact', "'exact' would count more than this list does. Allowed: none."],
      ['/chosen-plan', 'count=exact', "'exact' would count more than this list does. Allowed: none."],
    ] as const) {
      t.match(await client(app, path).details(query), [detail], `${path} ${query}`)
    }
    t.match((await choice.refused('count=all')).errors, [{
      source: { parameter: 'count' }, code: 'FST_CRUD_PAGINATION_INVALID', allowed: ['none', 'exact'],
    }])
    t.match(await client(app, '/choice/1').details('count=none'), [/single record/])
  })

  t.test('with a planned count, the total is an estimate unless the page determines it', async (t) => {
    await orm.em.getConnection().execute('analyze plant')
    const planned = client(app, '/planned')
    const recorder = await recordStatements(orm, t)
    for (const [query, total, hasNext] of [
      ['page=4', 13, false], ['per_page=13', 13, false], ['per_page=100', 13, false],
      ['filter[name]=Nothing', 0, false], ['limit=5&offset=9', 13, false],
    ] as const) {
      t.match(await planned.get(query), { total, has_next: hasNext }, query)
      t.equal(recorder.take().length, 1, query)
    }
    for (const query of [
      '', 'page=2', 'per_page=12', 'limit=3&offset=2', 'filter[status]=active&per_page=1', 'include=tags&sort=-price',
      'page=3',
    ]) {
      const page = await planned.get(query)
      const statements = recorder.take()
      t.equal(statements.length, 2, query)
      t.match(statements[1]!.sql, /^explain \(format json\) select 1 from "plant"/)
      const first = page.offset ?? (page.page - 1) * page.per_page
      t.ok(Number.isInteger(page.total) && page.total > first + page.items.length - 1 && page.total <= 100,
        `${query}: ${page.total}`)
      t.equal(page.has_next, first + page.items.length < (query.startsWith('filter') ? 8 : 13), query)
      if (page.has_next) t.ok(page.total > first + page.items.length, 'the next row counts')
    }
    const past = await planned.get('page=9')
    t.match(past, { items: [], has_next: false, has_prev: true })
    t.ok(past.total <= 32, 'there is nothing where an empty page begins')
    t.strictSame(Object.keys(await planned.get('page=2')), [
      'items', 'total', 'page', 'per_page', 'total_pages', 'has_next', 'has_prev',
    ])
  })

  t.test('a bounded count is exact up to the bound, and says when there are more records', async (t) => {
    const bounded = client(app, '/bounded')
    const recorder = await recordStatements(orm, t)
    for (const [query, total, isMinimum, hasNext] of [
      // 13 records
      ['', 5, true, true],
      ['page=6', 5, true, true],
      ['page=7', 5, true, false],
      ['page=8', 5, true, false],
      ['per_page=5', 5, true, true],
      ['per_page=100', 5, true, false],
      ['limit=3&offset=9', 5, true, true],
      ['limit=3&offset=10', 5, true, false],
      ['include=tags&sort=-price', 5, true, true],
      ['filter[id][in]=1,2,3,4,5', 5, false, true],
      ['filter[id][in]=1,2,3,4,5&page=3', 5, false, false],
      ['filter[id][in]=1,2,3,4,5&page=4', 5, false, false],
      ['filter[id][in]=1,2,3,4,5,6', 5, true, true],
      ['filter[id][in]=1,2,3,4', 4, false, true],
      ['filter[id][in]=1,2', 2, false, false],
      ['filter[name]=Nothing', 0, false, false],
    ] as const) {
      const page = await bounded.get(query)
      t.match(page, { total, total_is_minimum: isMinimum, has_next: hasNext }, query)
      if (page.per_page !== undefined) t.equal(page.total_pages, Math.ceil(total / page.per_page), query)
      t.equal(recorder.take().length, 1, query)
    }
    const page = await bounded.get('page=2')
    t.strictSame(keys(page), VISIBLE.slice(2, 4))
    t.strictSame(Object.keys(page), [
      'items', 'total', 'total_is_minimum', 'page', 'per_page', 'total_pages', 'has_next', 'has_prev',
    ])
    t.strictSame(Object.keys(await bounded.get('limit=2')), [
      'items', 'total', 'total_is_minimum', 'limit', 'offset', 'has_next', 'has_prev',
    ])
    t.notHas(await bounded.get('cursor='), { total_is_minimum: true })
    t.notHas(await get(), { total_is_minimum: false }, 'an exact total says nothing about it')
  })

  t.test('a bounded count reads no more rows than its bound and one', async (t) => {
    const recorder = await recordStatements(orm, t)
    await client(app, '/bounded').get('page=2')
    t.match(recorder.take()[0]!.sql, /\(select count\(\*\) from \(select from "plant" .* limit 6\) as "@counted"\)/)
  })

  t.test('a size above the maximum is an error that names it', async (t) => {
    t.match(await refused('per_page=101'), {
      code: 'FST_CRUD_PAGINATION_INVALID',
      errors: [{ source: { parameter: 'per_page' }, detail: /at most 100/ }],
    })
    t.match(await refused('limit=101'), { errors: [{ source: { parameter: 'limit' }, detail: /at most 100/ }] })
    t.match(await refused('page=1002&per_page=100'), {
      errors: [{ source: { parameter: 'page' }, detail: /At most 100000 rows can be skipped/ }],
    })
    t.match(await refused('offset=100001'), {
      errors: [{ source: { parameter: 'offset' }, detail: /At most 100000 rows/ }],
    })
    t.equal((await get('page=1001&per_page=100')).page, 1001)
  })

  t.test('a resource may have its own sizes', async (t) => {
    const small = client(app, '/small')
    t.match(await small.get(), { per_page: 2, items: { length: 2 } })
    t.match(await small.get('offset=1'), { limit: 2, items: { length: 2 } })
    t.match(await small.details('per_page=6'), [/at most 5/])
    t.match(await small.details('page=5'), [/At most 6 rows/])
    t.strictSame(keys(await small.get('page=4')), [7, 8])
    t.match(await small.details('offset=7'), [/At most 6 rows/])
  })

  t.test('a value that is not an allowed number is an error', async (t) => {
    for (const name of ['page', 'per_page', 'limit', 'offset']) {
      for (const value of [
        '', '-1', '+1', '1.0', '1e1', '0x1', ' 1', '1 ', 'a', 'null', '1,2', '١', '１', 'Infinity', 'NaN',
        ...name === 'offset' ? [] : ['0', '00'],
      ]) {
        t.match(await refused(`${name}=${encodeURIComponent(value)}`), {
          code: 'FST_CRUD_PAGINATION_INVALID',
          errors: [{ source: { parameter: name }, detail: /must be a whole number/ }],
        }, `${name}=${value}`)
      }
      const most = ['per_page', 'limit'].includes(name) ? `'${name}' is at most 100.` : /^At most 100000 rows/
      t.match(await details(`${name}=99999999999999999999`), [most], name)
    }
    t.match(await details('page=9007199254740991&per_page=100'), [/rows can be skipped/])
  })

  t.test('mixing two styles, repeating a parameter, and brackets on one are errors', async (t) => {
    for (const query of [
      'page=1&limit=1', 'per_page=1&offset=0', 'limit=1&page=1', 'page=1&per_page=1&limit=1&offset=0', 'cursor=&page=1',
      'cursor=&limit=1',
    ]) {
      t.match((await details(query))[0], /Use either page and per_page, or limit and offset, or cursor and per_page/,
        query)
    }
    for (const name of ['page', 'per_page', 'limit', 'offset']) {
      t.strictSame(await details(`${name}=1&${name}=1&${name}=1`), [`${name} is given more than once.`], name)
      t.match(await details(`${name}[]=1`), [/takes one value and no brackets/], name)
      t.match(await details(`${name}[x]=1`), [/takes one value and no brackets/], name)
    }
  })

  t.test('the route of one record takes no pagination, filters or sorts', async (t) => {
    for (const [query, code] of [
      ['page=1', 'PAGINATION'], ['per_page=1', 'PAGINATION'], ['limit=1', 'PAGINATION'], ['offset=0', 'PAGINATION'],
      ['filter[name]=x', 'FILTER'], ['sort=price', 'SORT'],
    ]) {
      t.match(await client(app, '/plants/1').refused(query!), {
        code: `FST_CRUD_${code}_INVALID`,
        errors: [{ detail: /A single record takes no filters, sorts or pagination/, allowed: ['fields', 'include'] }],
      }, query!)
    }
  })
})
