/** The options of the explorer, completed from the OpenAPI document of the server. */
import { Type } from '@sinclair/typebox'
import type { FastifyInstance, RegisterOptions } from 'fastify'
import { ConfigError } from '../base/errors.ts'
import { checkSchema } from '../base/option-checks.ts'
import type { HeaderHint } from './description.ts'

/** A header with which the explorer sends credentials. */
export interface ExplorerHeader {
  /** The name of the header, such as `authorization`. */
  readonly name: string
  /** The text before the credentials, such as `Bearer `. Default: nothing. */
  readonly prefix?: string
  /** A sentence about the header, for the form. Default: none. */
  readonly description?: string
  /** The values to choose from. Default: any value. */
  readonly values?: readonly string[]
}

/** The options of `fastify.register(crudExplorer, ...)`. */
export interface ExplorerOptions extends RegisterOptions {
  /** The path of the page, such as `/explorer`. */
  readonly prefix?: string
  /** Serve the page. Default: unless `NODE_ENV` is `production`. */
  readonly enabled?: boolean
  /** The name of the API in the page. Default: the title of its OpenAPI document, or `API`. */
  readonly title?: string
  /** The path of other documentation, to which the page has a link: `/docs`. */
  readonly docs?: string
  /**
   * Let the page explain a request: its statements with their values, PostgreSQL's plans, and missing indexes. It works
   * unless `NODE_ENV` is `production`, since statements reveal tables, columns and conditions. Default: false.
   */
  readonly explain?: boolean
  /**
   * The headers in which the API expects credentials. The page has a form for them. Default: those in the security
   * schemes of the OpenAPI document, if @fastify/swagger is registered.
   */
  readonly headers?: readonly ExplorerHeader[]
}

const ExplorerOptionsSchema = Type.Object({
  prefix: Type.Optional(Type.String()),
  logLevel: Type.Optional(Type.Any()),
  logSerializers: Type.Optional(Type.Any()),
  enabled: Type.Optional(Type.Boolean()),
  title: Type.Optional(Type.String({ minLength: 1 })),
  docs: Type.Optional(Type.String({ pattern: '^/' })),
  explain: Type.Optional(Type.Boolean()),
  headers: Type.Optional(Type.Array(Type.Object({
    name: Type.String({ pattern: "^[\\w!#$%&'*+.^`|~-]+$" }),
    prefix: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    values: Type.Optional(Type.Array(Type.String())),
  }, { additionalProperties: false }))),
}, { additionalProperties: false })

/**
 * Checks the options.
 *
 * @param prefix the whole prefix of the explorer's routes
 * @throws {ConfigError} for the first option that is unknown or has a wrong value, and if there is no prefix
 */
export function checkExplorerOptions (options: ExplorerOptions, prefix: string): void {
  checkSchema('crudExplorer', ExplorerOptionsSchema, options)
  if (prefix.split('/').every((segment) => segment === '')) {
    throw new ConfigError(
      "crudExplorer: the page needs a path of its own; set the option 'prefix', as in prefix: '/explorer'."
    )
  }
  if (/[:*]/.test(prefix)) {
    throw new ConfigError(`crudExplorer: the prefix '${prefix}' has a parameter. Use a fixed path, like '/explorer'.`)
  }
}

interface OpenApiFacts {
  readonly info?: { readonly title?: unknown }
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> }
}

interface SecurityScheme {
  readonly type?: string
  readonly in?: string
  readonly name?: string
  readonly scheme?: string
  readonly description?: string
}

export interface ApiFacts {
  readonly title: string
  readonly headers: readonly HeaderHint[]
}

/** The options, completed from the OpenAPI document of the server, if @fastify/swagger is registered. */
export function apiFacts (fastify: FastifyInstance, { title, headers }: ExplorerOptions): ApiFacts {
  const { info, components } = title === undefined || headers === undefined ? openApiOf(fastify) : {}
  const schemes = Object.values(components?.securitySchemes ?? {})
  return {
    title: title ?? (typeof info?.title === 'string' ? info.title : 'API'),
    headers: headers?.map(({ name, prefix = '', description, values = [] }) => ({
      name: name.toLowerCase(),
      prefix,
      description: description ?? null,
      values,
    })) ?? schemes.flatMap(hintsOf),
  }
}

function openApiOf (fastify: FastifyInstance): OpenApiFacts {
  const { swagger } = fastify as { readonly swagger?: () => OpenApiFacts }
  return swagger?.() ?? {}
}

const SCHEMES: Readonly<Record<string, string>> = { bearer: 'Bearer ', basic: 'Basic ' }

function hintsOf ({ type, in: place, name, scheme = '', description = '' }: SecurityScheme): HeaderHint[] {
  const about = { description: description === '' ? null : description, values: [] }
  if (type === 'apiKey' && place === 'header' && name !== undefined) {
    return [{ name: name.toLowerCase(), prefix: '', ...about }]
  }
  const prefix = type === 'oauth2' || type === 'openIdConnect' ? 'Bearer ' : SCHEMES[scheme.toLowerCase()]
  return prefix === undefined || type === 'apiKey' ? [] : [{ name: 'authorization', prefix, ...about }]
}
