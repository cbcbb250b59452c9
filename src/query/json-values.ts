/** Reads the values of filters in JSON as texts, and remembers what they were. */
import { plainNumber } from '../base/plain-number.ts'

/**
 * What a value was in JSON. An integer from 2^53 on is `inexact`, because JavaScript may have rounded it. `other` is an
 * object or a list inside of a list.
 */
export type JsonKind = 'string' | 'number' | 'inexact' | 'boolean' | 'null' | 'other'

/** A value as the text that a URL would have. */
interface JsonValueText {
  readonly text: string
  readonly kind: JsonKind
}

/** Reads a value that is no list. Programs may also give dates and bigints. */
export function readJsonValue (value: unknown): JsonValueText {
  switch (typeof value) {
    case 'string':
      return { text: value, kind: 'string' }
    case 'boolean':
      return { text: String(value), kind: 'boolean' }
    case 'bigint':
      return { text: String(value), kind: 'number' }
    case 'number': {
      if (!Number.isFinite(value)) return { text: String(value), kind: 'other' }
      const isExact = !Number.isInteger(value) || Number.isSafeInteger(value)
      return { text: plainNumber(value), kind: isExact ? 'number' : 'inexact' }
    }
    default:
      if (value === null) return { text: '', kind: 'null' }
      if (value instanceof Date && !Number.isNaN(value.getTime())) return { text: value.toISOString(), kind: 'string' }
      return { text: typeof value === 'object' ? JSON.stringify(value) : '', kind: 'other' }
  }
}
