/** The options of the explorer, completed from the OpenAPI document of the server. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, RegisterOptions } from 'fastify'
import { ConfigError } from '../base/errors.ts'
import { checkSchema, closed, withDefault } from '../base/option-checks.ts'
import type { HeaderHint } from './description.ts'

const HeaderSchema = Type.Object({
  /** The name of the header, such as `authorization`. */
  name: Type.String({ pattern: "^[\\w!#$%&'*+.^`|~-]+$" }),
  /** The text before the credentials, such as `Bearer `. Default: nothing. */
  prefix: Type.Optional(Type.String()),
  /** A sentence about the header, for the form. Default: none. */
  description: Type.Optional(Type.String()),
  /** The values to choose from. Default: any value. */
  values: Type.Optional(Type.Unsafe<readonly string[]>(Type.Array(Type.String()))),
}, closed)

/** A header with which the explorer sends credentials. */
export interface ExplorerHeader extends Readonly<Static<typeof HeaderSchema>> {}

const ExplorerOptionsSchema = Type.Object({
  /** The path of the page, such as `/explorer`. */
  prefix: Type.Optional(Type.String()),
  /** Serve the page. Default: unless `NODE_ENV` is `production`. */
  enabled: Type.Optional(Type.Boolean()),
  /** The name of the API in the page. Default: the title of its OpenAPI document, or `API`. */
  title: Type.Optional(Type.String({ minLength: 1 })),
  /** The path of other documentation, to which the page has a link: `/docs`. */
  docs: Type.Optional(Type.String({ pattern: '^/' })),
  /**
   * Let the page explain a request: its statements with their values, PostgreSQL's plans, and missing indexes. It works
   * unless `NODE_ENV` is `production`, since statements reveal tables, columns and conditions. Default: false.
   */
  explain: withDefault(Type.Boolean(), false),
  /**
   * The headers in which the API expects credentials. The page has a form for them. Default: those in the security
   * schemes of the OpenAPI document, if the application registers `@fastify/swagger`.
   */
  headers: Type.Optional(Type.Unsafe<readonly ExplorerHeader[]>(Type.Array(HeaderSchema))),
}, closed)

/** The options of `fastify.register(crudExplorer, ...)`. */
export interface ExplorerOptions
  extends Readonly<Static<typeof ExplorerOptionsSchema>>, Omit<RegisterOptions, 'prefix'> {}

/**
 * Checks the options.
 *
 * @param prefix the whole prefix of the explorer's routes
 * @throws {ConfigError} for the first option that is unknown or has a wrong value, and if there is no prefix
 */
export function checkExplorerOptions (options: ExplorerOptions, prefix: string): void {
  const { logLevel, logSerializers, ...own } = options
  checkSchema('crudExplorer', ExplorerOptionsSchema, own)
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

interface ApiFacts {
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
