import t from 'tap'

import {
  FilterValidationError, IncludeValidationError, PaginationValidationError, QueryValidationError, SortValidationError,
  type RequestError,
} from '../../src/base/errors.ts'
import { planCount, planGet, planList } from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { conditionsOf, errorsOf, orderOf, planOf, selectionOf, whitelistOf } from './helper.ts'
import { type Names } from '../helpers/resource.ts'

const options: Names = {
  allowedFilters: [{ name: ['eq', 'in', 'like'], price: ['gte'] }], allowedSorts: ['name', 'price'],
  allowedFields: ['id', 'name', 'tags.name'], allowedIncludes: ['tags'], defaultSort: ['-price'],
}
const strict = whitelistOf(options)
const lenient = whitelistOf({ ...options, ignoreInvalidErrors: true })
const codes = (query: string, whitelist = strict) =>
  errorsOf(query, whitelist).map(({ code }) => code.replace(/^FST_CRUD_|_INVALID$/g, ''))

/** The error that a function throws. */
function thrownBy (fn: () => unknown): unknown {
  try {
    fn()
  } catch (error) {
    return error
  }
}

t.test('all errors of a request are thrown at once, by kind', async (t) => {
  const query = 'page=0&include=x&fields=y&sort=z&filter[a]=1&perPage=3&filter[price]=x&sort=w'
  t.strictSame(codes(query), ['FILTER', 'FILTER', 'SORT', 'SORT', 'FIELD', 'INCLUDE', 'PAGINATION', 'QUERY'])
  t.ok(thrownBy(() => planOf(query, strict)) instanceof FilterValidationError)
  t.ok(thrownBy(() => planOf('sort=z&include=x', strict)) instanceof SortValidationError)
  t.ok(thrownBy(() => planOf('include=x&per_page=1000', strict)) instanceof IncludeValidationError)
  t.ok(thrownBy(() => planOf('per_page=1000&perPage=1', strict)) instanceof PaginationValidationError)
  t.ok(thrownBy(() => planOf('perPage=1', strict)) instanceof QueryValidationError)
})

t.test('errors of the parser are thrown with the rest, without internal members', async (t) => {
  t.strictSame(codes('filter[=1&filter[a][b][c]=2&sort=,'), ['FILTER', 'FILTER', 'SORT'])
  for (const error of errorsOf('filter[a][b][c]=2&filter[name][like]=' + '_'.repeat(9), strict)) {
    t.notOk('limit' in error)
  }
})

t.test('ignoreInvalidErrors drops what is invalid and applies the rest', async (t) => {
  const plan = planOf(
    'filter[name]=x&filter[a]=1&filter[price]=cheap&filter[name][gt]=1&filter[=2&filter[price][gte]=5' +
      '&sort=z,name,name&fields=id,y&include=tags,x&fields[tags]=weight&fields[q]=1',
    lenient
  )
  t.strictSame(conditionsOf(plan), ['name = "x"', 'price >= "5"'])
  t.strictSame(orderOf(plan), ['name', 'id'])
  t.strictSame(selectionOf(plan.selection), ['id', { tags: ['id', 'deleted_at', 'name', 'weight'] }])
})

t.test('if all items of a list are ignored, its default applies', async (t) => {
  t.strictSame(orderOf(planOf('sort=z', lenient)), ['price desc', 'id'])
  t.equal(selectionOf(planOf('fields=y', lenient).selection).length, 18)
  t.strictSame(conditionsOf(planOf('filter[price]=1&filter[price]=2', lenient)), [],
    'a filter is dropped, not made into another one')
  t.strictSame(conditionsOf(planOf('filter[name][in]=a,,b', lenient)), [])
})

t.test('pagination, mistakes of the whole query and limits are never ignored', async (t) => {
  const kept: ReadonlyArray<readonly [query: string, code: string]> = [
    ['page=0', 'PAGINATION'],
    ['per_page=1000', 'PAGINATION'],
    ['page=1&limit=2', 'PAGINATION'],
    ['page=1&page=2', 'PAGINATION'],
    ['offset=100001', 'PAGINATION'],
    ['cursor=x', 'PAGINATION'],
    ['perPage=3', 'QUERY'],
    ['a='.padEnd(9000, 'x'), 'QUERY'],
    ['filter[a][b][c]=1', 'FILTER'],
    ['filter[__proto__]=1', 'FILTER'],
    [`filter[name][like]=${'_'.repeat(9)}`, 'FILTER'],
    [`filter[name][like]=${'a'.repeat(257)}`, 'FILTER'],
    [`filter[name][in]=${Array(101).fill(1)}`, 'FILTER'],
    [Array(101).fill('filter[name][in]=1').join('&'), 'QUERY'],
    ['include=a.b.c.d', 'INCLUDE'],
    [`include=${Array.from({ length: 11 }, (_, index) => `x${index}`)}`, 'INCLUDE'],
  ]
  for (const [query, code] of kept) {
    t.strictSame(codes(`${query}&sort=z`, lenient), [code], query.slice(0, 40))
  }
})

t.test('a count has the conditions of the list, and refuses the same parameters', async (t) => {
  const plan = planCount(parseQueryParams('filter[name]=x&sort=name&include=tags&page=3'), strict, {
    includeDeleted: true,
  })
  t.match(plan, { kind: 'count', deleted: 'with', conditions: [{ kind: 'compare' }] })
  t.notOk('selection' in plan)
  t.ok(thrownBy(() => planCount(parseQueryParams('sort=z'), strict)) instanceof SortValidationError)
})

t.test('deleted rows are left out unless they are requested', async (t) => {
  t.equal(planList(parseQueryParams(''), strict).deleted, 'without')
  t.equal(planList(parseQueryParams(''), strict, { includeDeleted: true }).deleted, 'with')
  t.equal(planGet(1, undefined, strict, { includeDeleted: true })?.deleted, 'with')
})

t.test('one record takes only fields and includes', async (t) => {
  const plan = planGet(1, parseQueryParams('fields=id&include=tags'), strict)
  t.strictSame(selectionOf(plan!.selection), ['id', { tags: ['id', 'deleted_at', 'name', 'weight'] }])
  const detail = 'A single record takes no filters, sorts or pagination. Allowed: fields, include.'
  const item = (code: string, parameter: string) => ({
    source: { parameter }, code: `FST_CRUD_${code}_INVALID`, detail, allowed: ['fields', 'include'],
  })
  const refused = thrownBy(() =>
    planGet(1, parseQueryParams('filter[name]=x&sort=name&page=1&per_page=2'), strict)
  ) as RequestError
  t.strictSame(refused.errors, [
    item('FILTER', 'filter[name]'), item('SORT', 'sort'), item('PAGINATION', 'page'), item('PAGINATION', 'per_page'),
  ])
  t.throws(() => planGet('x', parseQueryParams('fields=q'), strict), { code: 'FST_CRUD_FIELD_INVALID' },
    'even where no record can have the key')
})
