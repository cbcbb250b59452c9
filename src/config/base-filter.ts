/** The members of all filters: a default value, and values that are ignored. */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'

/** A value as it is written in a URL. Numbers and booleans are converted to text. */
type FilterText = string | number | boolean

/** Only a type: a filter that ignores values, which may be given whatever the type of its property is. */
interface Ignoring<Value extends FilterText> {
  /** @internal */
  readonly '~ignored': { readonly [Text in `${Value}`]: true }
}

/** The items of a union of values and lists of values. */
type Each<Value extends FilterText | readonly FilterText[]> = Value extends readonly (infer Item extends FilterText)[]
  ? Item
  : Value & FilterText

/** The names that a role sees, when the whitelist is reduced to them. */
export interface Sight {
  /** Whether a path leads to a property that the role sees. */
  readonly sees: (path: string) => boolean
  /** Whether a name that need not be a property does not lead to a hidden one, which it would disclose. */
  readonly isFree: (name: string) => boolean
  /** Whether the role sees when a record was deleted. */
  readonly seesDeletion: boolean
}

export abstract class BaseFilter {
  /** The path of the property, or the filter's name. */
  abstract readonly field: string
  /** The filter's value if a request does not have the filter. */
  readonly defaultValue: string | readonly string[] | undefined = undefined
  /** Values that a request may give without any effect. */
  readonly ignoredValues: readonly string[] = []

  /**
   * Returns a copy of the filter with a value that applies if the URL does not have the filter. A list stands for a
   * repeated parameter. The value is checked against the property's type when the resource is bound to its ORM.
   *
   * @throws {ConfigError} for values other than text, numbers and booleans
   * @example
   * AllowedFilters.exact('status').default('active')
   */
  default (value: FilterText | readonly FilterText[]): this {
    return changed<BaseFilter>(this, {
      defaultValue: Array.isArray(value) ? Object.freeze(value.map((one) => textOf(this, one))) : textOf(this, value),
    }) as this
  }

  /**
   * Returns a copy of the filter that ignores these values. Such a value alone filters nothing, and the default does
   * not apply. In a list, such values are left out.
   *
   * @throws {ConfigError} without a value, and for values other than text, numbers and booleans
   * @example
   * AllowedFilters.exact('status').ignore('all', '')
   */
  ignore<const Values extends readonly (FilterText | readonly FilterText[])[]> (
    ...values: Values
  ): this & Ignoring<Each<Values[number]>> {
    const ignored = values.flat().map((value) => textOf(this, value))
    if (ignored.length === 0) {
      throw new ConfigError(
        `AllowedFilters '${this.field}': ignore() names no values; write those that mean nothing, as in .ignore('all')`
      )
    }
    const ignoredValues = Object.freeze([...this.ignoredValues, ...ignored])
    return changed<BaseFilter>(this, { ignoredValues }) as this & Ignoring<Each<Values[number]>>
  }

  /**
   * The filter as a role may use it: a copy without what the role does not see, or `undefined` if nothing is left.
   *
   * @internal
   */
  '~seenBy' ({ isFree }: Sight): this | undefined {
    return isFree(this.field) ? this : undefined
  }
}

function textOf ({ field }: BaseFilter, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ConfigError(
    `AllowedFilters '${field}': the value of a filter is text, a number or a boolean, got ${shown(value)}`
  )
}

/** Makes a frozen copy, because configurations and roles share the entries of a whitelist. */
export function changed<Entry extends object> (entry: Entry, changes: Partial<Entry>): Entry {
  return Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(entry) as object) as Entry, entry, changes))
}
