/** Operators by type, from their table: attacks and random requests use a new operator without a change to a test. */
import { operatorsFor, type Operator } from '../../src/operators/index.ts'

export const ON_TEXTS: Operator[] = [...operatorsFor({ kind: 'text' }, false)]
/** Also on dates, and on other values that have an order. */
export const ON_NUMBERS: Operator[] = [...operatorsFor({ kind: 'integer', min: 0, max: 1 }, false)]
export const ON_BOOLEANS: Operator[] = [...operatorsFor({ kind: 'boolean' }, false)]
