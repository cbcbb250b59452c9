/**
 * The operators of filters, and all that the other stages know of them: what comes in are the texts of a parameter, what
 * goes out are values to bind, or why there are none. Nothing here knows a whitelist, a plan or a connection; SQL is
 * text with places for a column and values, which `src/sql` fills in.
 */
export {
  LISTS,
  type ColumnSql,
  type ComparisonForm,
  type IndexKind,
  type OperatorForm,
  type OperatorIndex,
  type OperatorValue,
  type ReadValue,
} from './entry.ts'
export { checkPattern, containing, MAX_PATTERN_LENGTH } from './pattern.ts'
export {
  formOf,
  isOperator,
  OPERATOR_NAMES,
  OPERATORS,
  operatorsFor,
  PARTIAL,
  PARTIAL_NAMES,
  type ComparisonOperator,
  type Operator,
  type OperatorValues,
  type OperatorValuesOnArrays,
  type PartialOperator,
} from './table.ts'
