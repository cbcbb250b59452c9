/** TypeBox schemas of the whitelist: the shape of the options of `QueryBuilderConfig`. */
import { Type, type Static } from '@sinclair/typebox'
import { Alias, Name } from './entry-arguments.ts'
import { FilterSchema } from './filter-kinds.ts'
import type { CustomSortCallback } from './allowed-sort.ts'

const Where = Type.Optional(
  Type.Unsafe<object>(Type.Object({}, { description: "A condition in MikroORM's query language on the related rows" }))
)

const AllowedSortSchema = Type.Object({
  kind: Type.Literal('fields'),
  fields: Type.Array(Name, { minItems: 1, uniqueItems: true }),
  direction: Type.Union([Type.Literal('asc'), Type.Literal('desc')]),
  alias: Alias,
}, { title: 'AllowedSort' })

const CustomSortSchema = Type.Object({
  kind: Type.Literal('custom'),
  field: Name,
  direction: Type.Union([Type.Literal('asc'), Type.Literal('desc')]),
  alias: Alias,
  callback: Type.Unsafe<CustomSortCallback>(Type.Function([], Type.Any())),
}, { title: 'AllowedSort.custom' })

const AllowedFieldSchema = Type.Object({
  kind: Type.Literal('property'),
  field: Name,
  alias: Alias,
}, { title: 'AllowedField' })

const AllowedIncludeSchema = Type.Object({
  kind: Type.Literal('relation'),
  path: Name,
  alias: Alias,
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Largest number of related records of each record' })),
  sort: Type.Optional(
    Type.Readonly(Type.Array(Name, { minItems: 1, description: 'The order of the related records, e.g. -created_at' }))
  ),
  where: Where,
}, { title: 'AllowedInclude' })

const AggregateIncludeSchema = Type.Object({
  kind: Type.Literal('aggregate'),
  function: Type.Union((['count', 'exists', 'sum', 'min', 'max', 'avg'] as const).map(name => Type.Literal(name))),
  path: Name,
  alias: Alias,
  where: Where,
}, { title: 'AllowedInclude.count' })

/** One gibibyte, the length of PostgreSQL's longest values. */
const MAX_BYTES = 1_073_741_824

/** The largest number of rows that a list counts. */
const MAX_COUNTED = 1_000_000_000

/** Options of pagination, all optional. */
export const PaginationSchema = Type.Object({
  defaultPerPage: Type.Optional(Type.Integer({
    minimum: 1,
    default: 20,
    description: 'Items of a page when the URL does not say; at most maxPerPage',
  })),
  maxPerPage: Type.Optional(Type.Integer({
    minimum: 1,
    default: 100,
    description: 'Items that a client may ask for at once; more is an error',
  })),
  maxOffset: Type.Optional(Type.Integer({
    minimum: 0,
    default: 100_000,
    description: 'Items that a client may skip; more is an error',
  })),
  maxIncluded: Type.Optional(Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 10_000,
    description: 'Included records in one answer, counted as often as they appear; more is an error',
  })),
  maxBytes: Type.Optional(Type.Integer({
    minimum: 1,
    maximum: MAX_BYTES,
    default: 16_777_216,
    description: 'Bytes of the records in one answer; more is an error',
  })),
  count: Type.Optional(Type.Union([
    Type.Literal('exact'),
    Type.Literal('planned'),
    Type.Literal('none'),
    Type.Object({ upTo: Type.Integer({ minimum: 1, maximum: MAX_COUNTED }) }, { additionalProperties: false }),
  ], {
    default: 'exact',
    description: "The total: counted, estimated by PostgreSQL's planner, not given, or counted up to a number",
  })),
  estimateAllRows: Type.Optional(Type.Boolean({
    default: false,
    description:
      "With count: 'planned', estimate from statistics of all rows though requests may see only some of them",
  })),
}, { additionalProperties: false })

/**
 * The options of `new QueryBuilderConfig(...)`. The entries of the lists are instances of the `Allowed...` classes, and
 * the schema describes their properties.
 */
export const QueryBuilderConfigSchema = Type.Object({
  allowedFilters: Type.Optional(Type.Array(FilterSchema)),
  allowedSorts: Type.Optional(Type.Array(Type.Union([AllowedSortSchema, CustomSortSchema]))),
  allowedFields: Type.Optional(Type.Array(AllowedFieldSchema)),
  allowedIncludes: Type.Optional(Type.Array(Type.Union([AllowedIncludeSchema, AggregateIncludeSchema]))),
  defaultSort: Type.Optional(Type.Array(Name, {
    description: 'The order of a list when the URL has no sort, e.g. -created_at',
  })),
  ignoreInvalidErrors: Type.Optional(Type.Boolean({
    default: false,
    description: 'Drop invalid filters, sorts, fields and includes instead of refusing the request',
  })),
  pagination: Type.Optional(PaginationSchema),
}, { additionalProperties: false })

/** How lists get their total. */
export type Count = 'exact' | 'planned' | 'none' | CountUpTo

/** Counts the records of a list up to a number. */
export interface CountUpTo {
  /** The maximum of `total`. If there are more records, `total_is_minimum` is true. From 1 to 1 000 000 000. */
  readonly upTo: number
}

/** The pages of a resource, and the limits of its answers. */
export interface PaginationOptions extends Readonly<Static<typeof PaginationSchema>> {
  /** Number of items of a page if the URL does not say. Maximum: `maxPerPage`. Default: 20. */
  readonly defaultPerPage?: number
  /** Maximum number of items that a client may ask for at once. More is an error. Default: 100. */
  readonly maxPerPage?: number
  /** Maximum number of items that a client may skip. More is an error. Default: 100 000. */
  readonly maxOffset?: number
  /** Maximum number of included records in an answer, counted as often as they appear. Default: 10 000. */
  readonly maxIncluded?: number
  /** Maximum number of bytes of the records in an answer. Default: 16 777 216. */
  readonly maxBytes?: number
  /**
   * The total of a list: `'exact'` counts it, `'planned'` takes the estimate of PostgreSQL's planner, and `'none'`
   * leaves it out. `{ upTo: 10_000 }` counts at most 10 000 records, so that the cost of counting stays the same:
   * above that, `total` is 10 000 and `total_is_minimum` is true. Default: `'exact'`.
   */
  readonly count?: Count
  /**
   * With `count: 'planned'`, estimate from statistics of all rows, although requests may see only some of them.
   * Default: false.
   */
  readonly estimateAllRows?: boolean
}

/** Pagination with its defaults filled in. */
export type Pagination = Required<PaginationOptions>
