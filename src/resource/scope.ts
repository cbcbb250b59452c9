/**
 * Reads scopes and MikroORM filters of a request, once. The details of errors are for the log only. A scope applies to
 * the resource's own rows, never to included ones: MikroORM's filters hide those (`src/resource/active-filters.ts`).
 */
import {
  asSentence, ConditionError, equalitiesOf, ImpossibleValueError, readCondition, valueOfEquality, withColumnValues,
  type Equalities, type Where,
} from '../conditions/index.ts'
import { OutOfScopeError, ScopeError } from '../base/errors.ts'
import {
  isSameValue, tellsClass, wireTypeOf, type EntityModel, type Property, type RelationProperty, type ScalarProperty,
  type SqlValue,
} from '../model/index.ts'

/**
 * Parses the scope of a request. A missing `scope` allows all rows, but `scope: undefined` is an error.
 *
 * @throws {ScopeError} for a value that is not certainly a condition
 * @throws {OutOfScopeError} for a condition with a value that its column cannot hold. Such values often come from
 *   headers and claims, so that the client may be the cause.
 */
export function readScope (
  options: { readonly scope?: unknown, readonly context?: unknown },
  model: EntityModel
): Where | undefined {
  if (!('scope' in options)) return undefined
  return throwingScopeErrors(`The scope of ${model.name}`, () => withColumnValues(readCondition(options.scope, model)))
}

/**
 * Parses the condition of MikroORM's filters on the rows of an entity.
 *
 * @throws {ScopeError} for anything that is not certainly a condition
 */
export function readFilter (where: unknown, model: EntityModel): Where {
  return throwingScopeErrors(`A MikroORM filter of ${model.name}`, () => readCondition(where, model))
}

/** A scope for writes: its condition, and the values that it sets in new rows. */
export interface ScopeRules extends Pick<Equalities, 'equalities'> {
  readonly where: Where
  /** Whether only the database can tell that a written row lies in the scope. */
  readonly needsDatabase: boolean
  /** The values of the equalities as values of columns. */
  readonly values: ReadonlyMap<ScalarProperty | RelationProperty, SqlValue>
}

/**
 * The rules of a scope that `readScope` has parsed.
 *
 * @throws {OutOfScopeError} for a value that the type of the application does not convert
 */
export function scopeRulesOf (where: Where, model: EntityModel): ScopeRules {
  const { equalities, partial } = equalitiesOf(where)
  return throwingScopeErrors(`The scope of ${model.name}`, () => {
    const values = new Map(
      [...equalities].map(([property, value]) => [property, valueOfEquality({ property, value })] as const)
    )
    return { where, equalities, needsDatabase: partial || mayExcludeNew(values, model), values }
  })
}

/** Whether a scope may require another class than that of new rows, which is the class of their resource. */
function mayExcludeNew (values: ScopeRules['values'], model: EntityModel): boolean {
  if (model.discriminator === undefined) return false
  const [own] = model.discriminator.values
  for (const [property, value] of values) {
    if (tellsClass(property, model) && isSameValue(value, own!, property) !== true) return true
  }
  return false
}

/**
 * Does work with a condition of the application. The details of errors are for the log, since they contain names that
 * clients must not learn.
 *
 * @param what the condition, as the subject of a sentence
 * @throws {ScopeError} for anything that is not certainly a condition
 * @throws {OutOfScopeError} for a value that its column cannot hold
 */
export function throwingScopeErrors<Result> (what: string, use: () => Result): Result {
  try {
    return use()
  } catch (cause) {
    if (cause instanceof ImpossibleValueError) {
      const reason = new ImpossibleValueError(`${what} has a value that no row can have: ${asSentence(cause)}`)
      throw new OutOfScopeError('No record can match the scope of this request.', { cause: reason })
    }
    throw unknownScope(
      cause instanceof ConditionError
        ? new ConditionError(`${what} is not certainly a condition: ${asSentence(cause)}`)
        : new Error(`${what} is refused by MikroORM: ${asSentence(cause)}`, { cause })
    )
  }
}

/** The error of a request whose rows are unknown: their condition is invalid, or missing. The cause is for the log. */
export const unknownScope = (cause: Error): ScopeError => new ScopeError(undefined, { cause })

/** A JavaScript value in the form that bodies have. */
export function toBody (property: Property, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  const type = property.kind === 'scalar'
    ? property.type
    : property.kind === 'relation'
      ? property.key[0]?.type
      : undefined
  return type === undefined ? value : wireTypeOf(type).toBody(value, type)
}
