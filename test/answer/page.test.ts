import t from 'tap'
import { pageInfo, pageJson, plannedTotal, totalOfPage } from '../../src/answer/index.ts'

type Window = Parameters<typeof pageInfo>[0]
const page = (offset: number, limit: number): Window => ({ style: 'page', offset, limit, count: 'exact' })
const offset = (offset: number, limit: number): Window => ({ style: 'offset', offset, limit, count: 'exact' })

t.test('a page has its position and whether other pages exist', async (t) => {
  const cases: ReadonlyArray<
    readonly [what: string, window: Window, fetched: number, total: number | null, info: object]
  > = [
    ['nothing at all', page(0, 20), 0, 0, {
      total: 0, page: 1, per_page: 20, total_pages: 0, has_next: false, has_prev: false,
    }],
    ['the only page', page(0, 20), 7, 7, {
      total: 7, page: 1, per_page: 20, total_pages: 1, has_next: false, has_prev: false,
    }],
    ['a full only page', page(0, 20), 20, 20, {
      total: 20, page: 1, per_page: 20, total_pages: 1, has_next: false, has_prev: false,
    }],
    ['the first of several', page(0, 20), 20, 21, {
      total: 21, page: 1, per_page: 20, total_pages: 2, has_next: true, has_prev: false,
    }],
    ['one in the middle', page(20, 20), 20, 41, {
      total: 41, page: 2, per_page: 20, total_pages: 3, has_next: true, has_prev: true,
    }],
    ['the last', page(40, 20), 1, 41, {
      total: 41, page: 3, per_page: 20, total_pages: 3, has_next: false, has_prev: true,
    }],
    ['past the end', page(60, 20), 0, 41, {
      total: 41, page: 4, per_page: 20, total_pages: 3, has_next: false, has_prev: true,
    }],
    ['past the end of nothing', page(20, 20), 0, 0, {
      total: 0, page: 2, per_page: 20, total_pages: 0, has_next: false, has_prev: false,
    }],
    ['without a total, the last', page(20, 20), 20, null, {
      total: null, page: 2, per_page: 20, total_pages: null, has_next: false, has_prev: true,
    }],
    ['without a total, one that is followed', page(0, 20), 21, null, {
      total: null, page: 1, per_page: 20, total_pages: null, has_next: true, has_prev: false,
    }],
    ['by offset, nothing', offset(0, 5), 0, 0, { total: 0, limit: 5, offset: 0, has_next: false, has_prev: false }],
    ['by offset, the middle', offset(3, 5), 5, 10, { total: 10, limit: 5, offset: 3, has_next: true, has_prev: true }],
    ['by offset, the end', offset(5, 5), 5, 10, { total: 10, limit: 5, offset: 5, has_next: false, has_prev: true }],
    ['by offset, past the end', offset(50, 5), 0, 10, {
      total: 10, limit: 5, offset: 50, has_next: false, has_prev: true,
    }],
    ['by offset, without a total', offset(3, 5), 6, null, {
      total: null, limit: 5, offset: 3, has_next: true, has_prev: true,
    }],
  ]
  for (const [what, window, fetched, total, info] of cases) {
    t.strictSame(pageInfo(window, { fetched, total }), info, what)
    t.strictSame(
      pageInfo(window, { fetched: String(fetched), total: total === null ? null : String(total) }),
      info,
      `${what}, numbers as the driver has them`
    )
  }
})

t.test('an answer consists of the items as the database wrote them, and the page', async (t) => {
  t.equal(
    pageJson('[{"id" : 1}]', pageInfo(offset(0, 5), { fetched: 1, total: 1 })),
    '{"items":[{"id" : 1}],"total":1,"limit":5,"offset":0,"has_next":false,"has_prev":false}'
  )
})

t.test('a planned total of a distributed table is that of its tasks', async (t) => {
  const distributed = (tasks: number, ...rows: readonly number[]) => ({
    'QUERY PLAN': [{
      Plan: {
        'Plan Rows': 100_000,
        'Distributed Query': {
          Job: {
            'Task Count': tasks,
            Tasks: rows.map((count) => ({ 'Remote Plan': [[{ Plan: { 'Plan Rows': count } }]] })),
          },
        },
      },
    }],
  })
  t.equal(plannedTotal(page(0, 5), { fetched: 6 }, distributed(32, 40)), 1280, 'one of 32 tasks is shown')
  t.equal(plannedTotal(page(0, 5), { fetched: 6 }, distributed(2, 40, 60)), 100, 'all tasks are shown')
  t.equal(plannedTotal(page(0, 5), { fetched: 6 }, distributed(0)), 6, 'at least the rows there are')
})

t.test('a planned total comes from the page, or is an estimate within its bounds', async (t) => {
  const explained = (rows: number) => ({ 'QUERY PLAN': [{ Plan: { 'Plan Rows': rows } }] })
  t.strictSame(
    [[0, 0], [0, 5], [10, 5], [0, 3], [10, 0], [0, 6]].map(([at, fetched]) => totalOfPage(page(at!, 5), { fetched })),
    [0, 5, 15, 3, undefined, undefined]
  )
  t.equal(plannedTotal(page(10, 5), { fetched: '6' }, explained(3)), 16, 'at least the rows there are')
  t.equal(
    plannedTotal(page(10, 5), { fetched: 6 }, { 'QUERY PLAN': JSON.stringify(explained(300)['QUERY PLAN']) }),
    300
  )
  t.equal(plannedTotal(page(10, 5), { fetched: 0 }, explained(300)), 10, 'an empty page is past the end')
  t.match(pageInfo({ ...page(0, 5), count: 'planned' }, { fetched: 5, total: 300 }), { has_next: false, total: 300 })
})
