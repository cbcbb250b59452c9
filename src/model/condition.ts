/**
 * The check that all conditions in MikroORM's words pass: scopes, MikroORM's filters, and the `where` of relations and
 * includes. MikroORM reads much as no condition at all, or as null, that was meant to be one: `{ tenant: {} }`,
 * `{ tenant: undefined }`, a Map. A condition says who may see a row, so that only one whose meaning is certain passes.
 */
import { Raw, Reference, Utils, isRaw } from '@mikro-orm/core'
import { primaryKeysOf } from '../borrowed/mikro-orm.ts'
import { didYouMean, nearest } from '../suggest.ts'
import type { EntityModel, Property, RelationProperty } from './entity-model.ts'

/** What is wrong with a condition, as a sentence that names properties: for the log and for start-up, not for clients. */
export class ConditionError extends Error {}

/** Operators on the value of a column (MikroORM's `QueryOperator`). */
const COLUMN_OPERATORS = [
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$like',
  '$ilike',
  '$re',
  '$fulltext',
  '$exists',
  '$overlap',
  '$contains',
  '$contained',
  '$hasKey',
  '$hasKeys',
  '$hasSomeKeys',
  '$elemMatch',
]
/** Operators on related records. */
const QUANTIFIERS = ['$some', '$none', '$every']
const RELATION_OPERATORS = [
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$exists',
  '$size',
  '$all',
  ...QUANTIFIERS,
]
/** Those whose value is a list. */
const LISTS: ReadonlySet<string> = new Set(['$in', '$nin', '$all', '$hasKeys', '$hasSomeKeys'])
/** Conditions of conditions. */
const GROUPS = ['$and', '$or', '$not']

/**
 * Checks a condition on the rows of an entity. `{}` is one: it holds for all rows.
 *
 * @throws {ConditionError} for anything that is not certainly a condition
 * @example
 * checkCondition({ tenant: 5, $or: [{ archived: false }, { owner: 7 }] }, project)
 */
export function checkCondition (where: unknown, model: EntityModel): void {
  if (isPlain(where) && isEmpty(where)) return
  if (!condition(where, namesOf(model), '')) fail('', 'it says nothing: write {} if all rows are meant')
}

/** What a condition may name: properties by name, and names whose values are checked without knowing their type. */
interface Names {
  readonly of: string
  readonly properties: ReadonlyMap<string, Property>
  readonly others: ReadonlySet<string>
}

const namesOf = ({ name, properties, otherNames }: EntityModel): Names => ({ of: name, properties, others: otherNames })
const NO_NAMES: ReadonlySet<string> = new Set()

/** @returns whether the condition says anything: an empty one holds for all rows */
function condition (where: unknown, names: Names, at: string): boolean {
  if (!isPlain(where)) fail(at, `it must be an object with conditions on ${names.of}; it is ${kindOf(where)}`)
  let says = false
  for (const symbol of Object.getOwnPropertySymbols(where)) {
    if (!Raw.isKnownFragmentSymbol(symbol)) fail(at, 'a symbol is not the name of a property')
    const compared = (where as Record<symbol, unknown>)[symbol]
    // a fragment with [] is the whole condition
    if (!Array.isArray(compared) || compared.length > 0) column(compared, undefined, path(at, 'raw(...)'))
    says = true
  }
  for (const key of Object.keys(where)) {
    const [inside, value] = [path(at, key), where[key]]
    if (key === '$and') says = every(value, names, inside) || says
    else if (key === '$or' || key === '$not') {
      for (const [index, member] of (key === '$or' ? list(value, inside) : [value]).entries()) {
        if (!condition(member, names, key === '$or' ? `${inside}[${index}]` : inside)) {
          fail(inside, 'one of its conditions is empty')
        }
      }
      says = true
    } else {
      member(key, value, names, inside)
      says = true
    }
  }
  return says
}

/** Members of `$and`: those that hold for all rows add nothing, but one of them has to say something. */
function every (members: unknown, names: Names, at: string): boolean {
  const said = list(members, at).map((member, index) => condition(member, names, `${at}[${index}]`))
  if (said.length === 0) fail(at, 'a list without conditions would hold for all rows')
  return said.includes(true)
}

function member (key: string, value: unknown, names: Names, at: string): void {
  const property = names.properties.get(key)
  if (property === undefined) {
    if (!names.others.has(key)) {
      fail(
        at,
        didYouMean(`${names.of} has no property '${key}'`, nearest(key, [...names.properties.keys(), ...GROUPS]))
      )
    }
    return column(value, undefined, at)
  }
  switch (property.kind) {
    case 'scalar':
      return column(value, property, at)
    case 'relation':
      return relation(value, property, at)
    case 'embedded':
      return embedded(value, property.properties, at)
  }
}

/** What is said of an embedded object: of its members. */
function embedded (value: unknown, properties: ReadonlyMap<string, Property>, at: string): void {
  if (value === null) return
  if (!isPlain(value)) fail(at, `it must be an object with conditions on its members; it is ${kindOf(value)}`)
  if (isEmpty(value)) fail(at, 'it says nothing')
  for (const key of ownKeys(value, at)) member(key, value[key], { of: at, properties, others: NO_NAMES }, path(at, key))
}

