/** The options of `QueryBuilderConfig`, and the check of them. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { checkSchema, closed, completed, oneOf, shown, withDefault } from '../base/option-checks.ts'
import { AllowedAggregate, CountAggregate } from './allowed-aggregate.ts'
import { AllowedFacet } from './allowed-facet.ts'
import { AllowedField } from './allowed-field.ts'
import { AllowedGroup, DateGroup } from './allowed-group.ts'
import { AggregateInclude, AllowedInclude } from './allowed-include.ts'
import { AllowedSort, CustomSort } from './allowed-sort.ts'
import { BaseFilter } from './base-filter.ts'
import { FILTER_KINDS } from './filter-kinds.ts'
import { refuseMisplaced } from './option-places.ts'

/** How lists get their total. */
export type Count = 'exact' | 'planned' | 'none' | CountUpTo

/** Counts the records of a list up to a number. */
interface CountUpTo {
  /** The maximum of `total`. If there are more records, `total_is_minimum` is true. From 1 to 1 000 000 000. */
  readonly upTo: number
}

/** One gibibyte, the length of PostgreSQL's longest values. */
const MAX_BYTES = 1_073_741_824

/** The largest number of rows that a list counts. */
const MAX_COUNTED = 1_000_000_000

const PaginationSchema = Type.Object({
  /** Number of items of a page if the URL does not say. Maximum: `maxPerPage`. Default: 20. */
  defaultPerPage: withDefault(Type.Integer({ minimum: 1 }), 20),
  /** Maximum number of items that a client may ask for at once. More is an error. Default: 100. */
  maxPerPage: withDefault(Type.Integer({ minimum: 1 }), 100),
  /** Maximum number of items that a client may skip. More is an error. Default: 100 000. */
  maxOffset: withDefault(Type.Integer({ minimum: 0 }), 100_000),
  /** Maximum number of included records in an answer, counted as often as they appear. Default: 10 000. */
  maxIncluded: withDefault(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), 10_000),
  /** Maximum number of bytes of the records in an answer. Default: 16 777 216. */
  maxBytes: withDefault(Type.Integer({ minimum: 1, maximum: MAX_BYTES }), 16_777_216),
  /**
   * The total of a list: `'exact'` counts it, `'planned'` takes the estimate of PostgreSQL's planner, and `'none'`
   * leaves it out. `{ upTo: 10_000 }` counts at most 10 000 records, so that the cost of counting stays the same:
   * above that, `total` is 10 000 and `total_is_minimum` is true. Default: `'exact'`.
   */
  count: withDefault(
    Type.Unsafe<Count>(
      Type.Union([
        ...(['exact', 'planned', 'none'] as const).map((name) => Type.Literal(name)),
        Type.Object({ upTo: Type.Integer({ minimum: 1, maximum: MAX_COUNTED }) }, closed),
      ])
    ),
    'exact'
  ),
  /**
   * Whether requests may leave the total out by `?count=none`. `?count=exact` asks for what the setting gives anyway,
   * and is refused if that is not `'exact'`. Default: false.
   */
  countParameter: withDefault(Type.Boolean(), false),
  /**
   * With `count: 'planned'`, estimate from statistics of all rows, although requests may see only some of them.
   * Default: false.
   */
  estimateAllRows: withDefault(Type.Boolean(), false),
}, closed)

/** The pages of a resource, and the limits of its answers. */
export interface PaginationOptions extends Readonly<Static<typeof PaginationSchema>> {}

/** Pagination with its defaults filled in. */
export type Pagination = Required<PaginationOptions>

/** Fills in the defaults. */
export function readPagination (options: PaginationOptions = {}): Pagination {
  const all = completed(PaginationSchema, options)
  const { maxPerPage } = all
  const defaultPerPage = options.defaultPerPage ?? Math.min(all.defaultPerPage, maxPerPage)
  if (defaultPerPage > maxPerPage) {
    throw new ConfigError(
      `QueryBuilderConfig: pagination.defaultPerPage (${defaultPerPage}) ` +
        `is above pagination.maxPerPage (${maxPerPage})`
    )
  }
  if (all.countParameter && all.count === 'none') {
    throw new ConfigError(
      "QueryBuilderConfig: pagination.countParameter lets requests ask for less than pagination.count, and 'none' is " +
        "the least. Leave one of them out, or write count: 'exact'."
    )
  }
  return Object.freeze({ ...all, defaultPerPage })
}

