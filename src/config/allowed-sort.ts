/** A property, or several, to sort by. */
import { ConfigError } from '../errors.ts'
import { notOneOf } from '../options.ts'
import { CustomSort, type CustomSortCallback } from './custom-sort.ts'
import { isOptions, readOptions, type EntryOptions, type InUrl } from './entry-options.ts'
import { checkPath } from './names.ts'
import type { PathCheck } from './paths.ts'

export type SortDirection = 'asc' | 'desc'

const DIRECTIONS: readonly SortDirection[] = ['asc', 'desc']

export interface AllowedSortOptions<Alias extends string = string> extends EntryOptions<Alias> {
  /** The direction of the bare name; `-` and `+` in the URL override it. Default: `asc`. */
  readonly direction?: SortDirection
}

/**
 * Allows `sort=<field>`, `sort=-<field>` for each of the fields; with an alias only `sort=<alias>`, which sorts by
 * all of them in order. A field is a property, or a path through to-one relations (`author.name`). Instances are
 * frozen.
 *
 * Throws `ConfigError` for a name or option that can't be, for none, and for the same field twice.
 *
 * @example
 * new AllowedSort('created_at', { direction: 'desc' })
 * new AllowedSort('last_name', 'first_name', { alias: 'full_name' })
 */
export class AllowedSort<Field extends string = any, Alias extends string = any> {
  /** @internal Only a type: tells whether an entity has the fields. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'sort'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias>

  readonly kind = 'fields'
  readonly fields: readonly Field[]
  readonly direction: SortDirection
  readonly alias: string | undefined

  constructor (...fields: [Field, ...Field[]])
  constructor (...fieldsAndOptions: [Field, ...Field[], AllowedSortOptions<Alias> | undefined])
  constructor (...args: unknown[]) {
    // A trailing undefined is an option that was left out: new AllowedSort('name', options)
    const last = args.length > 1 && (args.at(-1) === undefined || isOptions(args.at(-1))) ? args.pop() : undefined
    if (args.length === 0) throw new ConfigError('AllowedSort: name at least one property')
    for (const field of args) checkField(field)
    const fields = args as Field[]
    const what = `AllowedSort '${fields.join("', '")}'`
    const repeated = fields.find((field, index) => fields.indexOf(field) !== index)
    if (repeated !== undefined) throw new ConfigError(`${what}: '${repeated}' is named twice`)
    const { alias, direction = 'asc' } = readOptions(what, last, ['alias', 'direction'])
    this.fields = Object.freeze(fields)
    this.direction = readDirection(what, direction)
    this.alias = alias
    Object.freeze(this)
  }

  /**
   * Allows `sort=<name>` and leaves to the callback what it means: `(qb, direction, context) => qb.orderBy(...)`. What
   * it orders by takes its place among the other sorts, and the primary key still breaks ties. It may join what it needs:
   * a row that its joins find several times stands where the first of them does, and one that they don't find comes last.
   * It is synchronous. Pages by cursor are refused with it.
   *
   * Throws `ConfigError` for a name that can't stand in a URL; a callback that adds no order is one when it runs.
   *
   * @example
   * AllowedSort.custom('length', (qb, direction) => qb.orderBy({ [raw('char_length(e0.name)')]: direction }))
   */
  static custom<Entity extends object = any, Name extends string = any, Alias extends string = any> (
    name: Name,
    callback: CustomSortCallback<Entity>,
    options?: AllowedSortOptions<Alias>
  ): CustomSort<Entity, Name, Alias> {
    return new CustomSort(name, callback, options, readDirection)
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

function readDirection (what: string, direction: unknown): SortDirection {
  if (DIRECTIONS.includes(direction as SortDirection)) return direction as SortDirection
  throw new ConfigError(`${what}: direction: ${notOneOf(direction, DIRECTIONS)}`)
}
