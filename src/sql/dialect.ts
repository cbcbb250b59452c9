/**
 * The form of statements. A distributed server evaluates no function in `returning` that depends on settings, and does
 * not keep the names of a row's columns.
 */
export type Dialect = 'postgresql' | 'distributed'
