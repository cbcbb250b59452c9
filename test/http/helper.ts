/** A server on a test's database, and requests that tests send to it. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyServerOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import {
  CrudBase, crudKit, QueryBuilderConfig, type CrudKitOptions, type QueryBuilderOptions,
} from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'

/** A resource of an entity with a whitelist, for tests that need only these. */
export function resource (model: any, config: QueryBuilderOptions<any> = {}): CrudBase {
  return new CrudBase({ model, writable: 'all', queryConfig: new QueryBuilderConfig(config) })
}

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
