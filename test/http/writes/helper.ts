/** Writes over HTTP, with their expected answers. */
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Json } from '../helper.ts'

export type Headers = NonNullable<InjectOptions['headers']>

export interface WriteClient {
  readonly get: (path: string, headers?: Headers) => Promise<LightMyRequestResponse>
  readonly post: (path: string, body?: unknown, headers?: Headers) => Promise<LightMyRequestResponse>
  readonly patch: (path: string, body?: unknown, headers?: Headers) => Promise<LightMyRequestResponse>
  readonly put: (path: string, body?: unknown, headers?: Headers) => Promise<LightMyRequestResponse>
  readonly remove: (path: string, headers?: Headers) => Promise<LightMyRequestResponse>
  readonly restore: (path: string, headers?: Headers) => Promise<LightMyRequestResponse>
  /** The record of a 201. */
  readonly created: (path: string, body: unknown, headers?: Headers) => Promise<Json>
  /** The record of a 200 to PATCH. */
  readonly updated: (path: string, body: unknown, headers?: Headers) => Promise<Json>
  /** The record of a 200 to GET. */
  readonly read: (path: string, headers?: Headers) => Promise<Json>
}

/** Sends the body as JSON, or no body if it is `undefined`. */
export function writes (app: FastifyInstance): WriteClient {
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
    headers: Headers = {}
  ): Promise<LightMyRequestResponse> => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return await app.inject({ method, url, ...payload, headers: { ...type, ...headers } })
  }
  const expect = async (status: number, sent: Promise<LightMyRequestResponse>): Promise<Json> => {
    const response = await sent
    if (response.statusCode !== status) {
      throw new Error(`${response.raw.req.method} ${response.raw.req.url}: ${response.statusCode} ${response.body}`)
    }
    return response.json()
  }
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    remove: (path, headers) => send('DELETE', path, undefined, headers),
    restore: (path, headers) => send('POST', `${path}/restore`, undefined, headers),
    created: (path, body, headers) => expect(201, send('POST', path, body, headers)),
    updated: (path, body, headers) => expect(200, send('PATCH', path, body, headers)),
    read: (path, headers) => expect(200, send('GET', path, undefined, headers)),
  }
}

/** Status and code of an answer, and the places of its errors: `400 FST_ERR_VALIDATION /name`. */
export function verdict (response: LightMyRequestResponse): string {
  const { code, errors = [] } = response.body === '' ? {} as Json : response.json()
  const sources = errors.map(({ source }: Json) => source?.pointer ?? source?.parameter).filter((source: unknown) =>
    source !== undefined
  )
  return [response.statusCode, code, ...sources].filter((part) => part !== undefined).join(' ')
}
