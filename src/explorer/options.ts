/** The options of the explorer. */
import { Type } from '@sinclair/typebox'
import type { RegisterOptions } from 'fastify'
import { ConfigError } from '../base/errors.ts'
import { checkSchema } from '../base/option-checks.ts'

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
