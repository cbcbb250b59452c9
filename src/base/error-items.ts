/** One mistake in a request, in the form of answers and in that of Fastify's `validation`. */

/** The place of an error in the request: a query parameter as written, or a JSON pointer (RFC 6901) into the body. */
export type ErrorSource = { readonly parameter: string } | { readonly pointer: string }

/** One mistake in a request. An error of the whole query string has no `source`. */
export interface ErrorItem {
  /** The place of the mistake. */
  readonly source?: ErrorSource
  /** The code of the error class that reports this item, e.g. `FST_CRUD_FILTER_INVALID`. */
  readonly code: string
  /** A sentence for people. */
  readonly detail: string
  /**
   * The values or names that are allowed, as they are written in a request. Long lists are cut, see `ALLOWED_LIMIT`.
   */
  readonly allowed?: readonly string[]
  /** The allowed name nearest to the one given. */
  readonly suggestion?: string
}

/** @param pointer the JSON pointer to the mistake in the body; empty for the body as a whole */
export const invalidAt = (pointer: string, detail: string): ErrorItem =>
  ({ source: { pointer }, code: 'FST_ERR_VALIDATION', detail })

/** An error in the form of Fastify's `error.validation`, which is that of Ajv. */
export interface ValidationItem {
  /** The keyword of JSON Schema, or the one that comes nearest to the rule. */
  readonly keyword: string
  /** JSON pointer to the value. */
  readonly instancePath: string
  /** JSON pointer into the schema. */
  readonly schemaPath: string
  readonly params: Record<string, unknown>
  readonly message: string
}

/** An item that no schema describes, in the form of Fastify's `validation`. */
export function validationOf ({ source, detail, code }: ErrorItem): ValidationItem {
  const instancePath = source === undefined ? '' : 'pointer' in source ? source.pointer : `/${source.parameter}`
  return { keyword: 'crud', instancePath, schemaPath: '#', params: { code }, message: detail }
}
