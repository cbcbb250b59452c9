/**
 * Reads conditions in MikroORM's query language into trees. MikroORM treats some mistakes as no condition, or as null:
 * `{ tenant: {} }`, `{ tenant: undefined }`, a Map. A condition decides who may see a row, so a condition with an
 * uncertain meaning is rejected.
 */
import { Raw } from '@mikro-orm/core'
import type { EntityModel, Property, RelationProperty, ScalarProperty } from '../model/index.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import { fail, pathOf, valueKind } from './condition-error.ts'
import { COLUMN_OPERATORS, GROUPS, isQuantifier, LIST_OPERATORS, RELATION_OPERATORS } from './mikro-orm-operators.ts'
import { copyOf, isEmptyObject, isPlainObject, isSql } from './plain-object.ts'
import { ALL_ROWS, saysSomething, type Comparison, type Where, type WherePart } from './where-tree.ts'
import { checkJson, checkValue, keysOf } from './condition-values.ts'

/**
 * Reads a condition on the rows of an entity. The condition `{}` holds for all rows.
 *
 * @throws {ConditionError} for anything that is not certainly a condition
 * @example
 * readCondition({ tenant: 5, $or: [{ archived: false }, { owner: 7 }] }, project)
 */
export function readCondition (where: unknown, model: EntityModel): Where {
  if (isPlainObject(where) && isEmptyObject(where)) return ALL_ROWS
  const read = readWhere(where, namesOf(model), '')
  if (!saysSomething(read)) fail('', 'it contains no condition: write {} if all rows are meant')
  return read
}

/**
 * The names that a condition may use: those of properties, and others whose values are checked without a known type.
 */
interface Names {
  readonly of: string
  readonly properties: ReadonlyMap<string, Property>
  readonly others: ReadonlySet<string>
}

const namesOf = ({ name, properties, otherNames }: EntityModel): Names => ({ of: name, properties, others: otherNames })
const NO_NAMES: ReadonlySet<string> = new Set()

function readWhere (where: unknown, names: Names, at: string): Where {
  if (!isPlainObject(where)) fail(at, `it must be an object with conditions on ${names.of}; it is ${valueKind(where)}`)
  const parts: WherePart[] = []
  for (const symbol of Object.getOwnPropertySymbols(where)) {
    parts.push(readSql(symbol, (where as Record<symbol, unknown>)[symbol], at))
  }
  for (const key of Object.keys(where)) {
    const [value, inside] = [where[key], pathOf(at, key)]
    switch (key) {
      case '$and':
        parts.push(frozen({ kind: 'and', members: readMembers(value, names, inside) }))
        break
      case '$or':
        parts.push(frozen({ kind: 'or', members: readAlternatives(value, names, inside) }))
        break
      case '$not':
        parts.push(frozen({ kind: 'not', where: readAlternative(value, names, inside, inside) }))
        break
      default:
        parts.push(...readMember(key, value, names, inside))
    }
  }
  return Object.freeze(parts)
}

const frozen = <Part extends WherePart>(part: Part): Part => Object.freeze(part)

function readSql (fragment: symbol, value: unknown, at: string): WherePart {
  if (!Raw.isKnownFragmentSymbol(fragment)) fail(at, 'a symbol is not the name of a property')
  // if its value is [], the fragment is the whole condition
  if (!Array.isArray(value) || value.length > 0) checkOperand(value, pathOf(at, 'raw(...)'))
  return frozen({ kind: 'sql', fragment, value: copyOf(value) })
}

/** Reads the members of `$and`. Members that hold for all rows are allowed, because they change nothing. */
function readMembers (members: unknown, names: Names, at: string): readonly Where[] {
  const read = readList(members, at).map((member, index) => readWhere(member, names, `${at}[${index}]`))
  if (read.length === 0) fail(at, 'a list without conditions would hold for all rows')
  return Object.freeze(read)
}

/** Reads the members of `$or`. A member that holds for all rows would make the others meaningless. */
function readAlternatives (members: unknown, names: Names, at: string): readonly Where[] {
  return Object.freeze(
    readList(members, at).map((member, index) => readAlternative(member, names, `${at}[${index}]`, at))
  )
}

