/** The data provider of refine: its methods as requests of the client. */
import type { CustomParams, DataProvider, MetaQuery, Pagination } from '@refinedev/core'
import { clientConnectionOf } from '../../client/create-client.ts'
import type { Client } from '../../client/index.ts'
import { queryString } from '../../client/query-string.ts'
import { headersOf, parse, sendCall, textOfAnswer } from '../../client/send-call.ts'
import { bodyOf, keyOf, withId } from '../record-key.ts'
import { readAll, readMany, readOnePage, type PageQuery } from '../reads.ts'
import { resourcesOf, sortOf, type Bound, type DataProviderOptions } from '../admin-resource.ts'
import type { AnyJson, AnyRecord } from '../../client/url-names.ts'
import { createAll, deleteAll, matchOf, updateAll, type Match } from '../writes.ts'
import { filterOfRefine } from './refine-filters.ts'
import { asRefine } from './http-error.ts'

/** The options of requests that `meta` of refine's hooks may contain. */
export interface RefineMeta {
  /** Relations to include, and aggregates of them. */
  readonly include?: readonly string[]
  /** Properties to select. Default: all that are not hidden. */
  readonly fields?: readonly string[]
  /** Properties of included records to select, by the path of the include. */
  readonly fieldsByInclude?: Readonly<Record<string, readonly string[]>>
  /** The version that `update` and `deleteOne` may change, if the values do not have it. */
  readonly version?: string | number
}

/** Number of records of a page, if the hook does not say. It is refine's own default. */
const PAGE_SIZE = 10

/**
 * Makes the data provider of a refine application. A resource's name is its path without the first slash.
 *
 * Methods reject with a `CrudHttpError`, which has the form that refine expects; its `cause` is the `CrudError`. A
 * `TypeError` is a mistake of the application, such as an operator that the API does not have.
 *
 * @example
 * const api = createClient<Api>('https://api.example.com')
 * const dataProvider = createDataProvider(api, { resources: { products: { version: 'version' } } })
 * // <Refine dataProvider={dataProvider}>
 */
export function createRefineProvider<Api> (
  api: Client<Api>,
  options: DataProviderOptions<Api> = {}
): Required<DataProvider> {
  const bind = resourcesOf(api, options)
  const { base } = clientConnectionOf(api)

  return {
    async getList ({ resource, pagination, sorters = [], filters, meta }) {
      const bound = bind(resource)
      const query = { ...queryOf(meta), filter: filterOfRefine(filters, bound), sort: sortOf(sorters, bound) }
      const { items, total } = await asRefine(readList(bound, query, pagination))
      return { data: items.map((record) => withId(record, bound)), total }
    },

    async getOne ({ resource, id, meta }) {
      const bound = bind(resource)
      return { data: withId(await asRefine(bound.resource.get(keyOf(id, bound), queryOf(meta))), bound) }
    },

    async getMany ({ resource, ids, meta }) {
      const bound = bind(resource)
      const records = await asRefine(readMany(bound, ids, queryOf(meta)))
      return { data: records.map((record) => withId(record, bound)) }
    },

    async create ({ resource, variables }) {
      const bound = bind(resource)
      return { data: withId(await asRefine(bound.resource.create(bodyOf(variables as object, bound, true))), bound) }
    },

    async createMany ({ resource, variables }) {
      const bound = bind(resource)
      const bodies = variables.map((body) => bodyOf(body as object, bound, true))
      return { data: await asRefine(createAll(bound, bodies)) as AnyJson[] }
    },

    async update ({ resource, id, variables, meta }) {
      const bound = bind(resource)
      const { body, match } = versioned(variables, meta, bound)
      return { data: withId(await asRefine(bound.resource.update(keyOf(id, bound), body, match)), bound) }
    },

    async updateMany ({ resource, ids, variables }) {
      const bound = bind(resource)
      return { data: await asRefine(updateAll(bound, ids, bodyOf(variables as object, bound))) as AnyJson[] }
    },

    async deleteOne ({ resource, id, variables, meta }) {
      const bound = bind(resource)
      const { match } = versioned(variables, meta, bound)
      return { data: withId(await asRefine(bound.resource.delete(keyOf(id, bound), match)), bound) }
    },

    deleteMany: async ({ resource, ids }) => ({ data: await asRefine(deleteAll(bind(resource), ids)) as AnyJson[] }),

    getApiUrl: () => base,

    async custom (params) {
      return { data: await asRefine(sendCustom(api, params)) as AnyJson }
    },
  }
}

