/** The end of a path: what can be compared or ordered, and how values for it are read from text. */
import { ConfigError } from '../../errors.ts'
import { convert, type Converted, type Path, type ValueType } from '../../model/index.ts'
import type { Operand } from '../types.ts'

export function operandOf ({ property }: Path, what: string): Operand {
  if (property.kind === 'scalar') return property
  if (property.kind === 'relation' && property.join.kind === 'owner') return property
  throw new ConfigError(property.kind === 'embedded'
    ? `${what}: '${property.name}' is an embedded object; name one of its properties.`
    : `${what}: '${property.name}' has no key of its own to compare; name a property behind it, such as '${property.name}.${property.target.primaryKey[0]!.property.name}'.`)
}

const COMPOSITE_KEY = 'composite key (name a property behind it)'

/** How the values of an operand are typed and converted. */
export function valuesOf (operand: Operand, what: string): { type: ValueType, convert: (text: string) => Converted } {
  if (operand.kind === 'scalar') {
    return { type: operand.type, convert: operand.codec?.toDatabase ?? ((text) => convert(text, operand.type)) }
  }
  const [part, ...more] = operand.key
  if (part === undefined) throw new ConfigError(`${what}: '${operand.name}' has no key.`)
  // several values: all that can be asked of them together is whether they are there
  const type: ValueType = more.length > 0 ? { kind: 'other', columnType: COMPOSITE_KEY } : part.type
  return { type, convert: (more.length > 0 ? undefined : part.codec?.toDatabase) ?? ((text) => convert(text, type)) }
}

export const describe = (type: ValueType): string => type.kind === 'other' ? type.columnType : type.kind
