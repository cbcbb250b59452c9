/** The options of a resource's routes. */
import { Type } from '@sinclair/typebox'
import type { FastifyRequest, RegisterOptions, RouteOptions } from 'fastify'
import { OPERATIONS, type Condition, type CrudOperation } from '../config/index.ts'
import type { CrudBase } from '../crud/index.ts'
import type { TransactionOptions } from '../database/index.ts'

export { OPERATIONS, type CrudOperation }

/** All operations except createMany, which has to be enabled. */
export const DEFAULT_OPERATIONS: readonly CrudOperation[] = OPERATIONS.filter((operation) => operation !== 'createMany')

/** The default maximum number of records in one batch. */
export const DEFAULT_MAX_BATCH = 1_000

/** The default limits of streams, in milliseconds. */
export const DEFAULT_STREAM = {
  stallTimeoutMillis: 30_000,
  timeoutMillis: 3_600_000,
  closeTimeoutMillis: 10_000,
} as const

/** The media types of streams. */
export const STREAM_TYPES = ['application/x-ndjson', 'text/csv'] as const

const Func = Type.Unsafe<(...args: never[]) => unknown>(Type.Function([], Type.Any()))
const closed = { additionalProperties: false }

/** Fastify's hooks of a route. Other names are refused, since their hooks would never run. */
const HOOKS = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onResponse',
  'onTimeout',
  'onError',
  'onRequestAbort',
]
const HooksSchema = Type.Optional(
  Type.Object(Object.fromEntries(HOOKS.map((name) => [name, Type.Optional(Type.Any())])), closed)
)

/** The maximum of a timer in Node.js, and of a statement timeout in PostgreSQL. */
export const MAX_MILLIS = 2 ** 31 - 1

const StreamOptionsSchema = Type.Object({
  stallTimeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_MILLIS,
      default: DEFAULT_STREAM.stallTimeoutMillis,
      description: 'How long a client may read nothing before it is disconnected.',
    })
  ),
  timeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MILLIS,
      default: DEFAULT_STREAM.timeoutMillis,
      description: 'How long a stream may take as a whole; 0 for no limit.',
    })
  ),
  closeTimeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MILLIS,
      default: DEFAULT_STREAM.closeTimeoutMillis,
      description: 'How long open streams may go on when the server closes.',
    })
  ),
  csv: Type.Optional(Type.Object({
    escapeFormulas: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Puts an apostrophe before texts that a spreadsheet would take for a formula.',
      })
    ),
  }, closed)),
}, closed)

/** The options of `crudRoutes`, without `crud` and Fastify's `prefix`. */
export const ResourceOptionsSchema = Type.Object({
  operations: Type.Optional(Type.Array(Type.Union(OPERATIONS.map((name) => Type.Literal(name))), {
    minItems: 1,
    uniqueItems: true,
    description: 'The routes to make. Default: all but createMany.',
  })),
  scope: Type.Optional(Func),
  hooks: Type.Optional(Type.Object({
    all: HooksSchema,
    ...Object.fromEntries(OPERATIONS.map((name) => [name, HooksSchema])),
  }, { ...closed, description: "Fastify's route hooks, for all operations or for one." })),
  config: Type.Optional(Type.Object({}, { description: "Merged into the routes' `config`." })),
  schemas: Type.Optional(
    Type.Object(Object.fromEntries(OPERATIONS.map((name) => [name, Type.Optional(Type.Object({}))])), {
      ...closed,
      description: "Parts of the routes' schemas to replace, by operation.",
    })
  ),
  maxBatch: Type.Optional(
    Type.Integer({ minimum: 1, default: DEFAULT_MAX_BATCH, description: 'Records that one request may create.' })
  ),
  allowHardDelete: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Lets DELETE /:id?hard=true remove rows that could be marked as deleted.',
    })
  ),
  requireIfMatch: Type.Optional(
    Type.Boolean({ default: false, description: 'Refuses PUT, PATCH and DELETE without If-Match.' })
  ),
  readonlyProperties: Type.Optional(Type.Union([Type.Literal('refuse'), Type.Literal('ignore')], {
    default: 'refuse',
    description: 'Whether to refuse or ignore properties in a body that clients may read but not write.',
  })),
  unknownParameters: Type.Optional(Type.Union([Type.Literal('refuse'), Type.Literal('ignore')], {
    default: 'refuse',
    description: "Whether to refuse or ignore parameters that neither the query language nor a route's own schema has.",
  })),
  transaction: Type.Optional(
    Type.Unknown({
      description:
        'true, or options of a transaction, for all operations or by operation: runs the work of a request in one.',
    })
  ),
  stream: Type.Optional(Type.Union([Type.Boolean(), StreamOptionsSchema], {
    default: false,
    description: 'Lets lists be streamed as NDJSON or CSV.',
  })),
  serverTiming: Type.Optional(
    Type.Boolean({ description: "Sends how long the stages of a request took, as Server-Timing. Default: crudKit's." })
  ),
  name: Type.Optional(
    Type.String({ minLength: 1, description: "Name of the resource in documentation. Default: its table's." })
  ),
}, closed)

