/** Requests that are not methods of a resource. */
import type { CustomParams } from '@refinedev/core'
import { connectionOf } from '../../client/create-client.ts'
import { queryString } from '../../client/query-string.ts'
import { headersOf, parse, send, textOf } from '../../client/request.ts'
import { filterFrom } from './filters.ts'

/**
 * Sends a request to a URL of the API, with the headers of the client, and returns the JSON value of the answer. An
 * answer without a body is an empty object.
 *
 * @throws {CrudError} if the request fails
 * @throws {TypeError} for a URL outside of the API, because the client's headers may have secrets
 */
export async function sendCustom (api: object, params: CustomParams): Promise<unknown> {
  const { base, options } = connectionOf(api)
  const { method, payload: body, headers, query, filters, sorters = [], meta } = params
  const sort = sorters.map(({ field, order }) => `${order === 'desc' ? '-' : '+'}${field}`)
  const signal = meta?.queryContext?.signal
  const parameters = [
    queryString({ filter: filterFrom(filters), sort }).slice(1),
    new URLSearchParams(query as Record<string, string> | undefined).toString(),
  ].filter((text) => text !== '').join('&')
  const url = addressOf(params.url, base)
  const call = {
    method: method.toUpperCase(),
    url: parameters === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${parameters}`,
    body,
    signal,
  }
  const response = await send(call, {
    ...options,
    async headers () {
      const all = await headersOf(options)
      new Headers(headers).forEach((value, name) => all.set(name, value))
      return all
    },
  })
  const text = await textOf(response, call)
  return text === '' ? {} : parse(text, response, call)
}

/** The URL of a custom request: a path below the API's URL, or a URL that begins with it. */
function addressOf (url: string, base: string): string {
  const isWithin = base !== '' && (url === base || ['/', '?'].some((next) => url.startsWith(base + next)))
  if (isWithin) return url
  if (/^\/(?![/\\])/.test(url)) return base + url
  throw new TypeError(`custom: ${url} is not a URL of the API. Pass a path such as /products, or use fetch.`)
}
