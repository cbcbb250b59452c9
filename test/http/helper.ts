/** A server on a test's database, and requests that tests send to it. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyServerOptions, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { crudKit, type CrudKitOptions } from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'

export { resource, whitelist, type Names } from '../helpers/resource.ts'

/** A server with these resources, ready for requests, closed when the test ends. */
export async function serve (
  t: Test,
  orm: MikroORM,
  resources: CrudKitOptions['resources'] = {},
  options: FastifyServerOptions = {}
): Promise<FastifyInstance> {
  const app = newServer(t, options)
  await app.register(crudKit, { orm, resources })
  await app.ready()
  return app
}

/** A query string. Interpolated values are percent-encoded, and the text around them is sent verbatim. */
export function q (strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: strings.raw }, ...values.map((value) => encodeURIComponent(value)))
}

/** A record or an answer as JSON. */
export type Json = any

export interface Client {
  /** The body of a 200. */
  readonly get: (query?: string) => Promise<Json>
  /** The items of a 200, by one of their names. */
  readonly all: (name: string, query?: string) => Promise<Json[]>
  /** The body of a 400. */
  readonly refused: (query: string) => Promise<Json>
  /** The detail of each error of a 400. */
  readonly details: (query: string) => Promise<string[]>
}

/** The requests that a client sends to the path of a resource. */
export function client (app: FastifyInstance, path: string): Client {
  const send = async (query: string, status: number): Promise<Json> => {
    const url = query === '' ? path : `${path}?${query}`
    const response = await app.inject(url)
    if (response.statusCode !== status) throw new Error(`${url}: ${response.statusCode} ${response.body}`)
    return bodyOf(response)
  }
  return {
    get: (query = '') => send(query, 200),
    all: async (name, query = '') => (await send(query, 200)).items.map((item: Json) => item[name]),
    refused: (query) => send(query, 400),
    details: async (query) => (await send(query, 400)).errors.map((error: Json) => error.detail),
  }
}

/** The body of an answer, which must be JSON with its content type. */
export function bodyOf (response: LightMyRequestResponse): Json {
  if (response.headers['content-type'] !== 'application/json; charset=utf-8') {
    throw new Error(`Content-Type: ${response.headers['content-type']}`)
  }
  return JSON.parse(response.body)
}

/** Rows of a plain SQL query that bypasses the tested code. */
export function select<Row = Json> (orm: MikroORM, sql: string): Promise<Row[]> {
  return orm.em.getConnection().execute(sql) as Promise<Row[]>
}

/** The values of a query with one column. */
export async function column<Value = Json> (orm: MikroORM, sql: string): Promise<Value[]> {
  return (await select(orm, sql)).map((row) => Object.values(row)[0] as Value)
}

/** The number of rows: `countOf(orm, "plant where name = 'Moss'")`. */
export async function countOf (orm: MikroORM, from: string): Promise<number> {
  return (await column<number>(orm, `select count(*)::int from ${from}`))[0]!
}

export type Headers = NonNullable<InjectOptions['headers']>

interface WriteClient {
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
  /** Sends requests one after the other, and compares their answers, which are the result. */
  readonly check: (t: Test, exchanges: readonly Exchange[], headers?: Headers) => Promise<LightMyRequestResponse[]>
}

/** A request such as `PATCH /plants/1`, its body if it has one, what its answer must be, and its own headers. */
export type Exchange =
  | readonly [request: string, expected: Expected]
  | readonly [request: string, body: unknown, expected: Expected, headers?: Headers]

/**
 * The verdict of an answer (see `verdict`), its status, the members that its body must have, or a text in it. The
 * status is that of the member `statusCode`, as errors have it. Without one, and with a text, it is 201 for a POST of
 * records, and 200 for any other request.
 */
export type Expected = string | number | RegExp | object

type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Sends the body as JSON, or no body if it is `undefined`. */
export function writes (app: FastifyInstance): WriteClient {
  const send = async (
    method: Method,
    url: string,
    body?: unknown,
    headers: Headers = {}
  ): Promise<LightMyRequestResponse> => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return await app.inject({ method, url, ...payload, headers: { ...type, ...headers } })
  }
  const check: WriteClient['check'] = async (t, exchanges, common = {}) => {
    const responses: LightMyRequestResponse[] = []
    for (const [request, ...rest] of exchanges) {
      const [body, expected, headers] = rest.length === 1 ? [undefined, rest[0]] : rest
      const [, method, url] = /^(\S+) (.*)$/.exec(request) as unknown as [string, Method, string]
      const response = await send(method, url, body, { ...common, ...headers })
      const what = [request, body, headers].filter((part) => part !== undefined)
        .map((part) => typeof part === 'string' ? part : JSON.stringify(part)).join(' ')
      responses.push(response)
      if (typeof expected === 'string') {
        t.equal(verdict(response), expected, what)
        continue
      }
      const usual = method === 'POST' && !url.endsWith('/restore') ? 201 : 200
      const status = typeof expected === 'number' ? expected : (expected as Json).statusCode ?? usual
      t.equal(response.statusCode, status, `${what}: ${response.body}`)
      if (expected instanceof RegExp) t.match(response.body, expected, what)
      else if (typeof expected === 'object') t.match(bodyOf(response), expected, what)
    }
    return responses
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
    check,
  }
}

/** Status of an answer, and of a refusal its code and the places of its errors: `400 FST_ERR_VALIDATION /name`. */
export function verdict (response: LightMyRequestResponse): string {
  const { statusCode, body } = response
  const { code, errors = [] } = statusCode < 400 || body === '' ? {} as Json : response.json()
  const places = errors.map(({ source }: Json) => source?.pointer ?? source?.parameter)
  return [statusCode, code, ...places].filter((part) => part !== undefined).join(' ')
}