function readAlternative (member: unknown, names: Names, at: string, group: string): Where {
  const read = readWhere(member, names, at)
  if (!saysSomething(read)) fail(group, 'one of its conditions is empty')
  return read
}

function readList (value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value)
    ? Array.from(value)
    : fail(at, `it must be a list of conditions; it is ${valueKind(value)}`)
}

function readMember (key: string, value: unknown, names: Names, at: string): readonly WherePart[] {
  const property = names.properties.get(key)
  if (property === undefined) {
    if (!names.others.has(key)) {
      fail(
        at,
        didYouMean(`${names.of} has no property '${key}'`, nearest(key, [...names.properties.keys(), ...GROUPS]))
      )
    }
    checkOperand(value, at)
    return [verbatim(key, value)]
  }
  switch (property.kind) {
    case 'scalar':
      return [readColumn(value, property, at)]
    case 'relation':
      return readRelation(value, property, at)
    case 'embedded': {
      if (value === null) return [verbatim(key, value)]
      if (!isPlainObject(value)) {
        fail(at, `it must be an object with conditions on its members; it is ${valueKind(value)}`)
      }
      if (isEmptyObject(value)) fail(at, 'it contains no condition')
      const members: Names = { of: at, properties: property.properties, others: NO_NAMES }
      const where = keysOf(value, at).flatMap((name) => readMember(name, value[name], members, pathOf(at, name)))
      return [frozen({ kind: 'embedded', property, where: Object.freeze(where) })]
    }
  }
}

const verbatim = (name: string, value: unknown): WherePart => frozen({ kind: 'verbatim', name, value: copyOf(value) })

/**
 * Reads the condition on a column: a value, a list of values, or operators. A JSON document may also have conditions on
 * its members.
 */
function readColumn (value: unknown, property: ScalarProperty, at: string): WherePart {
  if (isPlainObject(value)) {
    checkOperators(value, property, at)
    return Object.keys(value).every((key) => COLUMN_OPERATORS.includes(key))
      ? comparing(property, value)
      : verbatim(property.name, value)
  }
  checkColumnValue(value, property, at)
  return comparingBare(property, value)
}

const comparing = (property: ScalarProperty | RelationProperty, operators: Record<string, unknown>): WherePart =>
  frozen({
    kind: 'compare',
    property,
    comparisons: Object.freeze(Object.keys(operators).map((operator) => comparison(operator, operators[operator]))),
    bare: false,
  })

const comparingBare = (property: ScalarProperty | RelationProperty, value: unknown): WherePart =>
  frozen({
    kind: 'compare',
    property,
    comparisons: Object.freeze([comparison(Array.isArray(value) ? '$in' : '$eq', value)]),
    bare: true,
  })

const comparison = (operator: string, value: unknown): Comparison => Object.freeze({ operator, value: copyOf(value) })

/** Reads the condition on a relation: its key, operators on it, or a condition on related rows. */
function readRelation (value: unknown, relation: RelationProperty, at: string): readonly WherePart[] {
  if (!isPlainObject(value)) {
    checkValue(value, at)
    return [comparingBare(relation, value)]
  }
  if (isEmptyObject(value)) fail(at, 'it contains no condition')
  const operators = Object.keys(value).filter((key) => key.startsWith('$') && !GROUPS.includes(key))
  if (operators.length === 0) {
    const where = readWhere(value, namesOf(relation.target), at)
    if (!saysSomething(where)) fail(at, 'it contains no condition')
    refuseInnerKeys(value, relation, at)
    return [frozen({ kind: isOnKey(value, relation) ? 'key' : 'related', relation, where })]
  }
  const parts: WherePart[] = []
  const compared: Record<string, unknown> = {}
  for (const key of keysOf(value, at)) {
    const [operand, inside] = [value[key], pathOf(at, key)]
    if (!operators.includes(key)) {
      fail(inside, `operators such as ${operators[0]} cannot be mixed with other conditions: put those into $and`)
    }
    if (!RELATION_OPERATORS.includes(key)) {
      fail(inside, didYouMean(`there is no operator ${key} for a relation`, nearest(key, RELATION_OPERATORS)))
    }
    if (isQuantifier(key)) {
      // { $some: {} } matches any related row, and { $none: {} } requires that there are none; { $every: {} } would
      // always hold
      const isAny = key !== '$every' && isPlainObject(operand) && isEmptyObject(operand)
      const where = isAny ? ALL_ROWS : readWhere(operand, namesOf(relation.target), inside)
      if (!isAny && !saysSomething(where)) fail(inside, 'it contains no condition')
      parts.push(frozen({ kind: 'related', relation, quantifier: key, where }))
    } else {
      checkOperator(key, operand, undefined, inside)
      compared[key] = operand
    }
  }
  if (Object.keys(compared).length > 0) parts.push(comparing(relation, compared))
  return parts
}

