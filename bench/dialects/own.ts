/** The query language of fastify-crud-kit. The hand-written routes use it as well. */
import { PER_PAGE } from '../amounts.ts'
import type { Call } from '../calls.ts'
import { comparable, type Answer, type Core, type Dialect, type HttpRequest } from './dialect.ts'

export const own: Dialect = { own: true, request, core, nextCursor: ({ body }) => body.next_cursor }

const SORT = 'sort=-created_at'
const page = ({ page }: { readonly page: number }) => `page=${page}&per_page=${PER_PAGE}`
const filtered = ({ minPrice }: { readonly minPrice: number }) =>
  `filter[status]=active&filter[price][gte]=${minPrice}`

function request (call: Call): HttpRequest {
  const get = (rest: string): HttpRequest => ({ method: 'GET', path: `/categories${rest}` })
  switch (call.kind) {
    case 'list':
      return get(`?${filtered(call)}&${SORT}&${page(call)}${call.include ? '&include=products' : ''}`)
    case 'either':
      return get(
        `?filter[status]=active&filter[or][0][price][gte]=${call.minPrice}&` +
        `filter[or][1][price][lte]=${call.maxPrice}&${SORT}&${page(call)}`
      )
    case 'facets':
      return get(`?${filtered(call)}&${SORT}&${page({ page: 1 })}&facets=status,name,created_at`)
    case 'numbers':
      return get(`?${filtered(call)}&${SORT}&${page(call)}&include=productsCount,productsPriceMax`)
    case 'byNumber':
      return get(`?${filtered(call)}&filter[productsCount][gte]=${call.least}&sort=-productsPriceMax&${page(call)}`)
    case 'groups':
      return get(
        `/aggregate?filter[price][gte]=${call.minPrice}&group=status&aggregate=count,price.sum,price.avg&` +
        page({ page: 1 })
      )
    case 'get':
      return get(`/${call.id}`)
    case 'search':
      return get(`?filter[name]=${encodeURIComponent(call.text)}&${SORT}&${page(call)}`)
    case 'words':
      return { method: 'GET', path: `/articles?filter[q]=${encodeURIComponent(call.text)}&sort=-q&${page(call)}` }
    case 'offset':
      return get(`?${SORT}&limit=${PER_PAGE}&offset=${call.offset}`)
    case 'cursor':
      return get(`?${SORT}&cursor=${encodeURIComponent(call.cursor)}&per_page=${call.perPage}`)
    case 'create':
      return { method: 'POST', path: '/categories', body: call.record }
    case 'createMany':
      return { method: 'POST', path: '/categories', body: call.records }
    case 'update':
      return { method: 'PATCH', path: `/categories/${call.id}`, body: call.changes }
  }
}

function core (call: Call, { body }: Answer): Core {
  switch (call.kind) {
    case 'list':
    case 'search':
    case 'either':
    case 'groups':
    case 'words':
    case 'numbers':
    case 'byNumber':
    case 'offset':
      return { items: body.items, total: body.total }
    case 'facets':
      return { items: body.items, total: body.total, facets: body.facets }
    case 'cursor':
      return { items: body.items }
    case 'createMany':
      return { items: body.map((record: Record<string, unknown>) => comparable(call, record)) }
    default:
      return { items: [comparable(call, body)] }
  }
}
