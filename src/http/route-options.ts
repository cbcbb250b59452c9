/** The options of a resource's routes and of its streams. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import type { FastifyRequest, RegisterOptions, RouteOptions } from 'fastify'
import { closed, defaultsOf, oneOf, refusedAs, withDefault } from '../base/option-checks.ts'
import {
  factsOf, MAX_AFFECTED, notAnOperation, OPERATIONS, type EntityCondition, type CrudOperation,
} from '../config/index.ts'
import type { CrudBase } from '../crud/index.ts'
import type { TransactionOptions } from '../database/index.ts'

export { OPERATIONS, type CrudOperation }

/** All operations except those that have to be enabled. */
export const DEFAULT_OPERATIONS: readonly CrudOperation[] = OPERATIONS.filter((operation) => !factsOf(operation).optIn)

/** The media types of streams. */
export const STREAM_TYPES = ['application/x-ndjson', 'text/csv'] as const

/** The maximum of a timer in Node.js, and of a statement timeout in PostgreSQL. */
export const MAX_MILLIS = 2 ** 31 - 1

const CsvOptionsSchema = Type.Object({
  /** Put an apostrophe before texts that a spreadsheet would execute as a formula. Default: true. */
  escapeFormulas: withDefault(Type.Boolean(), true),
}, closed)

/** How records become lines of CSV. */
export interface CsvOptions extends Readonly<Static<typeof CsvOptionsSchema>> {}

export const StreamOptionsSchema = Type.Object({
  /**
   * How long a client may stop reading before it is disconnected, in milliseconds. The limit exists because a stream
   * occupies a connection of the pool. Default: 30 000.
   */
  stallTimeoutMillis: withDefault(Type.Integer({ minimum: 1, maximum: MAX_MILLIS }), 30_000),
  /** How long a stream may take as a whole, in milliseconds; 0 for no limit. Default: 3 600 000, an hour. */
  timeoutMillis: withDefault(Type.Integer({ minimum: 0, maximum: MAX_MILLIS }), 3_600_000),
  /** How long open streams may continue when the server closes, in milliseconds. Default: 10 000. */
  closeTimeoutMillis: withDefault(Type.Integer({ minimum: 0, maximum: MAX_MILLIS }), 10_000),
  /** How records become lines of CSV. */
  csv: Type.Optional(Type.Unsafe<CsvOptions>(CsvOptionsSchema)),
}, closed)

/** The options of streams. */
export interface StreamOptions extends Readonly<Static<typeof StreamOptionsSchema>> {}

export const IdempotencyOptionsSchema = Type.Object({
  /** Refuse writes without the header. Default: false. */
  required: withDefault(Type.Boolean(), false),
  /** How long the answer of a write is kept, in hours. Default: 24. */
  ttlHours: withDefault(Type.Integer({ minimum: 1, maximum: 87_600 }), 24),
  /**
   * Returns a name for the caller of a request, such as the id of a user: a key belongs to this name. Without
   * it, or if it returns `undefined`, callers are told apart by the headers Authorization, Cookie, X-Api-Key and Host.
   */
  principal: Type.Optional(
    Type.Unsafe<(request: FastifyRequest) => string | undefined | Promise<string | undefined>>(
      Type.Function([], Type.Any())
    )
  ),
}, closed)

/** How writes with the header `Idempotency-Key` are answered. */
interface IdempotencyOptions extends Readonly<Static<typeof IdempotencyOptionsSchema>> {}

/** Whether an operation uses a transaction, or the options of its transaction. */
export type RouteTransaction = boolean | TransactionOptions
/** The same setting for all operations of a resource, or for each operation. */
export type RouteTransactions = RouteTransaction | { readonly [Operation in CrudOperation]?: RouteTransaction }

/** Fastify's hooks of a route. Other names are refused, since their hooks would never run. */
const HOOKS = [
  'onRequest', 'preParsing', 'preValidation', 'preHandler', 'preSerialization', 'onSend', 'onResponse', 'onTimeout',
  'onError', 'onRequestAbort',
] as const satisfies readonly (keyof RouteOptions)[]

/** Fastify's hooks of a route. An interface, since its name is what declarations show. */
export interface RouteHooks extends Partial<Pick<RouteOptions, typeof HOOKS[number]>> {}

const HooksSchema = Type.Optional(
  Type.Object(Object.fromEntries(HOOKS.map((name) => [name, Type.Optional(Type.Any())])), closed)
)

const byOperation = <Value>(value: Value) => Object.fromEntries(OPERATIONS.map((name) => [name, value]))
const Operation = refusedAs(oneOf(OPERATIONS), (value, place) => `${place}: ${notAnOperation(value)}`)
const RefuseOrIgnore = oneOf(['refuse', 'ignore'])

