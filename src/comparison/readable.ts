/** Decides whether a property can read the values of a column. */
import type { ValueType } from '../model/index.ts'
import type { StoredType } from './database-catalogue.ts'

/** Types that properties of one kind can read alike. */
type Family =
  | 'bits'
  | 'boolean'
  | 'bytes'
  | 'composite'
  | 'date'
  | 'enum'
  | 'geometry'
  | 'interval'
  | 'json'
  | 'network'
  | 'number'
  | 'range'
  | 'text'
  | 'time'
  | 'timestamp'
  | 'uuid'

/** Families by `pg_type.typcategory` (PostgreSQL manual, table 51.65). */
const BY_CATEGORY: Readonly<Record<string, Family>> = {
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
const BY_NAME: Readonly<Record<string, Family>> = {
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

/** The families that a property can read and write, or `undefined` if nothing is known about its type. */
function familiesFor (type: Exclude<ValueType, { readonly kind: 'array' }>): readonly Family[] | undefined {
  switch (type.kind) {
    case 'integer':
    case 'bigint':
    case 'decimal':
    case 'float':
      return ['number']
    case 'boolean':
    case 'date':
    case 'json':
    case 'range':
    case 'time':
      return [type.kind]
    case 'text':
      return ['text', 'enum']
    case 'enum':
      return type.items.every((item) => typeof item === 'number') ? ['number'] : ['text', 'enum']
    case 'uuid':
      return ['uuid', 'text']
    case 'datetime':
      return ['timestamp', 'date']
    case 'blob':
      return ['bytes']
    case 'other':
      return undefined
  }
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
  return family === undefined || familiesFor(type)?.includes(family) !== false
}
