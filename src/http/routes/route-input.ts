/**
 * The input of a route: what a request wants of a resource. It has the operation, the resource as the role sees it, the
 * key, and the plan or body. Fastify's validation phase decides each part once, and a handler gets nothing else.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { TRecord, TString, TUnknown } from '@sinclair/typebox'
import type {
  FastifyReply, FastifyRequest, RawRequestDefaultExpression, RawServerDefault, RouteGenericInterface,
} from 'fastify'
import { hasPreHandler } from '../../borrowed/fastify.ts'
import { factsOf } from '../../config/index.ts'
import type { Id } from '../../plan/index.ts'
import type { CheckedQuery } from '../../resource/index.ts'
import type { CrudOperation } from '../route-options.ts'
import type { StreamFormat } from '../streams/formats.ts'
import { acceptBody, type AcceptedBody } from './accepted-body.ts'
import type { RequestKey } from './idempotency.ts'
import { QUERY_STRINGS, type ReadQuery } from './query-string.ts'
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

const kInput = Symbol('fastify-crud-kit.input')

/** The property that a request needs for its input. The plugin decorates requests with it, as null. */
export const INPUT_PROPERTY: symbol = kInput

interface WithInput {
  [kInput]?: RouteInput | null
}

export class RouteInput {
  readonly request: RouteRequest
  readonly operation: CrudOperation
  readonly seen: SeenResource
  /** The format of the stream that the request prefers to a page, if it does. */
  readonly format: StreamFormat | undefined
  /** The body, after it was checked. */
  accepted: AcceptedBody | undefined
  #id: Id | undefined
  #readQuery: ReadQuery | undefined
  #requestKey: RequestKey | undefined

  constructor (
    request: RouteRequest,
    operation: CrudOperation,
    seen: SeenResource,
    format: StreamFormat | undefined
  ) {
    this.request = request
    this.operation = operation
    this.seen = seen
    this.format = format
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
    this.#readQuery ??= QUERY_STRINGS[factsOf(this.operation).query](this)
    return this.#readQuery
  }

  /** The same for an operation with query strings of this kind. */
  queryAs<Kind extends ReadQuery['kind']> (): ReadQuery & { readonly kind: Kind } {
    return this.query() as ReadQuery & { readonly kind: Kind }
  }

  /** The query string of a list or a record, if it has been checked. */
  get checked (): CheckedQuery | undefined {
    const query = this.#readQuery
    return query?.kind === 'list' || query?.kind === 'record' ? query.checked : undefined
  }

  /**
   * The header Idempotency-Key, with what the request asks for; `undefined` for a request without one, and for one that
   * only counts what it would change.
   *
   * @throws {IdempotencyKeyError} for a header that is not a key, and for a missing one where keys are required
   */
  idempotencyKey (): RequestKey | undefined {
    const { idempotency } = this.seen
    if (idempotency === undefined) return undefined
    const query = this.query()
    // a dry run has nothing to repeat
    if (query.kind === 'filters' && query.options.dryRun) return undefined
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
    if (factsOf(this.operation).writes) this.#readQuery = undefined
  }
}

/**
 * The input that is being validated. Fastify's validators get only the data. Fastify calls them right after the last
 * hook on `preValidation`, before any microtask.
 */
let current: RouteInput | undefined

/** Keeps the input of a request, which Fastify validates at once. */
export function beginValidation (input: RouteInput): void {
  ;(input.request as WithInput)[kInput] = input
  current = input
  queueMicrotask(endValidation)
}

function endValidation (): void {
  current = undefined
}

/**
 * The input that is being validated. It is `undefined` if Fastify has waited since the validation began, for a hook on
 * `preValidation` that was added behind ours, or for a validator of the application. Then the handler decides, because
 * data does not tell whose it is: requests without a body have the same, and a parser may keep query strings.
 */
export function validatedInput (): RouteInput | undefined {
  return current
}

/** The input of a request, for its handler. What hooks on `preHandler` can have changed is decided again. */
export function inputOfRequest (request: FastifyRequest): RouteInput {
  const input = (request as WithInput)[kInput]!
  if (hasPreHandler(request)) input.forget()
  return input
}

/** The query string of a request for a list or a record, if it has been checked. */
export function checkedQueryOf (request: FastifyRequest): CheckedQuery | undefined {
  return (request as WithInput)[kInput]?.checked
}
