/**
 * What a request wants of a resource: its operation, the resource as its role sees it, its key, and its plan or body.
 * Fastify's validation phase decides each part once, and a handler gets nothing else.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { TRecord, TString, TUnknown } from '@sinclair/typebox'
import type {
  FastifyReply, FastifyRequest, RawRequestDefaultExpression, RawServerDefault, RouteGenericInterface,
} from 'fastify'
import { hasPreHandler } from '../../borrowed/fastify.ts'
import {
  checkGet, checkWriteQuery, planList, planMany, planStream, readUpsertKey, type Id, type ManyTarget,
  type UnknownOptions, type UpsertKey,
} from '../../plan/index.ts'
import type { QueryParamError, QueryParams } from '../../query/index.ts'
import type { PlannedList } from '../../resource/index.ts'
import { declaredParameters } from '../declared-parameters.ts'
import type { CrudOperation } from '../route-options.ts'
import { acceptBody, type AcceptedBody } from './accepted-body.ts'
import type { RequestKey } from './idempotency.ts'
import type { SeenResource } from './seen-resource.ts'

/**
 * What is known of the schemas before there is an entity. With `attachValidation`, handlers also get bodies that the
 * schema refuses, so the type of a body is not a record.
 */
interface KnownSchema {
  readonly params: TRecord<TString, TString>
  readonly querystring: TRecord<TString, TUnknown>
}

/** A request of a generated route. Most of its schemas is made of an entity's metadata, at start-up. */
export type RouteRequest = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  RawRequestDefaultExpression,
  KnownSchema,
  TypeBoxTypeProvider
>

export type RouteHandler = (request: RouteRequest, reply: FastifyReply) => Promise<FastifyReply>

const kCall = Symbol('fastify-crud-kit.call')

/** The property that a request needs for its call. The plugin decorates requests with it, as null. */
export const CALL_PROPERTY: symbol = kCall

interface WithCall {
  [kCall]?: RouteCall | null
}

export class RouteCall {
  readonly request: RouteRequest
  readonly operation: CrudOperation
  readonly seen: SeenResource
  /** Whether the request prefers a stream to a page. */
  readonly streams: boolean
  /** The plan of the list that the request wants. */
  planned: PlannedList | undefined
  /** The body, after it was checked. */
  accepted: AcceptedBody | undefined
  #id: Id | undefined
  #readQuery: ReadQuery | undefined
  #requestKey: RequestKey | undefined

  constructor (request: RouteRequest, operation: CrudOperation, seen: SeenResource, streams: boolean) {
    this.request = request
    this.operation = operation
    this.seen = seen
    this.streams = streams
  }

  /**
   * The key in the path.
   *
   * @throws {RequestValidationError} for text that cannot be a key
   */
  key (): Id {
    this.#id ??= this.seen.readKey(this.request.params)
    return this.#id
  }

  /**
   * Plans or checks the query string.
   *
   * @throws one error for all mistakes in the query string
   */
  query (): ReadQuery {
    this.#readQuery ??= this.#query()
    return this.#readQuery
  }

