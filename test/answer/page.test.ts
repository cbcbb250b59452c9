import t from 'tap'
import { pageInfo, pageJson, plannedTotal, totalOfPage } from '../../src/answer/index.ts'

type Window = Parameters<typeof pageInfo>[0]
const page = (offset: number, limit: number): Window => ({ style: 'page', offset, limit, count: 'exact' })
const offset = (offset: number, limit: number): Window => ({ style: 'offset', offset, limit, count: 'exact' })

t.test('an answer consists of the items as the database wrote them, and the page', async (t) => {
  t.equal(pageJson('[{"id" : 1}]', pageInfo(offset(0, 5), { fetched: 1, total: 1 })),
    '{"items":[{"id" : 1}],"total":1,"limit":5,"offset":0,"has_next":false,"has_prev":false}')
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
  t.equal(plannedTotal(page(10, 5), { fetched: 6 }, { 'QUERY PLAN': JSON.stringify(explained(300)['QUERY PLAN']) }),
    300)
  t.equal(plannedTotal(page(10, 5), { fetched: 0 }, explained(300)), 10, 'an empty page is past the end')
  t.match(pageInfo({ ...page(0, 5), count: 'planned' }, { fetched: 5, total: 300 }), { has_next: false, total: 300 })
})