/** How records become lines of CSV. */
export interface CsvOptions {
  /**
   * Put an apostrophe before texts that a spreadsheet would execute as a formula. Default: true.
   */
  readonly escapeFormulas?: boolean
}

/** The options of streams. */
export interface StreamOptions {
  /**
   * How long a client may stop reading before it is disconnected, in milliseconds. The limit exists because a stream
   * occupies a connection of the pool. Default: 30 000.
   */
  readonly stallTimeoutMillis?: number
  /** How long a stream may take as a whole, in milliseconds; 0 for no limit. Default: 3 600 000, an hour. */
  readonly timeoutMillis?: number
  /** How long open streams may continue when the server closes, in milliseconds. Default: 10 000. */
  readonly closeTimeoutMillis?: number
  /** How records become lines of CSV. */
  readonly csv?: CsvOptions
}

/** Whether an operation uses a transaction, or the options of its transaction. */
export type RouteTransaction = boolean | TransactionOptions
/** The same setting for all operations of a resource, or for each operation. */
export type RouteTransactions = RouteTransaction | { readonly [Operation in CrudOperation]?: RouteTransaction }

/** Fastify's hooks of a route. */
export type RouteHooks = Partial<
  Pick<
    RouteOptions,
    | 'onRequest'
    | 'preParsing'
    | 'preValidation'
    | 'preHandler'
    | 'preSerialization'
    | 'onSend'
    | 'onResponse'
    | 'onTimeout'
    | 'onError'
    | 'onRequestAbort'
  >
>

/** The options of `fastify.register(crudRoutes, ...)`. */
export interface CrudRoutesOptions<Entity extends object = any> extends RegisterOptions {
  /** The CRUD class whose operations the routes call. */
  readonly crud: CrudBase<Entity, any, any>
  /** The operations to make routes for. Default: all but createMany. */
  readonly operations?: readonly CrudOperation[]
  /**
   * Returns a condition, in MikroORM's query language, on the rows that a request may use; `{}` allows all. It holds
   * for every request. Do not confuse it with `AllowedFilters.scope`, which is a filter that clients may switch on.
   */
  readonly scope?: (request: FastifyRequest) => Condition<Entity> | Promise<Condition<Entity>>
  /** Hooks of all routes and of single operations. The hooks in `all` run first. */
  readonly hooks?: {
    /** Hooks of all routes. They run before those of a single operation. */
    readonly all?: RouteHooks,
  } & { readonly [Operation in CrudOperation]?: RouteHooks }
  /** Merged into the `config` of all routes. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Maximum number of records that one createMany may create. Default: 1 000. */
  readonly maxBatch?: number
  /** Let `DELETE /:id?hard=true` remove rows that could be marked as deleted. Default: false. */
  readonly allowHardDelete?: boolean
  /** Refuse PUT, PATCH and DELETE without If-Match, which names a version of the record. Default: false. */
  readonly requireIfMatch?: boolean
  /** Whether to refuse or to ignore properties in bodies that clients may read but not write. Default: refuse. */
  readonly readonlyProperties?: 'refuse' | 'ignore'
  /**
   * Whether to refuse or to ignore parameters that are not part of the query language. Parameters that a route's own
   * schema declares (`schemas.list.querystring`) are never refused. Default: refuse.
   */
  readonly unknownParameters?: 'refuse' | 'ignore'
  /** Parts of the routes' schemas to replace. */
  readonly schemas?: { readonly [Operation in CrudOperation]?: NonNullable<RouteOptions['schema']> }
  /**
   * Do the work of a request in a transaction, including the hooks of `CrudBase` and `scope`: `true`, or the options
   * of `withTransaction`, for all operations or by operation. Transactions of reads are read-only by default.
   * Default: false, so that only writes that need a transaction use one.
   */
  readonly transaction?: RouteTransactions
  /**
   * Let `GET /` send all records that match the filters, without pages, to clients that prefer `application/x-ndjson`
   * or `text/csv` to JSON: `true`, or options. Default: false.
   */
  readonly stream?: boolean | StreamOptions
  /** Send the duration of a request's stages in the header Server-Timing. Default: the option of `crudKit`. */
  readonly serverTiming?: boolean
  /** Name of the resource in documentation. Default: the name of its table. */
  readonly name?: string
}
