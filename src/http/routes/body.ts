/** Reads bodies of writes before they are passed to CrudBase. */
import { RequestValidationError } from '../../base/errors.ts'
import { DEFAULT_MAX_BATCH } from '../route-options.ts'

/** The mistake of a list that is sent to a resource without `createMany`. */
export const ONE_RECORD = 'The body must not be a list: send one record at a time, as an object.'

/** The mistake of a record that is sent to a resource with `createMany` alone. */
export const LIST = 'The body must be a list of records, even if there is only one.'

/** The mistake of a request without a body. */
export const NO_BODY = 'The request has no body. Send a record as JSON, with the content type application/json.'

type Body = Record<string, unknown>

const NONE: ReadonlySet<string> = new Set()

/**
 * The body of one record, without the ignored names. CrudBase validates the rest.
 *
 * @param kept tells which ignored names stay nevertheless
 */
export function readBody (
  body: unknown,
  ignored: readonly string[] | undefined,
  kept: () => ReadonlySet<string> = () => NONE
): Body {
  return ignored === undefined ? body as Body : withoutNames(body, ignored, kept())
}

/**
 * The bodies of several records, without the ignored names.
 *
 * @throws {RequestValidationError} for more than `maxBatch`
 */
export function readBatch (
  body: readonly unknown[],
  maxBatch: number | undefined,
  ignored: readonly string[] | undefined
): readonly Body[] {
  checkBatch(body, maxBatch)
  return ignored === undefined ? body as readonly Body[] : body.map((record) => readBody(record, ignored))
}

/** @throws {RequestValidationError} for more than `maxBatch` records */
export function checkBatch (body: readonly unknown[], maxBatch = DEFAULT_MAX_BATCH): void {
  if (body.length > maxBatch) {
    throw bodyError(`A request can create at most ${maxBatch} records; this one has ${body.length}.`)
  }
}

/** An error about the body as a whole. */
export function bodyError (detail: string): RequestValidationError {
  return new RequestValidationError([{ source: { pointer: '' }, code: 'FST_ERR_VALIDATION', detail }])
}

/** Removes properties that the client may read but not write. Unknown names stay, and are refused later. */
function withoutNames (body: unknown, names: readonly string[], kept: ReadonlySet<string>): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body as Body
  const rest = { ...body } as Body
  for (const name of names) {
    if (!kept.has(name)) delete rest[name]
  }
  return rest
}
