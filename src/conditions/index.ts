/**
 * Conditions in MikroORM's query language, such as `{ tenant: 5 }`: scopes, MikroORM's filters, and the `where` of
 * relations and includes. Each is read once, into a tree (`Where`) with resolved names. Everything that depends on a
 * condition is a function of its tree. An object that is not certainly a condition is rejected (`ConditionError`).
 */
export { aliveOnly, filteredOnly } from './alive.ts'
export { asSentence, ConditionError, ImpossibleValueError } from './condition-error.ts'
export { textOfCondition } from './condition-text.ts'
export { readConstant } from './constants.ts'
export { equalitiesOf, type Equalities } from './equalities.ts'
export { isEmptyObject } from './plain-object.ts'
export { entitiesBehind, hasSql, rowsBehind, tablesBehind } from './reached.ts'
export { readCondition } from './read-condition.ts'
export { columnOf, valueOfEquality, withColumnValues } from './scope-values.ts'
export { toMikroOrm, type Visible } from './to-mikro-orm.ts'
export {
  ALL_ROWS,
  type ComparePart,
  type Comparison,
  type RelationKeyPart,
  type Where,
  type WherePart,
} from './where-tree.ts'
