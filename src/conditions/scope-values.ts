/**
 * The values of a scope as values of columns. A read and a write of the same request must mean the same value, so it is
 * converted once. No row has a value that its column cannot hold.
 */
import {
  fromScope, incomparable, wireTypeOf, type Converted, type KeyColumn, type RelationProperty, type ScalarProperty,
  type SqlValue,
} from '../model/index.ts'
import { shown } from '../base/option-checks.ts'
import { ImpossibleValueError, pathOf } from './condition-error.ts'
import { equalityOf, type Equality } from './equalities.ts'
import { COMPARISONS } from './mikro-orm-operators.ts'
import type { ComparePart, RelationKeyPart, Where, WherePart } from './where-tree.ts'

/** The column that a condition on a property compares; `undefined` for a relation with several columns, or none. */
export function columnOf (property: ScalarProperty | RelationProperty): KeyColumn | undefined {
  return property.kind === 'scalar' ? property : property.key.length === 1 ? property.key[0] : undefined
}

/**
 * Returns a scope in which the values of equalities are spelled as their columns take them.
 *
 * @throws {ImpossibleValueError} for a value that its column cannot hold or be compared with. The message names the
 *   property and says what is allowed.
 * @example
 * withColumnValues(readCondition({ $or: [{ tenant: 5 }, { opened: 5 }] }, ledger)) // $or[1].opened: it is 5, and ...
 */
export function withColumnValues (where: Where): Where {
  return where.map((part) => {
    if (part.kind === 'and') return { ...part, members: part.members.map(withColumnValues) }
    const equality = equalityOf(part)
    if (equality !== undefined) return rewritten(part as ComparePart | RelationKeyPart, equality)
    checkPart(part, '')
    return part
  })
}

/**
 * The value of an equality that its column must have.
 *
 * @throws {ImpossibleValueError} for a value that the column cannot hold
 */
export function valueOfEquality ({ property, value }: Equality): SqlValue {
  if (value === null) {
    if (property.nullable) return null
    throw new ImpossibleValueError(`${property.name}: it is null, which its column cannot hold`)
  }
  const converted = fromScope(value, columnOf(property)!)
  return converted.ok ? converted.value : refuse(property.name, value, converted)
}

/** Rewrites the value of an equality, unless `src/plan/where.ts` can bind it and so use a kept statement. */
function rewritten (part: ComparePart | RelationKeyPart, equality: Equality): WherePart {
  const { type, codec } = columnOf(equality.property)!
  // the application's own type converts its values for reads
  if (codec !== undefined) return part
  const value = valueOfEquality(equality)
  const { fromScope, fromCondition } = wireTypeOf(type)
  if (value === null || fromScope === undefined || fromCondition?.(equality.value, type) !== undefined) return part
  if (part.kind === 'compare') return { ...part, comparisons: [{ ...part.comparisons[0]!, value }] }
  const [only] = part.where as readonly [ComparePart]
  return { ...part, where: [{ ...only, comparisons: [{ ...only.comparisons[0]!, value }] }] }
}

/** Checks the values that are compared with columns, at any depth. */
function checkPart (part: WherePart, at: string): void {
  switch (part.kind) {
    case 'and':
    case 'or':
      for (const [index, member] of part.members.entries()) checkWhere(member, pathOf(at, `$${part.kind}[${index}]`))
      break
    case 'not':
      checkWhere(part.where, pathOf(at, '$not'))
      break
    case 'key':
    case 'related':
      checkWhere(part.where, pathOf(at, part.relation.name))
      break
    case 'embedded':
      checkWhere(part.where, pathOf(at, part.property.name))
      break
    case 'compare':
      checkComparisons(part, pathOf(at, part.property.name))
      break
    case 'sql':
    case 'verbatim':
  }
}

function checkWhere (where: Where, at: string): void {
  for (const part of where) checkPart(part, at)
}

function checkComparisons ({ property, comparisons }: ComparePart, at: string): void {
  const column = columnOf(property)
  if (column === undefined || column.type.kind === 'array') return
  for (const { operator, value } of comparisons) {
    if (!COMPARISONS.includes(operator)) continue
    for (const item of Array.isArray(value) ? value : [value]) {
      if (isConverted(item)) continue
      const refusal = incomparable(item, column)
      if (refusal !== undefined) refuse(at, item, refusal)
    }
  }
}

/** Whether a value is null, or an object that MikroORM converts, such as SQL. Dates and bytes are bound. */
const isConverted = (value: unknown): boolean =>
  typeof value === 'object' && !(value instanceof Date) && !ArrayBuffer.isView(value)

function refuse (at: string, value: unknown, { expected, allowed }: Converted & { readonly ok: false }): never {
  const given = value instanceof Date ? value.toISOString() : shown(value).slice(0, MAX_SHOWN)
  const members = allowed === undefined ? '' : ` (${allowed.join(', ')})`
  throw new ImpossibleValueError(`${at}: it is ${given}, but its column takes ${expected}${members}`)
}

/** At most this many characters of a value in a message. */
const MAX_SHOWN = 80
