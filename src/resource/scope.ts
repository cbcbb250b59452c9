/** Scopes: a condition on a resource's own rows, of which plain equalities can be filled in by writes. */
import { ScopeError } from '../errors.ts'
import {
  checkCondition,
  ConditionError,
  isObject,
  keyOfEntity,
  type EntityModel,
  type Property,
} from '../model/index.ts'

/**
 * Checks the scope of a request. One that is given as undefined is not the same as one that is not given.
 *
 * @throws {ScopeError} for anything that is not certainly a condition
 */
export function checkScope (options: { readonly scope?: unknown }, model: EntityModel): void {
  if ('scope' in options) certain(`The scope of ${model.name}`, () => checkCondition(options.scope, model))
}

/**
 * Checks what MikroORM's filters say of an entity's rows.
 *
 * @throws {ScopeError} for anything that is not certainly a condition
 */
export function checkFilter (where: unknown, model: EntityModel): void {
  certain(`A MikroORM filter of ${model.name}`, () => checkCondition(where, model))
}

/**
 * Does something with a condition of the application's. Whatever is wrong with it is for the log: a client would learn
 * names that it is not to know.
 *
 * @param what the condition, as the subject of a sentence
 */
export function certain<Result> (what: string, use: () => Result): Result {
  try {
    return use()
  } catch (cause) {
    throw new ScopeError(undefined, {
      cause: cause instanceof ConditionError
        ? new ConditionError(`${what} is not certainly a condition: ${sentence(cause)}`)
        : new Error(`${what} is refused by MikroORM: ${sentence(cause)}`, { cause }),
    })
  }
}

/** The message of an error as the end of a sentence. */
export function sentence (error: unknown): string {
  const { message } = error as Error
  return /[.?!]$/.test(message) ? message : `${message}.`
}

/** What a scope says about a new row. */
export interface ScopeRules {
  /** Values that a row has to have, by property. */
  readonly equalities: ReadonlyMap<Property, unknown>
  /** There is more to it than equalities: only the database can tell whether a row lies inside. */
  readonly partial: boolean
}

/**
 * Reads a scope, e.g. `{ tenant: 5 }`.
 *
 * Plain equalities are `{ property: value }`, `{ property: { $eq: value } }`, a to-one relation by its key, and any
 * number of them under `$and`.
 */
export function readScope (scope: object, model: EntityModel): ScopeRules {
  const equalities = new Map<Property, unknown>()
  return { equalities, partial: !collect(scope, model, equalities) }
}

/** Collects the equalities of a condition, and tells whether it is nothing else. */
function collect (condition: object, model: EntityModel, equalities: Map<Property, unknown>): boolean {
  // conditions in raw SQL hide behind symbols
  let complete = Object.getOwnPropertySymbols(condition).length === 0
  for (const [key, value] of Object.entries(condition)) {
    if (key === '$and' && Array.isArray(value)) {
      complete = value.map((part) => collect(part, model, equalities)).every(Boolean) && complete
      continue
    }
    const property = model.properties.get(key)
    const equal = property && equalValue(property, value)
    if (property === undefined || equal === undefined || equalities.has(property)) complete = false
    else equalities.set(property, equal.value)
  }
  return complete
}

/** The one value that a condition on a property lets through, if there is one. */
function equalValue (property: Property, condition: unknown): { readonly value: unknown } | undefined {
  const simple = property.write.persisted &&
    (property.kind === 'scalar' || (property.kind === 'relation' && property.key.length === 1))
  if (!simple) return undefined
  const key = keyOfEntity(condition)
  if (key !== undefined) return property.kind === 'relation' && key.length === 1 ? { value: key[0] } : undefined
  if (!isObject(condition)) {
    return Array.isArray(condition) || typeof condition === 'function'
      ? undefined
      : { value: condition }
  }
  const entries = Object.entries(condition)
  const [only] = entries
  if (only === undefined || entries.length > 1 || Object.getPrototypeOf(condition) !== Object.prototype) {
    return undefined
  }
  const [name, value] = only
  if (name === '$eq') return equalValue(property, value)
  const isKey = property.kind === 'relation' && property.target.primaryKey.length === 1 &&
    property.target.primaryKey[0]!.property.name === name
  return isKey && !isObject(value) && !Array.isArray(value) ? { value } : undefined
}

/** A value of JavaScript's as a body has it. */
export function toBody (property: Property, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  const type = property.kind === 'scalar'
    ? property.type
    : property.kind === 'relation'
      ? property.key[0]?.type
      : undefined
  const digits = (type?.kind === 'bigint' || type?.kind === 'decimal') && type.form === 'string'
  if (digits && (typeof value === 'number' || typeof value === 'bigint')) return String(value)
  // headers and claims are text, whatever the column is
  if (
    typeof value === 'string' &&
    (type?.kind === 'integer' || ((type?.kind === 'bigint' || type?.kind === 'decimal') && type.form === 'number')) &&
    value.trim() !== ''
  ) return Number(value)
  return value
}
