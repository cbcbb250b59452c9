/** What all filters have: a value for requests that name none, and values that mean nothing. */
import { ConfigError } from '../errors.ts'
import { shown } from '../options.ts'

/** A value as a URL would write it; numbers and booleans stand for their text. */
export type FilterText = string | number | boolean

/** A filter that ignores values: they may be given, whatever the type of its property. Only a type. */
export interface Ignoring<Value extends FilterText> {
  /** @internal */
  readonly '~ignored': { readonly [Text in `${Value}`]: true }
}

/** Of values and lists of values, the values. */
type Each<Value extends FilterText | readonly FilterText[]> = Value extends readonly (infer Item extends FilterText)[]
  ? Item
  : Value & FilterText

export abstract class BaseFilter {
  /** The filter's value where a request has none. */
  readonly defaultValue: string | readonly string[] | undefined = undefined
  /** Values that a request may give, and that filter nothing. */
  readonly ignoredValues: readonly string[] = []

  /**
   * The same filter with a value that applies where the URL does not have the filter. A list stands for a repeated
   * parameter. Whether the value is one of the property's is checked when the resource meets its ORM.
   *
   * @throws {ConfigError} for what is not text, a number or a boolean
   * @example
   * AllowedFilters.exact('status').default('active')
   */
  default (value: FilterText | readonly FilterText[]): this {
    return changed(this, { defaultValue: Array.isArray(value) ? Object.freeze(value.map(text)) : text(value) })
  }

  /**
   * The same filter, to which these values mean nothing: given alone they filter nothing, and the default does not
   * apply; as items of a list they are left out.
   *
   * @throws {ConfigError} for no value, and for what is not text, a number or a boolean
   * @example
   * AllowedFilters.exact('status').ignore('all', '')
   */
  ignore<const Values extends readonly (FilterText | readonly FilterText[])[]> (
    ...values: Values
  ): this & Ignoring<Each<Values[number]>> {
    const ignored = values.flat().map(text)
    if (ignored.length === 0) {
      throw new ConfigError(
        "AllowedFilters: ignore() names no values; write those that mean nothing, such as .ignore('all')"
      )
    }
    const ignoredValues = Object.freeze([...this.ignoredValues, ...ignored])
    return changed(this, { ignoredValues }) as this & Ignoring<Each<Values[number]>>
  }
}

function text (value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ConfigError(`AllowedFilters: the value of a filter is text, a number or a boolean, got ${shown(value)}`)
}

/** A frozen copy: filters are shared between configurations. */
function changed<Filter extends BaseFilter> (filter: Filter, changes: Partial<BaseFilter>): Filter {
  return Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(filter) as object) as Filter, filter, changes))
}
