/** Where the query string of a URL begins, as Fastify has found it. */
import type { FastifyInstance } from 'fastify'

/**
 * The index of the character before the query string: the first `?` or `#`, or also `;` with Fastify's option
 * `useSemicolonDelimiter`. It is -1 for a URL without one. No browser sends `#`, but other programs can.
 */
export function startOfQuery (url: string, server: Pick<FastifyInstance, 'initialConfig'>): number {
  const start = url.search(/[?#;]/)
  return url[start] === ';' && !isDelimiter(server) ? url.search(/[?#]/) : start
}

/** Whether a semicolon begins a query string. */
function isDelimiter ({ initialConfig }: Pick<FastifyInstance, 'initialConfig'>): boolean {
  const { useSemicolonDelimiter, routerOptions } = initialConfig as SemicolonConfig
  return useSemicolonDelimiter === true || routerOptions?.useSemicolonDelimiter === true
}

/** The option stands at the place where the application has set it. */
interface SemicolonConfig {
  readonly useSemicolonDelimiter?: boolean
  readonly routerOptions?: { readonly useSemicolonDelimiter?: boolean }
}
