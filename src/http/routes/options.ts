/** The options of a resource's routes. */
import type { FastifyRequest, RegisterOptions, RouteOptions } from 'fastify'
import type { Condition } from '../../config/index.ts'
import type { CrudBase } from '../../crud/index.ts'
import type { CrudOperation } from '../options.ts'
import type { StreamOptions } from '../streams/index.ts'
import type { RouteTransactions } from './transactions.ts'

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