/** The options of `crudRoutes`, without `crud` and Fastify's `prefix`. */
export const ResourceOptionsSchema = Type.Object({
  /** The operations to make routes for. Default: all but aggregate, createMany, upsert, updateMany and deleteMany. */
  operations: Type.Optional(
    Type.Unsafe<readonly CrudOperation[]>(Type.Array(Operation, { minItems: 1, uniqueItems: true }))
  ),
  scope: Type.Optional(Type.Function([], Type.Any())),
  /** Hooks of all routes and of single operations. The hooks in `all` run first. */
  hooks: Type.Optional(
    Type.Unsafe<
      {
        /** Hooks of all routes. They run before those of a single operation. */
        readonly all?: RouteHooks,
      } & { readonly [Operation in CrudOperation]?: RouteHooks }
    >(
      Type.Object({ all: HooksSchema, ...byOperation(HooksSchema) }, closed)
    )
  ),
  /** Merged into the `config` of all routes. */
  config: Type.Optional(Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}))),
  /** Maximum number of records in the list of a createMany or upsert, and of children in a body. Default: 1 000. */
  maxBatch: withDefault(Type.Integer({ minimum: 1 }), 1_000),
  /** Maximum number of records that one updateMany or deleteMany may write. Default: 100. */
  maxAffected: withDefault(Type.Integer({ minimum: 1 }), MAX_AFFECTED),
  /** Let `DELETE /:id?hard=true` remove rows that could be marked as deleted. Default: false. */
  allowHardDelete: withDefault(Type.Boolean(), false),
  /** Refuse PUT, PATCH and DELETE without If-Match, which names a version of the record. Default: false. */
  requireIfMatch: withDefault(Type.Boolean(), false),
  /** Whether to refuse or to ignore properties in bodies that clients may read but not write. Default: refuse. */
  readonlyProperties: withDefault(RefuseOrIgnore, 'refuse'),
  /**
   * Whether to refuse or to ignore parameters that are not part of the query language. Parameters that a route's own
   * schema declares (`schemas.list.querystring`) are never refused. Default: refuse.
   */
  unknownParameters: withDefault(RefuseOrIgnore, 'refuse'),
  /** Parts of the routes' schemas to replace. */
  schemas: Type.Optional(
    Type.Unsafe<{ readonly [Operation in CrudOperation]?: NonNullable<RouteOptions['schema']> }>(
      Type.Object(byOperation(Type.Optional(Type.Object({}))), closed)
    )
  ),
  /**
   * Do the work of a request in a transaction, including the hooks of `CrudBase` and `scope`: `true`, or the options
   * of `withTransaction`, for all operations or by operation. Transactions of reads are read-only by default.
   * Default: false, so that only writes that need a transaction use one.
   */
  transaction: Type.Optional(Type.Unsafe<RouteTransactions>(Type.Unknown())),
  /**
   * Let `GET /` send all records that match the filters, and `GET /aggregate` all groups, without pages, to clients
   * that prefer `application/x-ndjson` or `text/csv` to JSON: `true`, or options. Default: false.
   */
  stream: withDefault(Type.Unsafe<boolean | StreamOptions>(Type.Union([Type.Boolean(), StreamOptionsSchema])), false),
  /**
   * Let clients combine filters by `and`, `or` and `not`: in the query strings of lists, updateMany and deleteMany,
   * and in the bodies of `QUERY /` and `POST /query`, which are lists. Default: false.
   */
  query: withDefault(Type.Boolean(), false),
  /**
   * Let clients repeat a write: a request with the header `Idempotency-Key` that was done before gets its answer again,
   * and changes nothing. `true`, or options. The ORM needs the entity `IdempotencyRecord`. Default: false.
   */
  idempotency: withDefault(
    Type.Unsafe<boolean | IdempotencyOptions>(Type.Union([Type.Boolean(), IdempotencyOptionsSchema])),
    false
  ),
  /**
   * Send the header `Link` with lists and aggregates: the first, the previous and the next page, and the last one if
   * the total is exact. Default: false.
   */
  links: withDefault(Type.Boolean(), false),
  /**
   * Answer reads with an entity tag (`ETag`), and with 304 if `If-None-Match` names it. The tag of a record that is
   * shown as a whole is its version. Other views of it have the version and a digest, every other answer a digest.
   * Default: false.
   */
  conditional: withDefault(Type.Boolean(), false),
  /** Send the duration of a request's stages in the header Server-Timing. Default: the option of `crudKit`. */
  serverTiming: Type.Optional(Type.Boolean()),
  /** Name of the resource in documentation. Default: the name of its table. */
  name: Type.Optional(Type.String({ minLength: 1 })),
}, closed)

/** The default maximum number of records in one batch. */
export const { maxBatch: DEFAULT_MAX_BATCH } = defaultsOf(ResourceOptionsSchema)

/** The options of `fastify.register(crudRoutes, ...)`. */
export interface CrudRoutesOptions<Entity extends object = any>
  extends RegisterOptions, Readonly<Omit<Static<typeof ResourceOptionsSchema>, 'scope'>> {
  /** The CRUD class whose operations the routes call. */
  readonly crud: CrudBase<Entity, any, any>
  /**
   * Returns a condition, in MikroORM's query language, on the rows that a request may use; `{}` allows all. It holds
   * for every request. Do not confuse it with `AllowedFilters.scope`, which is a filter that clients may switch on.
   */
  readonly scope?: (request: FastifyRequest) => EntityCondition<Entity> | Promise<EntityCondition<Entity>>
}
