/** Documents lists whose query is the body of the request: `QUERY /` and `POST /query`. */
import type { TSchema } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import { isObject } from '../../base/is-object.ts'
import { MAX_BODY_LIST_ITEMS, MAX_LIST_ITEMS, MAX_QUERY_BODY_BYTES } from '../../query/index.ts'
import type { SharedSchemas } from '../declared-parameters.ts'
import { withoutListParameters } from '../without-list-parameters.ts'
import { FORM_BODY, JSON_BODY } from '../routes/content-type.ts'
import type { OpenApi } from './components.ts'

/** What @fastify/swagger reads of a route's schema. Fastify's own type has it only where that package is loaded. */
interface SwaggerMembers {
  readonly summary?: string
  readonly description?: string
  readonly hide?: boolean
}

/** A route of a list whose query is its body. */
interface ListRoute {
  readonly method: string
  /** Name of the resource. */
  readonly name: string
  /** The application's own schema, which takes precedence. */
  readonly own?: FastifySchema
}

/** The query string that the application's own schema declares, under either name that Fastify reads. */
export const declaredQuery = (own: FastifySchema | undefined): unknown =>
  own?.querystring ?? (own as { readonly query?: unknown } | undefined)?.query

/** The documentation of a list whose query is its body, as JSON or as a form. */
export function queryInBody (
  { own, name, method }: ListRoute,
  { schema, openapiObject }: { readonly schema: FastifySchema, readonly openapiObject?: OpenApi },
  query: unknown,
  parameters: TSchema,
  shared: SharedSchemas
): object {
  const declared = declaredQuery(own)
  const { summary, description, hide } = (own ?? {}) as SwaggerMembers
  const { style, explode, ...form } = parameters
  return {
    summary: summary ?? `List ${name}, with the query as a body`,
    description: description ?? QUERY_DESCRIPTION,
    querystring: declared === undefined ? undefined : withoutListParameters(schema.querystring, shared),
    body: openapiObject === undefined
      ? query
      : { content: { [JSON_BODY]: { schema: query }, [FORM_BODY]: { schema: withLongLists(form) } } },
    hide: hide === true || (method !== 'POST' && !hasQueryMethod(openapiObject)),
  }
}

/** A schema of parameters, whose lists may be as long as those in a body. */
const withLongLists = (schema: object): object =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]: [string, unknown]) => {
      if (key === 'maxItems' && value === MAX_LIST_ITEMS) return [key, MAX_BODY_LIST_ITEMS]
      return [key, isObject(value) ? withLongLists(value) : value]
    })
  )

const QUERY_DESCRIPTION =
  'Takes the query of the list in the body, as JSON or in the form of a query string, and has the same answer. At ' +
  `most ${MAX_QUERY_BODY_BYTES} bytes, and ${MAX_BODY_LIST_ITEMS} items of a list. Values in JSON have their types: ` +
  'a number is not written as a text. Errors point into the body.'

/** Whether a document has a place for the method QUERY, which OpenAPI has since version 3.2. */
const hasQueryMethod = (document: OpenApi | undefined): boolean =>
  /^3\.(?:[2-9]|\d{2})/.test(document?.openapi ?? '')