/** An entry of a list. Its constructor has checked the rest of it. */
const entryOf = (kinds: readonly string[]) => Type.Object({ kind: oneOf(kinds) })

/**
 * The options of `new QueryBuilderConfig(...)`. The entries of the lists are instances of the `Allowed...` classes, of
 * which the schema has the kinds.
 */
export const QueryBuilderConfigSchema = Type.Object({
  allowedFilters: Type.Optional(Type.Array(entryOf(FILTER_KINDS))),
  allowedSorts: Type.Optional(Type.Array(entryOf(['fields', 'custom']))),
  allowedFields: Type.Optional(Type.Array(entryOf(['property']))),
  allowedIncludes: Type.Optional(Type.Array(entryOf(['relation', 'aggregate']))),
  allowedFacets: Type.Optional(Type.Array(entryOf(['facet']))),
  allowedGroups: Type.Optional(Type.Array(entryOf(['values', 'dates']))),
  allowedAggregates: Type.Optional(Type.Array(entryOf(['property', 'count']))),
  defaultSort: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  /** Drop invalid filters, sorts, fields and includes instead of refusing the request. Default: false. */
  ignoreInvalidErrors: withDefault(Type.Boolean(), false),
  /**
   * Defaults: `{ defaultPerPage: 20, maxPerPage: 100, maxOffset: 100_000, maxIncluded: 10_000, maxBytes: 16_777_216,
   * count: 'exact' }`.
   */
  pagination: Type.Optional(Type.Unsafe<PaginationOptions>(PaginationSchema)),
}, closed)

/** The options of a whitelist whose types do not depend on the entity. */
export type CommonWhitelistOptions = Readonly<
  Pick<Static<typeof QueryBuilderConfigSchema>, 'ignoreInvalidErrors' | 'pagination'>
>

type Class = abstract new(...args: never[]) => object

/** The lists of entries: the classes of their entries, and an example of an entry. */
const LISTS: Readonly<Record<string, { classes: readonly Class[], example: (name: string) => string }>> = {
  allowedFilters: {
    classes: [BaseFilter],
    example: name => `AllowedFilters.exact('${name}')`,
  },
  allowedSorts: { classes: [AllowedSort, CustomSort], example: sortExample },
  allowedFields: { classes: [AllowedField], example: name => `new AllowedField('${name}')` },
  allowedIncludes: { classes: [AllowedInclude, AggregateInclude], example: name => `new AllowedInclude('${name}')` },
  allowedFacets: { classes: [AllowedFacet], example: name => `new AllowedFacet('${name}')` },
  allowedGroups: { classes: [AllowedGroup, DateGroup], example: name => `new AllowedGroup('${name}')` },
  allowedAggregates: {
    classes: [AllowedAggregate, CountAggregate],
    example: name => `new AllowedAggregate('${name}', ['sum'])`,
  },
}

const AnyObject = Type.Object({})

/** Refuses options that do not match the schema, with the path of the first mistake, and entries of no class. */
export function checkWhitelist (options: unknown): void {
  checkSchema('QueryBuilderConfig', AnyObject, options)
  refuseMisplaced('QueryBuilderConfig', options, 'whitelist')
  const rest: Record<string, unknown> = { ...options }
  refuseMisplaced('QueryBuilderConfig: pagination', rest['pagination'], 'pagination')
  for (const [list, { classes }] of Object.entries(LISTS)) {
    const entries = rest[list]
    if (!Array.isArray(entries)) continue
    entries.forEach((entry, index) => checkEntry(list, index, entry, classes))
    // instances of the classes are of the right kinds
    delete rest[list]
  }
  checkSchema('QueryBuilderConfig', QueryBuilderConfigSchema, rest)
}

function checkEntry (list: string, index: number, entry: unknown, classes: readonly Class[]): void {
  // the constructors freeze what they have checked
  if (Object.isFrozen(entry) && classes.some(expected => entry instanceof expected)) return
  const name = typeof entry === 'string' && entry !== '' ? entry : 'name'
  throw new ConfigError(`QueryBuilderConfig: ${list}[${index}] is ${shown(entry)}; write ${LISTS[list]!.example(name)}`)
}

function sortExample (name: string): string {
  return name.startsWith('-')
    ? `new AllowedSort('${name.slice(1)}', { direction: 'desc' })`
    : `new AllowedSort('${name}')`
}
