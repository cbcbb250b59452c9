/**
 * The validators of a resource's routes, which Fastify calls between `preValidation` and `preHandler`. They let the
 * input of the request decide its key, its query string and its body. Nothing is converted or dropped.
 */
import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchema, HTTPMethods } from 'fastify'
import { validatorCompilerOf } from '../../borrowed/fastify.ts'
import { isRefusal, RequestValidationError, validationOf, type RequestError } from '../../base/errors.ts'
import { isObject } from '../../base/is-object.ts'
import { IDEMPOTENCY_KEY } from '../schemas/headers.ts'
import { timesOf } from '../timing.ts'
import { withoutListParameters } from '../without-list-parameters.ts'
import { validatedInput, type RouteInput } from './route-input.ts'
import type { HttpPart } from './own-schema-errors.ts'
import { both, ownCheck, withoutChanges, type OwnBodies, type OwnCheck, type Validator } from './own-schemas.ts'

/** Compiles a schema of the application with the server's own validator. */
type CompileOwn = (schema: object, part: HttpPart, method: string, url: string) => Validator

const acceptAll = (): boolean => true

type ValidatorCompiler = (part: {
  readonly schema: unknown,
  readonly httpPart?: string,
  readonly method?: string,
  readonly url?: string,
  readonly contentType?: string,
}) => Validator

const CHECKS: { readonly [Part in HttpPart]: () => unknown } = {
  params: judged((input) => input.key()),
  querystring: judged(planning((input) => input.query())),
  body: judged(planning((input) => input.accept())),
  headers: judged((input) => input.idempotencyKey()),
}

/**
 * The compiler of a route's validators.
 *
 * @param generated the generated schema of the route
 * @param bodies the application's own schemas of new records
 */
export function routeValidation (
  method: HTTPMethods,
  generated: FastifySchema,
  bodies: OwnBodies | undefined,
  compileOwn: CompileOwn
): ValidatorCompiler {
  const takesKeys = generated.headers !== undefined && IDEMPOTENCY_KEY in (generated.headers as TObject).properties
  return ({ schema, httpPart, contentType, url = '' }) => {
    const part = httpPart as HttpPart
    const ours = part === 'headers' && !takesKeys ? acceptAll : CHECKS[part]
    const compile = (schema: object): OwnCheck => ownCheck(compileOwn(schema, part, method as string, url), part)
    const ofBodies = part === 'body' ? bodies?.check(schema, contentType, compile) : undefined
    if (ofBodies !== undefined) return both(ours, ofBodies)
    if (schema === generated[part]) return ours
    const theirs = compile(schema as object)
    return both(ours, part === 'body' ? withoutChanges(theirs) : theirs)
  }
}

/**
 * Makes a validator of a function that throws. Fastify answers 400 for every error of a validator, so an error that is
 * no refusal is left to the handler, which meets it again.
 */
function judged (decide: (input: RouteInput) => unknown): () => unknown {
  return () => {
    const input = validatedInput()
    // without its role, an error could name what the role does not see: the handler decides
    if (input === undefined) return true
    try {
      decide(input)
      return true
    } catch (error) {
      return isRefusal(error) ? { error: withValidation(error) } : true
    }
  }
}

/** Adds Fastify's `validation` to the errors of query strings. Those of bodies and keys have it. */
function withValidation (error: Error & RequestError): Error {
  if (!(error instanceof RequestValidationError)) Object.assign(error, { validation: error.errors.map(validationOf) })
  return error
}

/** Measures a decision as the stage `plan` of its request. */
function planning (decide: (input: RouteInput) => unknown): (input: RouteInput) => void {
  return (input) => {
    const times = timesOf(input.request)
    const before = times?.enter('plan')
    try {
      decide(input)
    } finally {
      if (times !== undefined) times.enter(before)
    }
  }
}

/**
 * Compiles schemas as Fastify does for a route of the instance.
 *
 * @param inBody whether the query of the route is its body, so that its URL takes no parameters of a list
 */
export function compileWith (fastify: FastifyInstance, inBody = false): CompileOwn {
  const shared = (id: string): unknown => fastify.getSchema(id)
  return (schema, httpPart, method, url) => {
    const { compile, isCustom } = validatorCompilerOf(fastify)
    const own = inBody && httpPart === 'querystring' ? withoutListParameters(schema, shared) as object : schema
    const read = httpPart === 'headers' && !isCustom ? lowerCase(own) : own
    return compile({ schema: read as never, httpPart, method, url }) as ReturnType<CompileOwn>
  }
}

/** A schema of headers with the names in lower case, as Node.js writes them. */
function lowerCase (schema: object): object {
  const { properties, required, ...rest } = schema as { readonly properties?: unknown, readonly required?: unknown }
  const lower = (name: string): string => name.toLowerCase()
  return {
    ...rest,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [lower(name), value])),
    }),
    ...(Array.isArray(required) && { required: required.map(String).map(lower) }),
  }
}
