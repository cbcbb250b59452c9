/** Scopes and MikroORM's filters of a request: read once, and refused for the log only. */
import { ConditionError, equalitiesOf, readCondition, type Equalities, type Where } from '../conditions/index.ts'
import { ScopeError } from '../errors.ts'
import type { EntityModel, Property } from '../model/index.ts'

/**
 * Reads the scope of a request. A scope that is given as undefined is not the same as one that is not given.
 *
 * @throws {ScopeError} for anything that is not certainly a condition
 */
export function readScope (
  options: { readonly scope?: unknown, readonly context?: unknown },
  model: EntityModel
): Where | undefined {
  if (!('scope' in options)) return undefined
  return certain(`The scope of ${model.name}`, () => readCondition(options.scope, model))
}

/**
 * Reads what MikroORM's filters say of an entity's rows.
 *
 * @throws {ScopeError} for anything that is not certainly a condition
 */
export function readFilter (where: unknown, model: EntityModel): Where {
  return certain(`A MikroORM filter of ${model.name}`, () => readCondition(where, model))
}

/** A scope as writes need it: its condition, and the values that it gives new rows. */
export interface ScopeRules extends Equalities {
  readonly where: Where
}

/** The scope of a write, as `readScope` has read it. */
export const rulesOf = (where: Where): ScopeRules => ({ where, ...equalitiesOf(where) })

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
