/**
 * The validators of a resource's routes, which Fastify calls between `preValidation` and `preHandler`. Keys and bodies
 * are checked by the compiled schemas of the resource, query strings by the planner. Nothing is converted or dropped.
 */
import type { FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from 'fastify'
import { CrudBase } from '../../crud/index.ts'
import { RequestValidationError, validationOf, type RequestError } from '../../base/errors.ts'
import type { EntityModel } from '../../model/index.ts'
import type { BodyRules } from '../../plan/index.ts'
import type { Resource } from '../../resource/index.ts'
import { checkChanges, checkNewBodies } from '../../write/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { timesOf } from '../timing.ts'
import { noteAccepted } from './accepted-body.ts'
import { checkBatch, bodyError, LIST, NO_BODY, ONE_RECORD } from './body.ts'
import { keyReader } from './key.ts'
import { withItems } from './own-errors.ts'
import type { OwnBodies } from './own-bodies.ts'
import { both, withoutChanges, type HttpPart, type Validator, type Verdict } from './own-schema.ts'
import type { QueryChecks } from './query-checks.ts'
import type { RouteRequest } from './request.ts'

/** Compiles a schema of the application with the server's own validator. */
export type CompileOwn = (schema: object, part: HttpPart, method: string, url: string) => Validator

export interface RouteValidation {
  /** Runs after the application's hooks, so that the validators know the request of the data that they get. */
  readonly preValidation: (request: FastifyRequest, reply: FastifyReply, done: () => void) => void
  readonly validatorCompiler: (part: {
    readonly schema: unknown,
    readonly httpPart?: string,
    readonly method?: string,
    readonly url?: string,
    readonly contentType?: string,
  }) => Validator
}

/**
 * The request that is being validated. Fastify's validators get only the data. Fastify calls them right after the last
 * hook on `preValidation`, in the same turn of the event loop. A WeakMap from data to requests would cost far more.
 */
let current: RouteRequest | undefined

/**
 * The request of a key, a query string or a body. It is `undefined` if a plugin has added an asynchronous hook on
 * `preValidation` after ours, and another request came in between. Then the handler checks the data.
 */
function requestOf (data: unknown, part: 'params' | 'query' | 'body'): RouteRequest | undefined {
  return current !== undefined && current[part] === data ? current : undefined
}

export interface ValidatedResource {
  readonly options: CrudRoutesOptions
  readonly operations: readonly CrudOperation[]
  /** The checks of a request's query string. */
  readonly checksOf: (request: RouteRequest) => QueryChecks
  /** Whether a request asks for a stream. */
  readonly streams: ((request: RouteRequest) => boolean) | undefined
  /** The resource of a request. Without a request, the one that all requests share. */
  readonly resourceOf: (request: RouteRequest | undefined) => Resource
  /** Tells what the rows of a request's role fill in. Absent if roles do not limit what requests may do. */
  readonly byRole?: { readonly fillsNothing: (request: RouteRequest) => boolean } | undefined
  readonly compileOwn: CompileOwn
}

/**
 * Makes the functions that validate the routes of a resource.
 *
 * @returns a function of a route, its generated schema, and the application's own schemas of new records
 */
export function routeValidation (
  resource: ValidatedResource
): (
    operation: CrudOperation,
    method: HTTPMethods,
    generated: FastifySchema,
    bodies: OwnBodies | undefined
  ) => RouteValidation {
  const checksBody = bodyChecks(resource)
  const checksKey = keyCheck(resource)
  return (operation, method, generated, bodies) => {
    const streams = operation === 'list' ? resource.streams : undefined
    const checks: { readonly [Part in HttpPart]: (data: unknown) => Verdict } = {
      params: judged((data) => checksKey(data as RouteRequest['params'])),
      querystring: judged((data) => {
        const request = requestOf(data, 'query')
        if (request !== undefined) planning(request, () => checkQuery(operation, request, resource))
      }),
      body: judged((data) => checksBody(operation, data)),
      headers: () => true,
    }
    return {
      preValidation (request, reply, done) {
        // an `onRoute` hook adds this one, whose type knows no schema
        current = request as RouteRequest
        if (streams !== undefined) reply.header('vary', 'accept')
        done()
      },
      validatorCompiler ({ schema, httpPart, contentType, url = '' }) {
        const part = httpPart as HttpPart
        const ours = checks[part]
        const compile = (schema: object): Validator => withItems(resource.compileOwn(schema, part, method, url), part)
        const ofBodies = part === 'body' ? bodies?.validator(schema, contentType, compile) : undefined
        if (ofBodies !== undefined) return both(ours, ofBodies)
        if (schema === generated[part]) return ours
        const theirs = compile(schema as object)
        return both(ours, part === 'body' ? withoutChanges(theirs) : theirs)
      },
    }
  }
}

/** Makes a validator of a function that throws. Fastify would answer 500 if its validator threw. */
function judged (check: (data: unknown) => void): (data: unknown) => Verdict {
  return (data) => {
    try {
      check(data)
      return true
    } catch (error) {
      return { error: withValidation(error) }
    }
  }
}

/** Adds Fastify's `validation` to the errors of query strings. Those of bodies and keys have it. */
function withValidation (error: unknown): unknown {
  const { errors } = error as Partial<RequestError>
  if (errors !== undefined && !(error instanceof RequestValidationError)) {
    Object.assign(error as object, { validation: errors.map(validationOf) })
  }
  return error
}

/** Measures work as the stage `plan` of a request. */
function planning (request: RouteRequest, work: () => void): void {
  const times = timesOf(request)
  const before = times?.enter('plan')
  try {
    work()
  } finally {
    if (times !== undefined) times.enter(before)
  }
}

function checkQuery (
  operation: CrudOperation,
  request: RouteRequest,
  { checksOf, streams }: ValidatedResource
): void {
  const checks = checksOf(request)
  switch (operation) {
    case 'list':
      return streams?.(request) === true ? checks.stream(request) : checks.list(request)
    case 'get':
      return checks.get(request)
    case 'delete':
      checks.remove(request)
      return
    default:
      return checks.write(request)
  }
}

/** Checks the keys in paths. A role that does not see the `uuid` of records cannot use it as a key. */
function keyCheck ({ resourceOf, byRole }: ValidatedResource): (params: RouteRequest['params']) => void {
  if (byRole === undefined) return keyReader(resourceOf(undefined).model)
  const readers = new WeakMap<EntityModel, ReturnType<typeof keyReader>>()
  return (params) => {
    const request = requestOf(params, 'params')
    // without its role, the check could name what the role does not see: the handler checks the key
    if (request === undefined) return
    const { model } = resourceOf(request)
    let readKey = readers.get(model)
    if (readKey === undefined) readers.set(model, readKey = keyReader(model))
    readKey(params)
  }
}

/** Checks the bodies of a resource's operations. */
function bodyChecks (
  { options, operations, resourceOf, byRole }: ValidatedResource
): (operation: CrudOperation, data: unknown) => void {
  const readonly = options.readonlyProperties === 'ignore'
  const completes = fillsNothing(options, operations)
  // functions of the application that are called after the handler has begun get the request, too
  const stays = !readonly && options.scope === undefined && byRole === undefined
  const readKey = keyReader(resourceOf(undefined).model)
  return (operation, data) => {
    // Fastify's validators get null in place of a body that is missing
    if (data === null && current !== undefined && current.body === undefined) throw bodyError(NO_BODY)
    const request = requestOf(data, 'body')
    // without its role, the check could name what the role does not see: the handler checks the data
    if (request === undefined && byRole !== undefined) return
    const complete = completes && (request === undefined || byRole?.fillsNothing(request) !== false)
    const { model, writable } = resourceOf(request)
    if (operation === 'update') {
      if (request === undefined) return
      checkChanges(data, readKey(request.params), model, writable.update as BodyRules, { readonly })
      if (stays) noteAccepted(data)
      return
    }
    const check = (records: readonly unknown[], pointer: (index: number) => string): void => {
      checkNewBodies(records, model, writable.create as BodyRules, { complete, readonly }, pointer)
      if (complete && stays && request !== undefined) noteAccepted(data)
    }
    if (!Array.isArray(data)) {
      if (!operations.includes('create')) throw bodyError(LIST)
      return check([data], () => '')
    }
    if (!operations.includes('createMany')) throw bodyError(ONE_RECORD)
    checkBatch(data, options.maxBatch)
    check(data, (index) => `/${index}`)
  }
}

/**
 * Whether the bodies of new records must be complete. Otherwise, a scope, the hook `beforeCreate` or a method of the
 * application fills in properties, and the operation checks what is missing after that.
 */
export function fillsNothing (
  { crud, scope }: CrudRoutesOptions,
  operations: readonly CrudOperation[]
): boolean {
  return scope === undefined && crud.beforeCreate === undefined &&
    (['create', 'createMany'] as const).every((operation) =>
      !operations.includes(operation) || crud[operation] === CrudBase.prototype[operation]
    )
}
