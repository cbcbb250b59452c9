/** Types that this package does not know. Their values are texts that the database reads and writes. */
import { accept, refuse } from './converted.ts'
import { textFromText } from './text.ts'
import type { OtherType } from './value-type.ts'
import { INCOMPARABLE, unchanged, type WireType } from './wire-type.ts'

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