/**
 * Refuses a condition on the key of a related record if a part of that key is another composite key: MikroORM compares
 * the columns of other parts then.
 */
function refuseInnerKeys (value: Record<string, unknown>, { join, target }: RelationProperty, at: string): void {
  const hasInnerKey = target.primaryKey.some(({ property }) =>
    property.kind === 'relation' && property.target.primaryKey.length > 1
  )
  if (join.kind !== 'owner' || !hasInnerKey) return
  const part = Object.keys(value).find((key) => target.primaryKey.some(({ property }) => property.name === key))
  if (part === undefined) return
  fail(
    pathOf(at, part),
    `the key of ${target.name} contains another composite key, of which MikroORM compares the wrong columns. ` +
      'Compare the columns in SQL, { [sql`...`]: ... }'
  )
}

/** Whether a condition on a related record names only its key, which the row itself contains. */
function isOnKey (value: Record<string, unknown>, { join, target }: RelationProperty): boolean {
  return join.kind === 'owner' && Object.getOwnPropertySymbols(value).length === 0 &&
    Object.keys(value).every((key) => target.primaryKey.some(({ property }) => property.name === key))
}

/** Checks the operand of a name without a type: a value, a list of values, or operators. */
function checkOperand (value: unknown, at: string): void {
  if (isPlainObject(value)) checkOperators(value, undefined, at)
  else checkValue(value, at)
}

function checkColumnValue (value: unknown, property: ScalarProperty, at: string): void {
  if (property.type.kind === 'json') checkJson(value, at)
  else checkValue(value, at, property.codec !== undefined)
}

function checkOperators (value: Record<string, unknown>, property: ScalarProperty | undefined, at: string): void {
  const isJson = property?.type.kind === 'json'
  if (isEmptyObject(value)) fail(at, 'an empty object is not a condition')
  for (const key of keysOf(value, at)) {
    const inside = pathOf(at, key)
    if (COLUMN_OPERATORS.includes(key)) checkOperator(key, value[key], property, inside)
    // members of a JSON document
    else if (isJson && !key.startsWith('$')) {
      const member = value[key]
      if (isPlainObject(member)) checkOperators(member, property, inside)
      else checkJson(member, inside)
    } else if (GROUPS.includes(key)) fail(inside, `${key} goes around the property: { ${key}: ... }`)
    else fail(inside, didYouMean(`there is no operator ${key}`, nearest(key, COLUMN_OPERATORS)))
  }
}

function checkOperator (name: string, value: unknown, property: ScalarProperty | undefined, at: string): void {
  if (LIST_OPERATORS.has(name) && !Array.isArray(value) && !isSql(value)) {
    fail(at, `${name} takes a list; it is ${valueKind(value)}`)
  }
  if (name === '$exists' && typeof value !== 'boolean') fail(at, `$exists is true or false; it is ${valueKind(value)}`)
  if (name === '$size' && isPlainObject(value)) return checkOperators(value, undefined, at)
  if (name === '$elemMatch' && isPlainObject(value) && isEmptyObject(value)) fail(at, 'it contains no condition')
  if (property === undefined) checkValue(value, at)
  else checkColumnValue(value, property, at)
}
