/** Checks the names and forms of the application's own schemas, before the routes are made. */
import { ConfigError } from '../../base/errors.ts'
import { isObject } from '../../base/is-object.ts'
import { shown } from '../../base/option-checks.ts'
import { didYouMean, nearest } from '../../base/suggest.ts'
import { factsOf, sharingRoute } from '../../config/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'

/** The parts that validate requests. */
const REQUEST_PARTS = ['body', 'querystring', 'query', 'params', 'headers']

/** The parts that Fastify and @fastify/swagger read. */
const PARTS: readonly string[] = [
  ...REQUEST_PARTS, 'response', 'description', 'summary', 'tags', 'security', 'operationId', 'deprecated', 'consumes',
  'produces', 'hide', 'externalDocs', 'cookies', 'servers', 'links', 'callbacks',
]

/**
 * Checks the option `schemas`.
 *
 * @throws {ConfigError} for a part that has no effect, or that is not a schema
 */
export function checkOwnParts (
  what: string,
  { schemas = {} }: Pick<CrudRoutesOptions, 'schemas'>,
  operations: readonly CrudOperation[]
): void {
  for (const [operation, parts] of Object.entries(schemas)) {
    const place = `schemas.${operation}`
    const facts = factsOf(operation as CrudOperation)
    const refuse = (sentence: string): never => {
      throw new ConfigError(`${what}: ${sentence}`)
    }
    for (const [part, schema] of Object.entries(parts ?? {})) {
      if (schema === undefined) continue
      if (!PARTS.includes(part) && !part.startsWith('x-')) {
        const others = `It may have: ${PARTS.join(', ')}, and names that start with x-.`
        refuse(didYouMean(`${place} has no part '${part}'`, nearest(part, PARTS), others))
      }
      if (part === 'body' && facts.bodies.length === 0) {
        const taker = facts.writes ? `the operation '${operation}'` : 'GET'
        refuse(`${place}.body has no effect, because ${taker} takes no body. Remove it.`)
      }
      const isSchema = isObject(schema) || (typeof schema === 'boolean' && part !== 'response')
      if ((REQUEST_PARTS.includes(part) || part === 'response') && !isSchema) {
        refuse(`${place}.${part} must be a schema, got ${shown(schema)}.`)
      }
      const [first] = sharingRoute([...operations, operation as CrudOperation], operation as CrudOperation)
      if (operation !== first && part !== 'body') {
        refuse(
          `${place}.${part} has no effect: ${first} and ${operation} share a route. Use schemas.${first}.${part}.`
        )
      }
    }
    if (isObject(parts) && parts['query'] !== undefined && parts['querystring'] !== undefined) {
      refuse(`${place} has both 'query' and 'querystring', which mean the same. Remove one of them.`)
    }
  }
}
