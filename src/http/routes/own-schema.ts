/**
 * The application's own schemas of requests. The server's own validator compiles them, as for any route of Fastify.
 * They are checked in addition to the generated ones, so that they can only refuse more.
 */
import { RequestValidationError, type ErrorItem } from '../../base/errors.ts'
import { escapedName } from '../../base/error-list.ts'

/** A part of Fastify's schema that is validated. */
export type HttpPart = 'params' | 'querystring' | 'body' | 'headers'

/** The answer of a validator to Fastify: whether the data is valid, its errors, or its new value. */
export type Verdict = unknown

export type Validator = ((data: unknown) => Verdict) & { errors?: unknown }

/**
 * Lets a validator judge a copy of a body, so that the body stays as the client sent it. Validators may convert
 * values, and drop properties that their schema does not name. Such a body is refused. Defaults are ignored.
 */
export function withoutChanges (validator: Validator): Validator {
  return (body) => {
    const copy: unknown = structuredClone(body)
    return afterwards(validator(copy), validator, (value) => {
      const errors: ErrorItem[] = []
      addChanges(errors, body, value ?? copy, '')
      return errors.length === 0 ? true : { error: new RequestValidationError(errors) }
    })
  }
}

/** Reads the verdict of a validator, in all the forms that Fastify accepts. */
function afterwards (verdict: Verdict, validator: Validator, accept: (value: unknown) => Verdict): Verdict {
  if (verdict instanceof Promise) return verdict.then(() => accept(undefined)).then(rejecting)
  if (verdict === false) return { error: validator.errors }
  const { error, value } = (verdict ?? {}) as { readonly error?: unknown, readonly value?: unknown }
  return error === undefined || error === null ? accept(value) : { error }
}

/** Rejects with the error of a verdict: Fastify looks at rejections only, if a validator returns a promise. */
export function rejecting (verdict: Verdict): Verdict {
  const { error } = (verdict ?? {}) as { readonly error?: unknown }
  if (error !== undefined) throw error
  return verdict
}

/** Adds an error for each part of `before` that is missing or different in `after`. */
function addChanges (errors: ErrorItem[], before: unknown, after: unknown, pointer: string): void {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) {
    if (!Object.is(before, after)) errors.push(itemOf(pointer, 'This value has another type than the route accepts.'))
    return
  }
  for (const [name, value] of Object.entries(before)) {
    const at = `${pointer}/${escapedName(name)}`
    if (!Object.hasOwn(after, name)) errors.push(itemOf(at, 'This property is not accepted by the route.'))
    else addChanges(errors, value, (after as Record<string, unknown>)[name], at)
  }
}

const itemOf = (pointer: string, detail: string): ErrorItem => ({
  source: { pointer },
  code: 'FST_ERR_VALIDATION',
  detail,
})

/** Runs a validator, if the generated one has accepted the data. */
export function both (ours: (data: unknown) => Verdict, theirs: Validator): Validator {
  return (data) => {
    const verdict = ours(data)
    if (verdict !== true) return verdict
    return afterwards(theirs(data), theirs, (value) => value === undefined ? true : { value })
  }
}
