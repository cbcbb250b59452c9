/** Where the query string of a URL begins, as Fastify has found it. */
import type { FastifyInstance } from 'fastify'

/**
 * The index of the character before the query string: `?`, or also `;` with Fastify's option `useSemicolonDelimiter`.
 * It is -1 for a URL without one.
 */
export function startOfQuery (url: string, { initialConfig }: Pick<FastifyInstance, 'initialConfig'>): number {
  const { useSemicolonDelimiter, routerOptions } = initialConfig as SemicolonConfig
  return useSemicolonDelimiter === true || routerOptions?.useSemicolonDelimiter === true
    ? url.search(/[?;]/)
    : url.indexOf('?')
}

/** The option stands at the place where the application has set it. */
interface SemicolonConfig {
  readonly useSemicolonDelimiter?: boolean
  readonly routerOptions?: { readonly useSemicolonDelimiter?: boolean }
}