/** The options of a request that come from `meta`. */
function queryOf (meta: MetaQuery | undefined): PageQuery {
  const { include, fields, fieldsByInclude } = (meta ?? {}) as RefineMeta
  return { include, fields, fieldsByInclude, signal: meta?.queryContext?.signal }
}

/** Reads a page, or all records if the hook divides them into pages itself. */
async function readList (
  bound: Bound,
  query: PageQuery,
  { currentPage = 1, pageSize = PAGE_SIZE, mode = 'server' }: Pagination = {}
): Promise<{ readonly items: AnyRecord[], readonly total: number }> {
  if (mode !== 'server') {
    const items = await readAll(bound, query)
    return { items, total: items.length }
  }
  const page = await readOnePage(bound, query, currentPage, pageSize)
  const { items, total, total_is_minimum: isMinimum, has_next: hasNext } = page
  // refine needs a number. If the server does not count all records, a further page counts as one more record
  const known = (currentPage - 1) * pageSize + items.length + Number(hasNext)
  return { items, total: isMinimum === true ? Math.max(total ?? 0, known) : total ?? known }
}

/** Separates the version of a record from its values. */
function versioned (
  variables: unknown,
  meta: MetaQuery | undefined,
  bound: Bound
): { readonly body: AnyRecord, readonly match: Match } {
  const values = bodyOf(variables ?? {}, bound)
  const { version } = bound
  if (version === undefined) return { body: values, match: {} }
  const { [version]: seen = meta?.['version'], ...body } = values
  return { body, match: matchOf(seen, version, `the values ('${version}') or in meta.version`) }
}

/**
 * Sends a request to a URL of the API, with the headers of the client, and returns the JSON value of the answer. An
 * answer without a body is an empty object.
 *
 * @throws {CrudError} if the request fails
 * @throws {TypeError} for a URL outside of the API, because the client's headers may have secrets
 */
async function sendCustom (api: object, params: CustomParams): Promise<unknown> {
  const { base, options } = clientConnectionOf(api)
  const { method, payload: body, headers, query, filters, sorters = [], meta } = params
  const sort = sorters.map(({ field, order }) => `${order === 'desc' ? '-' : '+'}${field}`)
  const signal = meta?.queryContext?.signal
  const parameters = [
    queryString({ filter: filterOfRefine(filters), sort }).slice(1),
    new URLSearchParams(query as Record<string, string> | undefined).toString(),
  ].filter((text) => text !== '').join('&')
  const url = addressOf(params.url, base)
  const call = {
    method: method.toUpperCase(),
    url: parameters === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${parameters}`,
    body,
    signal,
  }
  const response = await sendCall(call, {
    ...options,
    async headers () {
      const all = await headersOf(options)
      new Headers(headers).forEach((value, name) => all.set(name, value))
      return all
    },
  })
  const text = await textOfAnswer(response, call)
  return text === '' ? {} : parse(text, response, call)
}

/** The URL of a custom request: a path below the API's URL, or a URL that begins with it. */
function addressOf (url: string, base: string): string {
  const isWithin = base !== '' && (url === base || ['/', '?'].some((next) => url.startsWith(base + next)))
  if (isWithin) return url
  if (/^\/(?![/\\])/.test(url)) return base + url
  throw new TypeError(`custom: ${url} is not a URL of the API. Pass a path such as /products, or use fetch.`)
}
