/**
 * OpenAPI documentation of the generated routes: a bound resource in, transforms for @fastify/swagger out. Only servers
 * with @fastify/swagger load it. It runs when a document is generated, and has no errors.
 */
export { transformsOf } from './transform.ts'
