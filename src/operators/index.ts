/**
 * The operators of filters. An operator turns the texts of a parameter into values to bind, or says why it cannot.
 * Nothing in this folder knows a whitelist, a plan or a connection. The SQL of an operator is text with placeholders
 * for a column and for values, which `src/sql` fills in.
 */
export {
  LIST_VALUES, type ColumnSql, type ComparisonForm, type IndexKind, type OperatorEntry, type OperatorForm,
  type OperatorValue, type ReadValue,
} from './entry.ts'
export { checkPattern, containing, MAX_PATTERN_LENGTH } from './pattern.ts'
export {
  operatorFormOf, OPERATORS, operatorsFor, PARTIAL, PARTIAL_NAMES, type ComparisonOperator, type OperatorValues,
  type OperatorValuesOnArrays, type PartialOperator,
} from './table.ts'
export { isOperator, OPERATOR_NAMES, type Operator } from '../base/operator-names.ts'
