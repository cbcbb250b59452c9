/** The query language of fastify-crud-kit, which the hand-written routes use, too. */
import { PER_PAGE, type Call } from '../operations.ts'
import { comparable, type Answer, type Core, type Dialect, type HttpRequest } from './dialect.ts'

export const own: Dialect = { own: true, request, core, nextCursor: ({ body }) => body.next_cursor }

const SORT = 'sort=-created_at'

function request (call: Call): HttpRequest {
  const get = (rest: string): HttpRequest => ({ method: 'GET', path: `/categories${rest}` })
  switch (call.kind) {
    case 'list':
      return get(
        `?filter[status]=active&filter[price][gte]=${call.minPrice}&${SORT}&page=${call.page}&per_page=${PER_PAGE}${
          call.include ? '&include=products' : ''
        }`
      )
    case 'either':
      return get(
        `?filter[status]=active&filter[or][0][price][gte]=${call.minPrice}&` +
        `filter[or][1][price][lte]=${call.maxPrice}&${SORT}&page=${call.page}&per_page=${PER_PAGE}`
      )
    case 'facets':
      return get(
        `?filter[status]=active&filter[price][gte]=${call.minPrice}&${SORT}&page=1&per_page=${PER_PAGE}&` +
        'facets=status,name,created_at'
      )
    case 'groups':
      return get(
        `/aggregate?filter[price][gte]=${call.minPrice}&group=status&aggregate=count,price.sum,price.avg&page=1&` +
        `per_page=${PER_PAGE}`
      )
    case 'get':
      return get(`/${call.id}`)
    case 'search':
      return get(`?filter[name]=${call.text}&${SORT}&page=${call.page}&per_page=${PER_PAGE}`)
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
