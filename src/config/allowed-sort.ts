/** The sorts: one or several properties to sort by, or a function of the application. */
import type { QueryBuilder } from '@mikro-orm/postgresql'
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { oneOf, withDefault } from '../base/option-checks.ts'
import {
  checkFunction,
  checkPath,
  checkUrlName,
  isOptions,
  readOptions,
  refuseRepeated,
  type EntryOptions,
  type InUrl,
  type NotGiven,
  type UncheckedEntity,
} from './entry-arguments.ts'
import type { CustomFilterContext, NarrowedQueryBuilder } from './filter-kinds.ts'
import type { PathCheck } from './paths.ts'

/** The direction of a sort. */
export type SortDirection = 'asc' | 'desc'

const SortOptionsSchema = Type.Object({
  /** The direction of a sort without a sign; `-` and `+` in the URL override it. Default: `asc`. */
  direction: withDefault(oneOf<SortDirection>(['asc', 'desc']), 'asc'),
})

interface AllowedSortOptions<Alias extends string = string>
  extends EntryOptions<Alias>, Readonly<Static<typeof SortOptionsSchema>> {}

/**
 * Allows `sort=<field>` and `sort=-<field>` for each of the fields. With an alias, allows only `sort=<alias>`, which
 * sorts by all fields in order. A field is a property, or a path through to-one relations (`author.name`). A to-one
 * relation itself is sorted by its key. Instances are frozen.
 *
 * Throws `ConfigError` for an invalid name or option, without a field, and for a repeated field.
 *
 * @example
 * new AllowedSort('created_at', { direction: 'desc' })
 * new AllowedSort('last_name', 'first_name', { alias: 'full_name' })
 */
export class AllowedSort<Field extends string = NotGiven, Alias extends string = NotGiven> {
  /** @internal Only a type: tells whether an entity has the fields. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'sort'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias>

  /** The kind of the entry. */
  readonly kind = 'fields'
  /** The paths of the properties. */
  readonly fields: readonly Field[]
  /** The direction of the name without a sign. */
  readonly direction: SortDirection
  /** The name in URLs, if it is not the path. */
  readonly alias: string | undefined

  constructor (...fields: [Field, ...Field[]])
  constructor (...fieldsAndOptions: [Field, ...Field[], AllowedSortOptions<Alias> | undefined])
  constructor (...args: unknown[]) {
    // a trailing undefined stands for missing options: new AllowedSort('name', options)
    const last = args.length > 1 && (args.at(-1) === undefined || isOptions(args.at(-1))) ? args.pop() : undefined
    if (args.length === 0) throw new ConfigError('AllowedSort: name at least one property')
    for (const field of args) checkField(field)
    const fields = args as Field[]
    const what = `AllowedSort '${fields.join("', '")}'`
    refuseRepeated(what, fields)
    const { alias, direction } = readOptions(what, last, SortOptionsSchema)
    this.fields = Object.freeze(fields)
    this.direction = direction
    this.alias = alias
    Object.freeze(this)
  }

  /**
   * Allows `sort=<name>`, whose meaning a callback defines: `(qb, direction, context) => qb.orderBy(...)`. Its order is
   * applied in sequence with the other sorts, and the primary key still breaks ties. The callback may join other
   * tables. If the joins return a record several times, its first row counts. If they do not return it, it comes last.
   * The callback is synchronous. Pages by cursor are refused with this sort.
   *
   * Throws `ConfigError` for a name that is invalid in a URL. A callback that adds no order causes one when it runs.
   *
   * @example
   * AllowedSort.custom('length', (qb, direction) => qb.orderBy({ [raw('char_length(e0.name)')]: direction }))
   */
  static custom<
    Entity extends object = UncheckedEntity,
    Name extends string = NotGiven,
    Alias extends string = NotGiven
  > (
    name: Name,
    callback: CustomSortCallback<Entity>,
    options?: AllowedSortOptions<Alias>
  ): CustomSort<Entity, Name, Alias> {
    return new CustomSort(name, callback, options)
  }
}

function checkField (field: unknown): void {
  if (typeof field === 'string' && /^[+-]/.test(field)) {
    const direction = field.startsWith('-') ? 'desc' : 'asc'
    throw new ConfigError(
      `AllowedSort: '${field}' starts with '${field[0]}', ` +
        `but the direction is an option: new AllowedSort('${field.slice(1)}', { direction: '${direction}' })`
    )
  }
  checkPath('AllowedSort', field)
}

/**
 * Adds an order to a query: `(qb, direction) => qb.orderBy(...)`. It is synchronous, because it only describes a query
 * that has not been sent yet. The alias of the entity is `e0`.
 */
export type CustomSortCallback<
  // as that of CustomFilterCallback
  in out Entity extends object = UncheckedEntity
> = (
  qb: QueryBuilder<Entity>,
  direction: SortDirection,
  context: CustomFilterContext
) => NarrowedQueryBuilder

/** The class of `AllowedSort.custom`. Frozen. */
export class CustomSort<
  Entity extends object = UncheckedEntity,
  Name extends string = NotGiven,
  Alias extends string = NotGiven
> {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias>

  readonly kind = 'custom'
  /** The sort's name, which need not be a property. */
  readonly field: string
  readonly direction: SortDirection
  readonly alias: string | undefined
  readonly callback: CustomSortCallback<Entity>

  constructor (
    name: Name,
    callback: CustomSortCallback<Entity>,
    options: AllowedSortOptions<Alias> | undefined
  ) {
    checkUrlName('AllowedSort.custom', 'name', name)
    const what = `AllowedSort.custom '${name}'`
    checkFunction(what, callback)
    const { alias, direction } = readOptions(what, options, SortOptionsSchema)
    this.field = name
    this.callback = callback
    this.direction = direction
    this.alias = alias
    Object.freeze(this)
  }
}
