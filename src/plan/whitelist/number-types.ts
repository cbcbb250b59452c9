/** The types of numbers about the values of a property, in groups and of related records. */
import { ConfigError } from '../../base/errors.ts'
import { wireTypeOf, type ValueType } from '../../model/index.ts'
import type { Operand } from '../condition-types.ts'
import { describe } from '../operand.ts'

/** The type of a count. */
export const COUNT: ValueType = { kind: 'bigint', form: 'number' }

/**
 * The type of the result of a function, which depends on the type of the values.
 *
 * @param what the entry of the whitelist, for messages
 * @throws {ConfigError} for a function that does not work on the values
 */
export function typeOfNumber (
  fn: 'sum' | 'avg' | 'min' | 'max',
  operand: Operand,
  type: ValueType,
  what: string
): ValueType {
  const { extremes, sum, mean } = wireTypeOf(type)
  const isScalar = operand.kind === 'scalar'
  if (fn === 'min' || fn === 'max') {
    if (isScalar && extremes) return type
    throw new ConfigError(`${what}: values of type ${describe(type)} have no minimum or maximum.`)
  }
  const words = fn === 'sum' ? 'sum' : 'mean'
  if (isScalar && operand.codec !== undefined) {
    throw new ConfigError(
      `${what}: '${operand.name}' has a custom type or a serializer, so the ${words} of its stored values may be ` +
        'meaningless.'
    )
  }
  const result = isScalar ? (fn === 'sum' ? sum : mean)?.(type) : undefined
  if (result === undefined) {
    throw new ConfigError(`${what}: values of type ${describe(type)} have no ${words}; only numbers have one.`)
  }
  return result
}
