/**
 * OpenAPI documentation of the generated routes: a bound resource in, transforms of @fastify/swagger out. Loaded by
 * servers that have @fastify/swagger, called when a document is made. It never refuses.
 */
export { transformsOf } from './transform.ts'
