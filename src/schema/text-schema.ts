/** The schema of a value in a URL: what its text means, for the documentation of parameters. */
import { Type, type TSchema } from '@sinclair/typebox'
import type { ValueType } from '../model/index.ts'
import { inputSchema } from './input-schema.ts'

/** Schema of a parameter's value, or of an item of its list. */
export function textSchema (type: ValueType): TSchema {
  switch (type.kind) {
    case 'json':
    case 'blob':
    case 'array':
    case 'other':
      return Type.String()
    // text has no way to be longer than any row's: it is compared, not stored
    case 'text':
      return Type.String()
    default:
      return inputSchema(type)
  }
}
