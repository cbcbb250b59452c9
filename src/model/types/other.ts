/** Types that this package does not know. Their values are texts that the database reads and writes. */
import { accept, refuse } from './converted.ts'
import { textFromText } from './text.ts'
import { INCOMPARABLE, unchanged, type WireType } from './wire-type.ts'

/**
 * A type that this package does not know. Its values are read as texts. They can only be tested for null, and compared
 * as keys.
 */
export interface OtherType {
  readonly kind: 'other'
  readonly columnType: string
}

export const other: WireType<OtherType> = {
  // used for every column type without another entry (`valueTypeOf`)
  columns: {},
  abilities: () => INCOMPARABLE,
  extremes: false,
  fromKey: textFromText,
  fromJson: (value) => typeof value === 'string' && !value.includes('\0') ? accept(value) : refuse('a string'),
  fromStored: (text) => textFromText(text).ok ? text : undefined,
  toBody: unchanged,
  takesDates: false,
  isSame: () => undefined,
  inEntity: 'json',
  numeric: false,
  plainInPath: false,
  plainInJson: false,
}
