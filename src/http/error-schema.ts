/** The shared schema of errors. The default error answers of a route that declares it contain `detail` and `errors`. */
import * as Type from '@sinclair/typebox'

/** The errors of this package, as OpenAPI documents show them. */
export const DocumentedError = Type.Object({
  statusCode: Type.Integer(),
  code: Type.String(),
  error: Type.String(),
  message: Type.String(),
  detail: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Type.Object({
    source: Type.Optional(
      Type.Object({ parameter: Type.Optional(Type.String()), pointer: Type.Optional(Type.String()) })
    ),
    code: Type.String(),
    detail: Type.String(),
    allowed: Type.Optional(Type.Array(Type.String())),
    suggestion: Type.Optional(Type.String()),
  }))),
}, { title: 'Error' })

const ERROR_ID = 'fastify-crud-kit/error'

/**
 * The schema that Fastify serializes errors with. Refer to it as `{ $ref: 'fastify-crud-kit/error#' }`. It requires
 * nothing, because Fastify answers 500 in place of an error of the application that lacks a required member.
 */
export const ErrorSchema = Type.Object(
  { ...Type.Partial(DocumentedError).properties, errors: Type.Optional(Type.Unknown()) },
  { $id: ERROR_ID, title: ERROR_ID }
)

/** The responses that every generated route declares. */
export const ERROR_RESPONSES = {
  '4xx': Type.Ref(ErrorSchema.$id + '#'),
  '5xx': Type.Ref(ErrorSchema.$id + '#'),
} as const

/**
 * Serializes errors, the only objects that generated routes send. An error that Fastify's own handler sends is reduced
 * to the schema. An object that an application's error handler sends stays unchanged.
 */
export function serializeError (data: unknown): string {
  return data instanceof Error ? errorJson(data as Error & Record<string, unknown>) : JSON.stringify(data)
}

function errorJson ({ statusCode, code, error, message, detail, errors }: Record<string, unknown>): string {
  const told = detail === undefined && OF_FASTIFY.test(String(code))
    ? { detail: message, errors: errors ?? [{ code, detail: message }] }
    : { detail, errors }
  return JSON.stringify({ statusCode, code, error, message, ...told })
}

/** The codes of Fastify's own errors, which have no other sentence than their message. */
const OF_FASTIFY = /^FST_ERR_/
