/** The numbers that clients may ask for in aggregates. */
import { ConfigError } from '../base/errors.ts'
import {
  checkNameList, checkPath, readOptions, type EntryOptions, type InUrl, type NotGiven,
} from './entry-arguments.ts'
import type { PathCheck } from './paths.ts'

/** The functions of `new AllowedAggregate`. */
const GROUP_FUNCTIONS = ['sum', 'avg', 'min', 'max', 'countDistinct'] as const
/** A function over the values of a property in a group. */
export type GroupFunction = typeof GROUP_FUNCTIONS[number]

/**
 * Allows `aggregate=<field>.<function>` in aggregates. The field is a property, or a path to one through to-one
 * relations. In an item, it is written with `_`: `price_sum`, `category_price_max`. Frozen.
 *
 * `sum` has the wire type of the property, and `null` without values. `avg` of exact numbers is a decimal text with at
 * most 16 digits after the point, and otherwise a number. `countDistinct` counts the different values that are not
 * null.
 *
 * Throws `ConfigError` for an invalid name, function or option.
 *
 * @example
 * new AllowedAggregate('price', ['sum', 'avg'])   // ?aggregate=price.sum,price.avg
 * AllowedAggregate.count()                        // ?aggregate=count
 */
export class AllowedAggregate<
  Field extends string = NotGiven,
  Function extends GroupFunction = NotGiven,
  Alias extends string = NotGiven
> {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(
    entity: Entity
  ) => PathCheck<Entity, Field, Exclude<Function, 'countDistinct'> extends never ? 'group' : 'sort'>

  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias, { readonly functions: Function }>

  /** The kind of the entry. */
  readonly kind = 'property'
  /** The path of the property. */
  readonly field: Field
  /** The functions that clients may ask for. */
  readonly functions: readonly Function[]
  /** The part of the name in URLs before the function, if it is not the path. */
  readonly alias: string | undefined

  constructor (field: Field, functions: readonly Function[], options?: EntryOptions<Alias>) {
    checkPath('AllowedAggregate', field)
    const what = `AllowedAggregate '${field}'`
    if (functions === undefined) {
      throw new ConfigError(`${what}: name its functions: new AllowedAggregate('${field}', ['sum'])`)
    }
    this.field = field
    this.functions = checkNameList(what, 'functions', functions, GROUP_FUNCTIONS)
    this.alias = readOptions(what, options).alias
    Object.freeze(this)
  }

  /**
   * Allows `aggregate=count`, the number of records in a group.
   *
   * @example
   * AllowedAggregate.count() // ?group=status&aggregate=count
   */
  static count<Alias extends string = NotGiven> (options?: EntryOptions<Alias>): CountAggregate<Alias> {
    return new CountAggregate(options)
  }
}

/** The class of `AllowedAggregate.count`. Frozen. */
export class CountAggregate<Alias extends string = NotGiven> {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<'count', Alias, 'count'>

  /** The kind of the entry. */
  readonly kind = 'count'
  /** The name in URLs, if it is not `count`. */
  readonly alias: string | undefined

  constructor (options?: EntryOptions<Alias>) {
    this.alias = readOptions('AllowedAggregate.count', options).alias
    Object.freeze(this)
  }
}
