/**
 * The dialect of Platformatic: operators after dots, and the total in a header. It has no includes and cannot create
 * many records at once, so its server has additional routes for them.
 */
import { PER_PAGE } from '../amounts.ts'
import type { Call, CommonCall } from '../calls.ts'
import { comparable, type Answer, type Core, type Dialect, type Json, type HttpRequest } from './dialect.ts'

const LIVE = 'where.deletedAt.isNull=true'
const SORT = 'orderby.createdAt=desc&orderby.id=asc'

export const platformatic: Dialect = {
  request,
  core,
  nextCursor: ({ headers }) => headers.get('x-start-after') ?? '',
}

function request (call: CommonCall): HttpRequest {
  const list = (rest: string): HttpRequest => ({ method: 'GET', path: `/categories?${LIVE}&${SORT}&${rest}` })
  const window = (page: number) => `limit=${PER_PAGE}&offset=${(page - 1) * PER_PAGE}&totalCount=true`
  switch (call.kind) {
    case 'list':
      return call.include
        ? {
            method: 'GET',
            path: `/categories-with-products?minPrice=${call.minPrice}&limit=${PER_PAGE}&offset=${
            (call.page - 1) * PER_PAGE
          }`,
          }
        : list(`where.status.eq=active&where.price.gte=${call.minPrice}&${window(call.page)}`)
    case 'get':
      return { method: 'GET', path: `/categories/${call.id}` }
    case 'search':
      return list(`where.name.ilike=${encodeURIComponent(`%${call.text}%`)}&${window(call.page)}`)
    case 'offset':
      return list(`limit=${PER_PAGE}&offset=${call.offset}&totalCount=true`)
    case 'cursor':
      return list(
        `limit=${call.perPage}&cursor=true${call.cursor === '' ? '' : `&startAfter=${encodeURIComponent(call.cursor)}`}`
      )
    case 'create':
      return { method: 'POST', path: '/categories', body: call.record }
    case 'createMany':
      return { method: 'POST', path: '/categories-at-once', body: call.records }
    case 'update':
      return { method: 'PATCH', path: `/categories/${call.id}`, body: call.changes }
  }
}

function core (call: Call, { headers, body }: Answer): Core {
  switch (call.kind) {
    case 'list':
      return call.include
        ? {
            items: body.items.map((item: Json) => ({ ...record(item), products: item.products.map(record) })),
            total: body.total,
          }
        : { items: body.map(record), total: Number(headers.get('x-total-count')) }
    case 'search':
    case 'offset':
      return { items: body.map(record), total: Number(headers.get('x-total-count')) }
    case 'cursor':
      return { items: body.map(record) }
    case 'createMany':
      return { items: body.map((item: Json) => comparable(call, record(item))) }
    default:
      return { items: [comparable(call, record(body))] }
  }
}

/** Converts a record, whose keys and decimals are strings. */
function record ({ id, createdAt, updatedAt, deletedAt, categoryId, products, price, ...rest }: Json) {
  const time = (value: string | null) => value === null ? null : new Date(value).toJSON()
  return {
    ...rest,
    id: Number(id),
    price: Number(price),
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    deleted_at: time(deletedAt),
    ...(categoryId !== undefined && { category: Number(categoryId) }),
  }
}
