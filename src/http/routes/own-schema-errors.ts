/**
 * The errors of the application's own schemas, with the same properties as the errors of the generated ones: `detail`,
 * and `errors` with a pointer or a parameter for each mistake.
 */
import type { FastifyInstance } from 'fastify'
import { schemaErrorFormatterOf } from '../../borrowed/fastify.ts'
import { MAX_ERRORS, escapedName, segmentsOf } from '../../base/error-list.ts'
import {
  RequestValidationError, validationOf, type ErrorItem, type ErrorSource, type ValidationItem,
} from '../../base/errors.ts'
import { listed } from '../../base/suggest.ts'

/** A part of Fastify's schema that is validated. */
export type HttpPart = 'params' | 'querystring' | 'body' | 'headers'

type Formatter = (errors: readonly Failure[], part: string) => Error

/** An error of a validator. Some validators leave out all but the message. */
type Failure = Partial<ValidationItem>

/**
 * The function that makes an error of what a validator found. If the application has given one to
 * `setSchemaErrorFormatter` or to Fastify as an option, that one decides.
 */
export function ownErrors (fastify: FastifyInstance): Formatter {
  return (errors, part) => {
    const own = schemaErrorFormatterOf(fastify) as Formatter | undefined
    return own === undefined ? errorOf(errors, part as HttpPart) : own(errors, part)
  }
}

/** Adds what an error lacks. Asynchronous validators of Ajv reject with an error that has a list. */
export function withErrorList (error: unknown, part: HttpPart): unknown {
  if (!(error instanceof Error) || error instanceof RequestValidationError) return error
  const { errors, detail } = error as { readonly errors?: unknown, readonly detail?: unknown }
  if (isFailures(errors)) return errorOf(errors, part, error)
  if (errors !== undefined || detail !== undefined) return error
  const source = part === 'body' ? { source: { pointer: '' } } : {}
  const item: ErrorItem = { ...source, code: 'FST_ERR_VALIDATION', detail: error.message }
  return Object.assign(error, { detail: error.message, errors: [item], validation: [validationOf(item)] })
}

const isFailures = (errors: unknown): errors is readonly Failure[] =>
  Array.isArray(errors) && errors.length > 0 &&
  errors.every((error) => typeof (error as Failure | null)?.instancePath === 'string')

function errorOf (failures: readonly Failure[], part: HttpPart, cause?: unknown): RequestValidationError {
  return new RequestValidationError(failures.slice(0, MAX_ERRORS).map((failure) => itemOf(failure, part)), {
    count: failures.length,
    validation: failures as ValidationItem[],
    cause,
  })
}

function itemOf ({ instancePath = '', params = {}, message = 'is not valid' }: Failure, part: HttpPart): ErrorItem {
  const missing = nameIn(params, 'missingProperty')
  const unknown = nameIn(params, 'additionalProperty', 'unevaluatedProperty', 'propertyName')
  const name = missing ?? unknown
  const pointer = name === undefined ? instancePath : `${instancePath}/${escapedName(name)}`
  const source = sourceOf(pointer, part)
  const allowed: unknown = params['allowedValues'] ??
    (Object.hasOwn(params, 'allowedValue') && [params['allowedValue']])
  const members = Array.isArray(allowed) ? listed(allowed.map(textOf)) : undefined
  const subject = subjectOf(pointer, part)
  const sentence = missing !== undefined
    ? `${subject.long} is required.`
    : unknown !== undefined
      ? `${subject.long} is not accepted by the route.`
      : members === undefined
        ? `${subject.short} ${message}${/[.!?]$/.test(message) ? '' : '.'}`
        : `${subject.short} must be one of the allowed values. Allowed: ${members.join(', ')}.`
  return {
    ...(source !== undefined && { source }),
    code: 'FST_ERR_VALIDATION',
    detail: sentence,
    ...(members !== undefined && { allowed: members }),
  }
}

function nameIn (params: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => params[key]).find((name) => typeof name === 'string')
}

const textOf = (value: unknown): string => typeof value === 'string' ? value : JSON.stringify(value)

function sourceOf (pointer: string, part: HttpPart): ErrorSource | undefined {
  if (part === 'body') return { pointer }
  const [parameter] = segmentsOf(pointer)
  return parameter === undefined ? undefined : { parameter }
}

/** The names of parts other than bodies, and of what they contain. */
const WORDS = {
  params: { whole: 'The path', one: (name: string) => `The path's ${name}` },
  querystring: { whole: 'The query string', one: (name: string) => `The parameter '${name}'` },
  headers: { whole: 'The headers', one: (name: string) => `The header '${name}'` },
} as const

/** The subject of a sentence: the place that a pointer leads to. */
function subjectOf (pointer: string, part: HttpPart): { readonly short: string, readonly long: string } {
  const segments = segmentsOf(pointer)
  if (part !== 'body') {
    const subject = segments[0] === undefined ? WORDS[part].whole : WORDS[part].one(segments[0])
    return { short: subject, long: subject }
  }
  if (segments.length === 0) return { short: 'The body', long: 'The body' }
  const name = segments.map((segment, index) =>
    /^\d+$/.test(segment) ? `[${segment}]` : index === 0 ? segment : `.${segment}`
  ).join('')
  return { short: `'${name}'`, long: `The property '${name}'` }
}
