/**
 * The JSON Schema of a value that a client sends: at least as wide as what `src/model` converts, and as narrow as a
 * schema can say. What a schema can't say (days of a month with a time, digits of a float) is left to the conversion.
 */
import { Type, type TSchema } from '@sinclair/typebox'
import type { ValueType } from '../model/index.ts'
import { valueSchema } from './value-schema.ts'

/** Digits of a number that is written as text, at most. */
const MAX_INTEGER_LENGTH = 40

const CLOCK = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?'
const TIME = `^${CLOCK}$`
const DATETIME = `^\\d{4}-\\d{2}-\\d{2}([Tt ]${CLOCK}([Zz]|[+-]\\d{2}(:?\\d{2})?)?)?$`

/** Schema of what a body may hold for a value type, null apart. */
export function inputSchema (type: ValueType): TSchema {
  switch (type.kind) {
    case 'bigint':
      return type.form === 'number'
        ? Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
        : Type.String({ pattern: '^-?\\d+$', maxLength: MAX_INTEGER_LENGTH })
    case 'decimal':
      return decimalSchema(type)
    case 'datetime':
      return Type.String({
        pattern: DATETIME,
        description: 'ISO 8601. A date alone is midnight, a time without an offset is UTC.',
      })
    case 'time':
      return Type.String({ pattern: TIME })
    case 'array':
      return Type.Array(inputSchema(type.element))
    default:
      return valueSchema(type)
  }
}

/** With a precision: as many digits before and after the point as the column keeps. */
function decimalSchema ({ form, precision, scale = 0 }: Extract<ValueType, { kind: 'decimal' }>): TSchema {
  const whole = precision === undefined ? undefined : Math.max(0, precision - scale)
  const description = whole === undefined
    ? {}
    : { description: `At most ${whole} digits before and ${scale} after the point.` }
  if (form === 'number') {
    const limit = whole === undefined ? undefined : Number(`${'9'.repeat(whole)}.${'9'.repeat(scale)}`)
    return Type.Number({ ...(limit !== undefined && { minimum: -limit, maximum: limit }), ...description })
  }
  if (whole === undefined) return Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
  const integer = whole === 0 ? '0+' : `0*\\d{1,${whole}}`
  const fraction = scale === 0 ? '0+' : `\\d{1,${scale}}0*`
  return Type.String({ pattern: `^-?${integer}(\\.${fraction})?$`, ...description })
}
