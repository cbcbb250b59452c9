/** The includes: relations, and aggregates of related records. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { refusedAs, shown } from '../base/option-checks.ts'
import { checkPath, readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-arguments.ts'
import type { IncludeCheck, PathCheck, PathUse } from './paths.ts'
import { readSignedName } from './signed-name.ts'

const Where = Type.Optional(
  refusedAs(
    Type.Unsafe<object>(Type.Object({})),
    () => "where must be a condition in MikroORM's query language, an object such as { status: 'active' }"
  )
)

const IncludeOptionsSchema = Type.Object({
  /** Largest number of related records of each record, a whole number, for to-many relations. Default: all of them. */
  limit: Type.Optional(
    refusedAs(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      (value) => `limit must be a whole number of at least 1, got ${shown(value)}`
    )
  ),
  sort: Type.Optional(
    refusedAs(
      Type.Unsafe<readonly unknown[]>(Type.Array(Type.Unknown(), { minItems: 1 })),
      (value) =>
        `sort must be a list of properties, such as ['-created_at', 'name'], got ${
          Array.isArray(value) ? 'an empty one' : shown(value)
        }`
    )
  ),
  /** A condition on the related rows, in MikroORM's query language. Rows that do not meet it are left out. */
  where: Where,
})

/** The options of `new AllowedInclude`. */
export interface IncludeOptions<Sort extends string = string, Alias extends string = string>
  extends EntryOptions<Alias>, Readonly<Pick<Static<typeof IncludeOptionsSchema>, 'limit' | 'where'>> {
  /**
   * The order of a to-many relation's records: their properties, also through to-one relations, with `-` for
   * descending. Nulls come last, and the key breaks ties. Default: the relation's own `orderBy`, then the key.
   */
  readonly sort?: readonly Sort[]
}

/**
 * Allows `include=<path>`. The path names a relation, or a path of relations (`products.tags`) of at most three names.
 * It also includes the relations on the way. Frozen.
 *
 * Throws `ConfigError` for an invalid path or option.
 *
 * @example
 * new AllowedInclude('products.tags')
 * new AllowedInclude('author', { alias: 'user' })
 * new AllowedInclude('articles', { limit: 3, sort: ['-created_at'], where: { status: 'published' } })
 */
export class AllowedInclude<
  Path extends string = NotGiven,
  Sort extends string = never,
  Alias extends string = NotGiven
> {
  /** @internal Only a type: tells whether an entity has the relations, and the last relation's entity has the sorts. */
  declare readonly '~names': <Entity>(entity: Entity) => IncludeCheck<Entity, Path, Sort>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Path, Alias, 'relation'>

  /** The kind of the entry. */
  readonly kind = 'relation'
  /** The path of the relation. */
  readonly path: Path
  /** The name in URLs and answers, if it is not the path. */
  readonly alias: string | undefined
  /** The maximum number of related records of each parent. */
  readonly limit: number | undefined
  /** The order of the related records. */
  readonly sort: readonly string[] | undefined
  /** The condition on the related records. */
  readonly where: object | undefined

  constructor (path: Path, options?: IncludeOptions<Sort, Alias>) {
    checkPath('AllowedInclude', path)
    const what = `AllowedInclude '${path}'`
    checkDepth(what, path.split('.').length)
    const { alias, limit, sort, where } = readOptions(what, options, IncludeOptionsSchema)
    checkIncludeAlias(what, alias)
    this.path = path
    this.alias = alias
    this.limit = limit
    this.sort = readSort(what, sort)
    this.where = where
    Object.freeze(this)
  }

  /**
   * Allows `include=<relation>Count`, the number of related records of each record, under that name in the record. For
   * a path such as `products.tags`, it is `products.tagsCount`, a number in each product. Records that are deleted or
   * excluded by a filter do not count.
   *
   * @example
   * AllowedInclude.count('products')                                          // ?include=productsCount
   * AllowedInclude.count('products', { where: { stock: { $gt: 0 } } })        // only those
   */
  static count<Path extends string, Alias extends string = NotGiven> (
    path: Path,
    options?: AggregateOptions<Alias>
  ): AggregateInclude<Path, 'count', 'count', Alias> {
    return new AggregateInclude('count', path, options)
  }

  /**
   * Allows `include=<relation>Exists`: whether each record has a related record. Also works for to-one relations.
   *
   * @example
   * AllowedInclude.exists('products') // ?include=productsExists
   */
  static exists<Path extends string, Alias extends string = NotGiven> (
    path: Path,
    options?: AggregateOptions<Alias>
  ): AggregateInclude<Path, 'include', 'exists', Alias> {
    return new AggregateInclude('exists', path, options)
  }

  /**
   * Allows `include=<relation><Property>Sum`, the sum of a number over the related records, or `null` without related
   * records. Numbers that are strings (bigint, decimal) have an exact sum as a string. The sum of integers is a number.
   *
   * @example
   * AllowedInclude.sum('products.price') // ?include=productsPriceSum
   */
  static sum<Path extends string, Alias extends string = NotGiven> (
    path: Path,
    options?: AggregateOptions<Alias>
  ): AggregateInclude<Path, 'aggregate', 'sum', Alias> {
    return new AggregateInclude('sum', path, options)
  }

  /**
   * Allows `include=<relation><Property>Min`, the least value of a property over the related records in its wire form,
   * or `null` without related records. The type of the property must have an order.
   *
   * @example
   * AllowedInclude.min('products.price') // ?include=productsPriceMin
   */
  static min<Path extends string, Alias extends string = NotGiven> (
    path: Path,
    options?: AggregateOptions<Alias>
  ): AggregateInclude<Path, 'aggregate', 'min', Alias> {
    return new AggregateInclude('min', path, options)
  }

  /**
   * Allows `include=<relation><Property>Max`, the greatest value of a property over the related records in its wire
   * form, or `null` without related records. The type of the property must have an order.
   *
   * @example
   * AllowedInclude.max('products.created_at') // ?include=productsCreatedAtMax
   */
  static max<Path extends string, Alias extends string = NotGiven> (
    path: Path,
    options?: AggregateOptions<Alias>
  ): AggregateInclude<Path, 'aggregate', 'max', Alias> {
    return new AggregateInclude('max', path, options)
  }

  /**
   * Allows `include=<relation><Property>Avg`, the mean of a number over the related records, or `null` without related
   * records. For numbers that are strings (bigint, decimal) it is a string without trailing zeros, otherwise a number.
   *
   * @example
   * AllowedInclude.avg('products.price') // ?include=productsPriceAvg
   */
  static avg<Path extends string, Alias extends string = NotGiven> (
    path: Path,
    options?: AggregateOptions<Alias>
  ): AggregateInclude<Path, 'aggregate', 'avg', Alias> {
    return new AggregateInclude('avg', path, options)
  }
}