  #query (): ReadQuery {
    const { request, seen: { resource: { whitelist }, options } } = this
    switch (this.operation) {
      case 'list': {
        const params = request.queryParams
        if (this.streams) planStream(params, whitelist, this.#unknown())
        else this.planned = { params, whitelist, plan: planList(params, whitelist, this.#unknown()) }
        return NOTHING
      }
      case 'get':
        checkGet(request.queryParams, whitelist, this.#unknown())
        return NOTHING
      case 'updateMany':
      case 'deleteMany':
        return this.#queryOfMany(options.allowHardDelete === true)
      case 'upsert':
        return this.#queryOfUpsert()
      default:
        // most writes have no query string
        if (!request.url.includes('?') && Object.keys(request.query).length === 0) return NOTHING
        return this.#queryOfWrite(options.allowHardDelete === true)
    }
  }

  #queryOfWrite (allowsHard: boolean): ReadQuery {
    const { request: { queryParams, query }, seen: { resource: { whitelist } } } = this
    const removes = this.operation === 'delete'
    const declared = removes && allowsHard ? ['hard'] : []
    checkWriteQuery(
      without(queryParams, ['hard']),
      whitelist,
      { ...this.#unknownTo(declared), strict: STRICT },
      mistakesOf({ hard: hardMistake(query['hard'], removes, allowsHard) })
    )
    return { ...NOTHING, hard: removes && query['hard'] === 'true' }
  }

  #queryOfMany (allowsHard: boolean): ReadQuery {
    const { request: { queryParams, query }, seen: { resource: { whitelist, model } } } = this
    const removes = this.operation === 'deleteMany'
    const hard = removes && query['hard'] === 'true'
    const onlyLive = model.deletedAt !== undefined && !hard
    // most requests have no parameters but filters
    if (queryParams.unknown.length === 0) {
      return { ...NOTHING, target: planMany(queryParams, whitelist, { onlyLive }) }
    }
    const declared = removes && allowsHard ? ['hard', 'dry_run'] : ['dry_run']
    const target = planMany(
      without(queryParams, ['hard', 'dry_run']),
      whitelist,
      { ...this.#unknownTo(declared), strict: STRICT, onlyLive },
      mistakesOf({
        hard: hardMistake(query['hard'], removes, allowsHard),
        dry_run: isFlag(query['dry_run']) ? undefined : "'dry_run' is true or false.",
      })
    )
    return { hard, dryRun: query['dry_run'] === 'true', target }
  }

  #queryOfUpsert (): ReadQuery {
    const { request: { queryParams, query }, seen: { resource: { whitelist, upsertKeys } } } = this
    const { key, error } = readUpsertKey(query['on'], upsertKeys)
    checkWriteQuery(
      without(queryParams, ['on']),
      whitelist,
      { ...this.#unknownTo(['on']), strict: STRICT },
      error === undefined ? [] : [error]
    )
    return { ...NOTHING, key }
  }

  /** What is to happen to parameters that are not part of the query language. */
  #unknown (): UnknownOptions {
    return this.request.queryParams.unknown.length > 0 ? this.#unknownTo([]) : {}
  }

  #unknownTo (own: readonly string[]): UnknownOptions {
    const { names, open } = declaredParameters(this.request)
    return {
      refuseUnknown: this.seen.options.unknownParameters !== 'ignore' && !open,
      declared: [...own, ...names],
    }
  }

  /**
   * The header Idempotency-Key, with what the request asks for; `undefined` for a request without one, and for one that
   * only counts what it would change.
   *
   * @throws {IdempotencyKeyError} for a header that is not a key, and for a missing one where keys are required
   */
  idempotencyKey (): RequestKey | undefined {
    const { idempotency } = this.seen
    // a dry run has nothing to repeat
    if (idempotency === undefined || this.query().dryRun) return undefined
    // hooks on preHandler may change the body: what the client has sent counts
    this.#requestKey ??= idempotency.keyOf(this.request)
    return this.#requestKey
  }

  /**
   * Checks the body.
   *
   * @throws {RequestValidationError} for mistakes in it
   */
  accept (): void {
    this.accepted = acceptBody(this, !hasPreHandler(this.request))
  }

  /** The rows of the body, if they are decided. Otherwise the operation reads its data. */
  get rows (): AcceptedBody['rows'] {
    return this.accepted?.body === this.request.body ? this.accepted?.rows : undefined
  }

  /** Forgets what a hook can have changed since it was decided. Query parameters are frozen. */
  forget (): void {
    this.#id = undefined
    this.accepted = undefined
    if (this.operation !== 'list' && this.operation !== 'get') this.#readQuery = undefined
  }
}

/** What a query string says beside what it selects. */
interface ReadQuery {
  /** Whether a delete is to remove its rows for good. */
  readonly hard: boolean
  /** Whether a write of many records is only to count them. */
  readonly dryRun: boolean
  /** The records that a write of many is about. */
  readonly target?: ManyTarget
  /** The key of an upsert. */
  readonly key?: UpsertKey | undefined
}

const NOTHING: ReadQuery = { hard: false, dryRun: false }

/**
 * The parameters that are refused even if unknown parameters are ignored: without `hard`, the row would not be removed,
 * and without `dry_run`, it would be written.
 */
const STRICT: readonly string[] = ['hard', 'dry_run']

/** Query parameters without some that have errors of their own. */
function without (params: QueryParams, names: readonly string[]): QueryParams {
  return { ...params, unknown: params.unknown.filter((name) => !names.includes(name)) }
}

/** The errors of parameters, by their names. */
function mistakesOf (mistakes: Readonly<Record<string, string | undefined>>): readonly QueryParamError[] {
  return Object.entries(mistakes).flatMap(([parameter, detail]) =>
    detail === undefined ? [] : [{ source: { parameter }, code: 'FST_CRUD_QUERY_INVALID', detail }]
  )
}

const isFlag = (value: unknown): boolean => value === undefined || value === 'true' || value === 'false'

function hardMistake (hard: unknown, removes: boolean, allowed: boolean): string | undefined {
  if (hard === undefined) return undefined
  if (!removes) return "'hard' belongs to DELETE."
  if (!allowed) return "'hard' is not enabled for this resource."
  return isFlag(hard) ? undefined : "'hard' is true or false."
}

/**
 * The call that is being validated. Fastify's validators get only the data. Fastify calls them right after the last
 * hook on `preValidation`, before any microtask.
 */
let current: RouteCall | undefined

/** Keeps the call of a request, which Fastify validates at once. */
export function beginValidation (call: RouteCall): void {
  ;(call.request as WithCall)[kCall] = call
  current = call
  queueMicrotask(endValidation)
}

function endValidation (): void {
  current = undefined
}

/**
 * The call that is being validated. It is `undefined` if Fastify has waited since the call began, for a hook on
 * `preValidation` that was added behind ours, or for a validator of the application. Then the handler decides, because
 * data does not tell whose it is: requests without a body have the same, and a parser may keep query strings.
 */
export function validatedCall (): RouteCall | undefined {
  return current
}

/** The call of a request, for its handler. What hooks on `preHandler` can have changed is decided again. */
export function callOfRequest (request: FastifyRequest): RouteCall {
  const call = (request as WithCall)[kCall]!
  if (hasPreHandler(request)) call.forget()
  return call
}

/** The plan of the list that a request wants, if it has been validated. */
export function plannedListOf (request: FastifyRequest): PlannedList | undefined {
  return (request as WithCall)[kCall]?.planned
}
