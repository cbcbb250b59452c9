/** The query language of fastify-crud-kit, which the hand-written routes use, too. */
import { PER_PAGE, type Call } from '../operations.ts'
import { comparable, type Answer, type Core, type Dialect, type HttpRequest } from './dialect.ts'

export const own: Dialect = { request, core, nextCursor: ({ body }) => body.next_cursor }

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
    case 'offset':
      return { items: body.items, total: body.total }
    case 'cursor':
      return { items: body.items }
    case 'createMany':
      return { items: body.map((record: Record<string, unknown>) => comparable(call, record)) }
    default:
      return { items: [comparable(call, body)] }
  }
}
