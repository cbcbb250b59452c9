/**
 * Arrays are JSON arrays of items in the wire form of their type, or of such arrays. A URL contains items, but never a
 * whole array.
 */
import { accept, refuse, type Converted, type SqlValue } from './converted.ts'
import type { AnyType } from './basic-types.ts'
import { INCOMPARABLE, unchanged, type WireType } from './wire-type.ts'

/** @param entryOf finds the entry of the items' type */
export function arrayOf<Element extends AnyType> (
  entryOf: (type: Element) => WireType<Element>
): WireType<{ readonly kind: 'array', readonly element: Element }> {
  return {
    // `valueTypeOf` recognizes arrays by the `[]` after the name of the item type
    columns: {},
    abilities: () => INCOMPARABLE,
    extremes: false,
    fromJson (value, { element }) {
      if (!Array.isArray(value)) return refuse('an array')
      const { fromJson } = entryOf(element)
      let refused: Converted & { ok: false } | undefined
      const literal = literalOf(value, sizesOf(value, element), (item) => {
        const converted = fromJson(item, element)
        if (converted.ok) return converted.value
        refused ??= converted
        return null
      })
      if (refused !== undefined) return refuse(`an array whose items are each ${refused.expected}`, refused.allowed)
      return literal === undefined ? refuse('an array whose inner arrays have one length') : accept(literal)
    },
    adviceInUrl: ({ element }) => entryOf(element).adviceInUrl?.(element),
    fromStored: () => undefined,
    toBody: unchanged,
    takesDates: false,
    isSame: () => undefined,
    inEntity: 'converted',
    numeric: false,
    plainInPath: false,
    // the text of an array is not JSON
    plainInJson: false,
  }
}

/** PostgreSQL's arrays have no more dimensions. */
const MAX_DIMENSIONS = 6

/** The lengths of an array and of its first inner arrays. An array that is an item of JSON is a value like others. */
function sizesOf (value: readonly unknown[], element: AnyType, most = MAX_DIMENSIONS): readonly number[] {
  const [first] = value
  const isNested = element.kind !== 'json' && most > 1 && Array.isArray(first)
  return [value.length, ...isNested ? sizesOf(first, element, most - 1) : []]
}

/** The literal of an array with these lengths. `undefined` for an array of another form, which the database lacks. */
function literalOf (
  value: readonly unknown[],
  [size, ...inner]: readonly number[],
  convert: (item: unknown) => SqlValue
): string | undefined {
  if (value.length !== size || inner.includes(0)) return undefined
  const items: string[] = []
  for (const item of value) {
    const isArray = inner.length > 0
    if (isArray && !Array.isArray(item)) return undefined
    const literal = isArray
      ? literalOf(item as readonly unknown[], inner, convert)
      : itemLiteral(item === null ? null : convert(item))
    if (literal === undefined) return undefined
    items.push(literal)
  }
  return `{${items.join(',')}}`
}

/** An array literal for PostgreSQL's text input (manual, section 8.15.6). A list of any length is one bound value. */
export function arrayLiteral (values: readonly SqlValue[]): string {
  return `{${values.map(itemLiteral).join(',')}}`
}

function itemLiteral (value: SqlValue): string {
  if (value === null) return 'null'
  const text = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