/** What is said of a relation: its key, operators on it, or a condition on related rows. */
function relation (value: unknown, property: RelationProperty, at: string): void {
  if (!isPlain(value)) return operand(value, at)
  if (isEmpty(value)) fail(at, 'it says nothing')
  const operators = Object.keys(value).filter((key) => key.startsWith('$') && !GROUPS.includes(key))
  if (operators.length === 0) {
    if (!condition(value, namesOf(property.target), at)) fail(at, 'it says nothing')
    return
  }
  for (const key of ownKeys(value, at)) {
    const [inside, compared] = [path(at, key), value[key]]
    if (!operators.includes(key)) {
      fail(inside, `operators such as ${operators[0]} stand by themselves: put the other conditions into $and`)
    }
    if (!RELATION_OPERATORS.includes(key)) {
      fail(inside, didYouMean(`there is no operator ${key} for a relation`, nearest(key, RELATION_OPERATORS)))
    }
    if (QUANTIFIERS.includes(key)) {
      // { $some: {} } asks for any related row, { $none: {} } for none; that all of them exist is always true
      const says = isPlain(compared) && isEmpty(compared)
        ? key !== '$every'
        : condition(compared, namesOf(property.target), inside)
      if (!says) fail(inside, 'it says nothing')
    } else operator(key, compared, undefined, inside)
  }
}

/** What is said of one column: a value, a list of values, or operators. */
function column (value: unknown, property: (Property & { kind: 'scalar' }) | undefined, at: string): void {
  const isJson = property?.type.kind === 'json'
  if (!isPlain(value)) return isJson ? json(value, at) : operand(value, at, property?.codec !== undefined)
  if (isEmpty(value)) fail(at, 'an empty object would be no condition')
  for (const key of ownKeys(value, at)) {
    const inside = path(at, key)
    if (COLUMN_OPERATORS.includes(key)) operator(key, value[key], property, inside)
    // members of a JSON document
    else if (isJson && !key.startsWith('$')) column(value[key], property, inside)
    else if (key === '$not' || GROUPS.includes(key)) fail(inside, `${key} stands around the property: { ${key}: ... }`)
    else fail(inside, didYouMean(`there is no operator ${key}`, nearest(key, COLUMN_OPERATORS)))
  }
}

function operator (
  name: string,
  value: unknown,
  property: (Property & { kind: 'scalar' }) | undefined,
  at: string
): void {
  if (LISTS.has(name) && !Array.isArray(value) && !isSql(value)) {
    fail(at, `${name} takes a list; it is ${kindOf(value)}`)
  }
  if (name === '$exists' && typeof value !== 'boolean') fail(at, `$exists is true or false; it is ${kindOf(value)}`)
  if (name === '$size' && isPlain(value)) return column(value, undefined, at)
  if (name === '$elemMatch' && isPlain(value) && isEmpty(value)) fail(at, 'it says nothing')
  if (property?.type.kind === 'json') return json(value, at)
  operand(value, at, property?.codec !== undefined)
}

/**
 * A value that columns are compared with.
 *
 * @param custom the type is the application's own, and its values may be of any class
 */
function operand (value: unknown, at: string, custom = false): void {
  switch (typeof value) {
    case 'undefined':
      return fail(at, 'it is undefined, which is neither a value nor null')
    case 'function':
    case 'symbol':
      return fail(at, `it is ${kindOf(value)}`)
    case 'number':
      return Number.isNaN(value) ? fail(at, 'it is NaN') : undefined
    case 'object':
      break
    default:
      return
  }
  if (value === null || value instanceof RegExp || ArrayBuffer.isView(value) || isSql(value)) return
  if (Array.isArray(value)) {
    // a list with holes has undefined in them
    for (let index = 0; index < value.length; index++) operand(value[index], `${at}[${index}]`, custom)
    return
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? fail(at, 'it is an invalid date') : undefined
  const key = keyOfEntity(value)
  if (key !== undefined) return operand(key, at)
  if (custom || typeof (value as { toPostgres?: unknown }).toPostgres === 'function') return
  fail(at, `it is ${kindOf(value)}, which is no value of a column`)
}

/** The key that an entity of MikroORM's, or a reference to one, stands for; `undefined` for any other value. */
export function keyOfEntity (value: unknown): readonly unknown[] | undefined {
  const entity = Reference.isReference(value) ? value.unwrap() : value
  return Utils.isEntity(entity) ? primaryKeysOf(entity) : undefined
}

/** A JSON document: what has no text in JSON would be left out of it. */
function json (value: unknown, at: string): void {
  if (Array.isArray(value)) { for (let index = 0; index < value.length; index++) json(value[index], `${at}[${index}]`) } else if (isPlain(value)) { for (const key of ownKeys(value, at)) json(value[key], path(at, key)) } else operand(value, at)
}

/** SQL of the application's: `raw()`, or a query of MikroORM's as a list. */
const isSql = (value: unknown): boolean =>
  isRaw(value) || typeof (value as { toRaw?: unknown } | null | undefined)?.toRaw === 'function'

/** An object literal. */
function isPlain (value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || isSql(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const isEmpty = (value: object): boolean =>
  Object.keys(value).length === 0 && Object.getOwnPropertySymbols(value).length === 0

/** The names of an object's members; fragments of SQL stand for whole conditions only. */
function ownKeys (value: object, at: string): string[] {
  if (Object.getOwnPropertySymbols(value).length > 0) {
    fail(at, 'a fragment of SQL stands beside properties of the entity')
  }
  return Object.keys(value)
}

function list (value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value) ? Array.from(value) : fail(at, `it must be a list of conditions; it is ${kindOf(value)}`)
}

function kindOf (value: unknown): string {
  if (value === null || value === undefined || Number.isNaN(value)) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') {
    const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name
    return isPlain(value) || typeof name !== 'string' || name === '' || name === 'Object'
      ? 'an object'
      : `of the class ${name}`
  }
  return `a ${typeof value}`
}

const path = (at: string, key: string): string => at === '' ? key : `${at}.${key}`

function fail (at: string, what: string): never {
  throw new ConditionError(at === '' ? what : `${at}: ${what}`)
}
