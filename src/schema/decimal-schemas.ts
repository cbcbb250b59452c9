/** Schemas and examples of decimal numbers. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import type { DecimalType } from '../model/index.ts'

const DECIMAL = '^-?\\d+(\\.\\d+)?$'
const DECIMAL_OR_EXPONENT = '^-?\\d+(\\.\\d+)?([eE][+-]?\\d{1,3})?$'

export function decimalValue ({ form }: DecimalType): TSchema {
  return form === 'number' ? Type.Number() : Type.String({ pattern: DECIMAL })
}

/** Schema of a decimal number in a body. A precision limits the digits before and after the point. */
export function decimalInput ({ form, precision, scale = 0 }: DecimalType): TSchema {
  const whole = precision === undefined ? undefined : Math.max(0, precision - scale)
  const zeros = zerosOf(precision, scale)
  const description = whole === undefined
    ? {}
    : { description: `At most ${whole} digits before and ${scale} after the point${zerosText(zeros)}.` }
  if (form === 'number') {
    const places = `${'0'.repeat(zeros)}${'9'.repeat(scale - zeros)}`
    const limit = whole === undefined ? undefined : Number(`${'9'.repeat(whole)}.${places}`)
    return Type.Number({ ...(limit !== undefined && { minimum: -limit, maximum: limit }), ...description })
  }
  if (whole === undefined) return Type.String({ pattern: DECIMAL })
  const integer = whole === 0 ? '0+' : `0*\\d{1,${whole}}`
  const fraction = scale === 0
    ? '0+'
    : zeros > 0
      ? `(0{1,${zeros}}|0{${zeros}}\\d{1,${precision}}0*)`
      : `\\d{1,${scale}}0*`
  return Type.String({ pattern: `^-?${integer}(\\.${fraction})?$`, ...description })
}

/** Schema of a decimal number in a URL, where a filter may compare with more digits than a column keeps. */
export function decimalText ({ form }: DecimalType): TSchema {
  return form === 'number' ? Type.Number() : Type.String({ pattern: DECIMAL_OR_EXPONENT })
}

/** The number of places after the point that are always 0, in a column with more places than digits. */
const zerosOf = (precision: number | undefined, scale: number): number => Math.max(0, scale - (precision ?? scale))

const zerosText = (zeros: number): string => zeros > 0 ? `, the first ${zeros} of which are 0` : ''

export function decimalExample ({ form, precision, scale = 0 }: DecimalType): unknown {
  const whole = precision === undefined ? 1 : precision - scale
  const places = precision === undefined ? 2 : Math.min(precision, scale, 2)
  const zeros = '0'.repeat(zerosOf(precision, scale))
  const text = `${whole > 0 ? 9 : 0}${places > 0 ? `.${zeros}${'5'.padEnd(places, '0')}` : ''}`
  return form === 'number' ? Number(text) : text
}

/** A greater number, whose last digit is increased. */
export function decimalAfter (first: unknown): unknown {
  const text = String(first)
  const next = `${text.slice(0, -1)}${Math.min(9, Number(text.at(-1)) + 4)}`
  return typeof first === 'number' ? Number(next) : next
}
