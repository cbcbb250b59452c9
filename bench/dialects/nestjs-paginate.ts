/**
 * The dialect of nestjs-paginate for lists. The other routes are TypeORM's repository behind a controller, as most
 * applications would write them.
 */
import { PER_PAGE } from '../amounts.ts'
import type { Call, CommonCall } from '../calls.ts'
import { comparable, type Answer, type Core, type Dialect, type Json, type HttpRequest } from './dialect.ts'

const SORT = 'sortBy=created_at:DESC&sortBy=id:ASC'

export const nestjsPaginate: Dialect = {
  request,
  core,
  largestPage: 1_000,
  nextCursor: ({ body }) =>
    body.links.next === undefined ? '' : new URL(body.links.next, 'http://localhost').searchParams.get('cursor') ?? '',
}

function request (call: CommonCall): HttpRequest {
  const list = (rest: string, route = ''): HttpRequest => ({
    method: 'GET',
    path: `/categories${route}?${SORT}&${rest}`,
  })
  switch (call.kind) {
    case 'list':
      return list(
        `filter.status=$eq:active&filter.price=$gte:${call.minPrice}&page=${call.page}&limit=${PER_PAGE}`,
        call.include ? '/with-products' : ''
      )
    case 'get':
      return { method: 'GET', path: `/categories/${call.id}` }
    case 'search':
      return list(`filter.name=$ilike:${encodeURIComponent(call.text)}&page=${call.page}&limit=${PER_PAGE}`)
    case 'offset':
      return list(`page=${call.offset / PER_PAGE + 1}&limit=${PER_PAGE}`)
    case 'cursor':
      return list(
        `limit=${call.perPage}${call.cursor === '' ? '' : `&cursor=${encodeURIComponent(call.cursor)}`}`,
        '/by-cursor'
      )
    case 'create':
      return { method: 'POST', path: '/categories', body: call.record }
    case 'createMany':
      return { method: 'POST', path: '/categories/at-once', body: call.records }
    case 'update':
      return { method: 'PATCH', path: `/categories/${call.id}`, body: call.changes }
  }
}

function core (call: Call, { body }: Answer): Core {
  switch (call.kind) {
    case 'list':
    case 'search':
    case 'offset':
      return { items: body.data.map(record), total: body.meta.totalItems }
    case 'cursor':
      return { items: body.data.map(record) }
    case 'createMany':
      return { items: body.map((item: Json) => comparable(call, record(item))) }
    default:
      return { items: [comparable(call, record(body))] }
  }
}

/** Converts a record: TypeORM returns decimals as strings, and joined rows in no defined order. */
function record ({ price, category_id: category, products, ...rest }: Json): Json {
  return {
    ...rest,
    price: Number(price),
    ...(category !== undefined && { category }),
    ...(products !== undefined && { products: products.map(record).sort((a: Json, b: Json) => a.id - b.id) }),
  }
}