function readSort (what: string, sort: readonly unknown[] | undefined): readonly string[] | undefined {
  if (sort === undefined) return undefined
  const names = new Set<string>()
  for (const item of sort) {
    const name = typeof item === 'string' ? readSignedName(item).name : item
    checkPath(`${what}: sort`, name)
    if (names.has(name)) throw new ConfigError(`${what}: sort names '${name}' twice`)
    names.add(name)
  }
  return Object.freeze([...sort as string[]])
}

/** The function of an aggregate. */
export type AggregateFunction = 'count' | 'exists' | 'sum' | 'min' | 'max' | 'avg'

const AggregateOptionsSchema = Type.Object({
  /** A condition on the related rows, in MikroORM's query language. Only rows that meet it count. */
  where: Where,
})

/** The options of `AllowedInclude.count` and of the other aggregates. */
export interface AggregateOptions<Alias extends string = string>
  extends EntryOptions<Alias>, Readonly<Static<typeof AggregateOptionsSchema>> {}

/** The class of `AllowedInclude.count` and the other aggregates. Frozen. */
export class AggregateInclude<
  Path extends string = NotGiven,
  Use extends PathUse = NotGiven,
  Fn extends AggregateFunction = NotGiven,
  Alias extends string = NotGiven
> {
  /** @internal Only a type: tells whether an entity has the relations and the property of the path. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Path, Use>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Path, Alias, Fn>

  /** The kind of the entry. */
  readonly kind = 'aggregate'
  /** The function: `count`, `exists`, `sum`, `min`, `max` or `avg`. */
  readonly function: Fn
  /** A path of relations. It ends with a property of the last relation, except for `count` and `exists`. */
  readonly path: Path
  /** The name in URLs and answers, if it is not the default one. */
  readonly alias: string | undefined
  /** The condition on the related records that are aggregated. */
  readonly where: object | undefined

  constructor (fn: Fn, path: Path, options?: AggregateOptions<Alias>) {
    checkPath(`AllowedInclude.${fn}`, path)
    const what = `AllowedInclude.${fn} '${path}'`
    // the other paths end with a property, and only the entity's metadata tell which parts of them are relations
    if (fn === 'count' || fn === 'exists') checkDepth(what, path.split('.').length)
    const { alias, where } = readOptions(what, options, AggregateOptionsSchema)
    checkIncludeAlias(what, alias)
    this.function = fn
    this.path = path
    this.alias = alias
    this.where = where
    Object.freeze(this)
  }
}

/** Largest number of relations in a path of an include. */
export const MAX_INCLUDE_DEPTH = 3

/** Refuses a path with more relations than an include may have. `what` is the beginning of the error's message. */
export function checkDepth (what: string, relations: number): void {
  if (relations > MAX_INCLUDE_DEPTH) {
    throw new ConfigError(`${what}: includes go ${MAX_INCLUDE_DEPTH} relations deep, this one goes ${relations}`)
  }
}

/**
 * Refuses an alias with a dot, because a dot separates relations in an include. `what` is the beginning of the error's
 * message.
 */
function checkIncludeAlias (what: string, alias: string | undefined): void {
  if (alias?.includes('.') === true) {
    throw new ConfigError(
      `${what}: alias '${alias}' holds a dot, which separates relations in an include; an alias names the last one only`
    )
  }
}
