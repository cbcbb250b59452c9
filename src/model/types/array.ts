/** Arrays are JSON arrays of items in the wire form of their type. A URL contains items, but never a whole array. */
import { accept, refuse, type SqlValue } from './converted.ts'
import type { ArrayType, ValueType } from './value-type.ts'
import { INCOMPARABLE, unchanged, type WireType } from './wire-type.ts'

/** @param entryOf finds the entry of the items' type */
export function arrayOf (entryOf: (type: ValueType) => WireType<ValueType>): WireType<ArrayType> {
  return {
    // `valueTypeOf` recognizes arrays by the `[]` after the name of the item type
    columns: {},
    abilities: () => INCOMPARABLE,
    extremes: false,
    fromJson (value, { element }) {
      if (!Array.isArray(value)) return refuse('an array')
      const items: SqlValue[] = []
      for (const item of value) {
        const converted = item === null ? refuse('a value other than null') : entryOf(element).fromJson(item, element)
        if (!converted.ok) return refuse(`an array whose items are each ${converted.expected}`, converted.allowed)
        items.push(Buffer.isBuffer(converted.value) ? `\\x${converted.value.toString('hex')}` : converted.value)
      }
      return accept(arrayLiteral(items))
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

/** An array literal for PostgreSQL's text input (manual, section 8.15.6). A list of any length is one bound value. */
export function arrayLiteral (values: readonly SqlValue[]): string {
  return `{${
    values.map((value) => value === null ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')
  }}`
}
