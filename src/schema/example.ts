/** Examples of values, for documentation. */
import type { ValueType } from '../model/index.ts'

/** A value of the type as JSON has it, which the column can hold. */
export function exampleOf (type: ValueType): unknown {
  switch (type.kind) {
    case 'integer':
      return Math.min(10, type.max)
    case 'bigint':
      return type.form === 'number' ? 10 : '10'
    case 'decimal':
      return decimalExample(type)
    case 'float':
      return 1.5
    case 'boolean':
      return true
    case 'text':
      return 'text'.slice(0, type.maxLength)
    case 'enum':
      return type.items[0]
    case 'uuid':
      return '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'
    case 'date':
      return '2024-05-31'
    case 'datetime':
      return '2024-05-31T09:30:00Z'
    case 'time':
      return '09:30:00'
    case 'json':
      return {}
    case 'blob':
      return 'AAEC'
    case 'array':
      return [exampleOf(type.element)]
    case 'other':
      return 'text'
  }
}

function decimalExample ({ form, precision, scale }: Extract<ValueType, { kind: 'decimal' }>): unknown {
  const whole = precision === undefined ? 1 : precision - (scale ?? 0)
  const places = precision === undefined ? 2 : Math.min(scale ?? 0, 2)
  const text = `${whole > 0 ? 9 : 0}${places > 0 ? `.${'5'.padEnd(places, '0')}` : ''}`
  return form === 'number' ? Number(text) : text
}
