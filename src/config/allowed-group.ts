/** The groups of aggregates: by the values of a property, or by the periods of its dates. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { refusedAs, shown } from '../base/option-checks.ts'
import {
  checkNameList, checkPath, readOptions, type EntryOptions, type InUrl, type NotGiven,
} from './entry-arguments.ts'
import type { PathCheck } from './paths.ts'

/** The units of time by which dates are grouped. A week begins on Monday. */
const DATE_UNITS = ['day', 'week', 'month', 'year'] as const
/** A unit of time by which dates are grouped. */
export type DateUnit = typeof DATE_UNITS[number]

/**
 * Allows `group=<field>` in aggregates: one item for each value of a property. The field is a property, a to-one
 * relation (its key), or a path through to-one relations (`category.name`). In an item, a path is written with `_`:
 * `category_name`. Frozen.
 *
 * Throws `ConfigError` for an invalid name or option.
 *
 * @example
 * new AllowedGroup('status')
 * new AllowedGroup('category.name', { alias: 'category' })
 */
export class AllowedGroup<Field extends string = NotGiven, Alias extends string = NotGiven> {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'group'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias, 'values'>

  /** The kind of the entry. */
  readonly kind = 'values'
  /** The path of the property. */
  readonly field: Field
  /** The name in URLs, if it is not the path. */
  readonly alias: string | undefined

  constructor (field: Field, options?: EntryOptions<Alias>) {
    checkPath('AllowedGroup', field)
    this.field = field
    this.alias = readOptions(`AllowedGroup '${field}'`, options).alias
    Object.freeze(this)
  }

  /**
   * Allows `group=<field>.<unit>` in aggregates: one item for each day, week, month or year. In an item, the period is
   * its first day under the name `<field>_<unit>`. A week begins on Monday.
   *
   * Throws `ConfigError` for an invalid name, unit, time zone or option.
   *
   * @param units the units that clients may ask for
   * @example
   * AllowedGroup.date('created_at', ['day', 'month'])                             // ?group=created_at.month
   * AllowedGroup.date('created_at', ['day'], { timeZone: 'Europe/Berlin' })
   */
  static date<Field extends string, const Unit extends DateUnit, Alias extends string = NotGiven> (
    field: Field,
    units: readonly Unit[],
    options?: DateGroupOptions<Alias>
  ): DateGroup<Field, Unit, Alias> {
    return new DateGroup(field, units, options)
  }
}

const DateGroupOptionsSchema = Type.Object({
  /**
   * The time zone in which days begin and end, by its name in the IANA database. Only for moments, because a date has
   * no time zone. Default: `UTC`.
   */
  timeZone: Type.Optional(
    refusedAs(Type.String(), (value) => `timeZone must be a name such as 'Europe/Berlin', got ${shown(value)}`)
  ),
})

/** The options of `AllowedGroup.date`. */
export interface DateGroupOptions<Alias extends string = string>
  extends EntryOptions<Alias>, Readonly<Static<typeof DateGroupOptionsSchema>> {}

/** The class of `AllowedGroup.date`. Frozen. */
export class DateGroup<
  Field extends string = NotGiven,
  Unit extends DateUnit = NotGiven,
  Alias extends string = NotGiven
> {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'group'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Field, Alias, { readonly units: Unit }>

  /** The kind of the entry. */
  readonly kind = 'dates'
  /** The path of the property. */
  readonly field: Field
  /** The units that clients may ask for. */
  readonly units: readonly Unit[]
  /** The time zone in which days begin. */
  readonly timeZone: string | undefined
  /** The part of the name in URLs before the unit, if it is not the path. */
  readonly alias: string | undefined

  constructor (field: Field, units: readonly Unit[], options?: DateGroupOptions<Alias>) {
    checkPath('AllowedGroup.date', field)
    const what = `AllowedGroup.date '${field}'`
    this.units = checkNameList(what, 'units', units, DATE_UNITS)
    const { alias, timeZone } = readOptions(what, options, DateGroupOptionsSchema)
    if (timeZone !== undefined) checkTimeZone(what, timeZone)
    this.field = field
    this.timeZone = timeZone
    this.alias = alias
    Object.freeze(this)
  }
}

/**
 * PostgreSQL and JavaScript know the names of the IANA database. Both also read offsets, but with opposite signs.
 */
function checkTimeZone (what: string, name: string): void {
  try {
    if (/^[A-Za-z]/.test(name)) {
      new Intl.DateTimeFormat('en', { timeZone: name }).format()
      return
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw new ConfigError(
    `${what}: timeZone: there is no time zone '${name}'; write its name in the IANA database, such as 'Europe/Berlin'`
  )
}
