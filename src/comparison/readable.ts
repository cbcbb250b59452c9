/** Decides whether a property can read the values of a column. */
import { wireTypeOf, type TypeFamily, type ValueType } from '../model/index.ts'
import type { StoredType } from './database-catalogue.ts'

/** Families by `pg_type.typcategory` (PostgreSQL manual, table 51.65). */
const BY_CATEGORY: Readonly<Record<string, TypeFamily>> = {
  B: 'boolean',
  C: 'composite',
  E: 'enum',
  G: 'geometry',
  I: 'network',
  N: 'number',
  R: 'range',
  S: 'text',
  T: 'interval',
  V: 'bits',
}

/** Families of types whose category contains other types, too. */
const BY_NAME: Readonly<Record<string, TypeFamily>> = {
  bytea: 'bytes',
  date: 'date',
  json: 'json',
  jsonb: 'json',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  timetz: 'time',
  uuid: 'uuid',
}

/**
 * Whether a property of a type can read a column, and write it. A type that is not known here, such as one of an
 * extension, passes.
 */
export function canRead (type: ValueType, stored: StoredType): boolean {
  // the type of a column does not tell how many dimensions its arrays have
  if (type.kind === 'array') return stored.isArray && canReadItem(type.element, stored)
  return type.kind === 'other' || (!stored.isArray && canReadItem(type, stored))
}

function canReadItem (type: ValueType, stored: StoredType): boolean {
  if (type.kind === 'array') return canReadItem(type.element, stored)
  const family = BY_CATEGORY[stored.category] ?? BY_NAME[stored.name]
  return family === undefined || wireTypeOf(type).families?.(type).includes(family) !== false
}
