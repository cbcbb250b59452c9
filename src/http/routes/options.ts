/** The options of a resource's routes. */
import type { FastifyRequest, RegisterOptions, RouteOptions } from 'fastify'
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

/** What `fastify.register(crudRoutes, ...)` takes. */
export interface CrudRoutesOptions extends RegisterOptions {
  /** What the routes call. */
  readonly crud: CrudBase<any>
  /** The routes to make. Default: all but createMany. */
  readonly operations?: readonly CrudOperation[]
  /** A condition, in MikroORM's query language, on the resource's rows that a request may touch; `{}` for all. */
  readonly scope?: (request: FastifyRequest) => object | Promise<object>
  /** Hooks of all routes, and of single ones: `all` runs first. */
  readonly hooks?: { readonly all?: RouteHooks } & { readonly [Operation in CrudOperation]?: RouteHooks }
  /** Merged into the `config` of all routes. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Records that one request may create where createMany is enabled. Default: 1 000. */
  readonly maxBatch?: number
  /** Let `DELETE /:id?hard=true` remove rows that could be marked as deleted. Default: false. */
  readonly allowHardDelete?: boolean
  /** Refuse PUT, PATCH and DELETE without If-Match. Default: false. */
  readonly requireIfMatch?: boolean
  /** Refuse bodies with properties that clients may read but not write, or ignore those. Default: refuse. */
  readonly readonlyProperties?: 'refuse' | 'ignore'
  /**
   * Refuse parameters that are not part of the query language, or ignore those. Parameters that a route's own schema
   * declares (`schemas.list.querystring`) are never refused. Default: refuse.
   */
  readonly unknownParameters?: 'refuse' | 'ignore'
  /** Parts of the routes' schemas to replace. */
  readonly schemas?: { readonly [Operation in CrudOperation]?: NonNullable<RouteOptions['schema']> }
  /**
   * Do the work of a request in a transaction, hooks of `CrudBase` and `scope` included: `true`, or options as
   * `withTransaction` takes them, for all operations or by operation. Reads are read-only, unless told otherwise.
   * Default: only what needs one.
   */
  readonly transaction?: RouteTransactions
  /**
   * Let `GET /` answer all records that the filters keep, without pages, to clients that accept `application/x-ndjson`
   * or `text/csv` rather than JSON: `true`, or options. Default: false.
   */
  readonly stream?: boolean | StreamOptions
  /** Send how long the stages of a request took, as the header Server-Timing. Default: what `crudKit` was told. */
  readonly serverTiming?: boolean
  /** Name of the resource in documentation. Default: the name of its table. */
  readonly name?: string
}
