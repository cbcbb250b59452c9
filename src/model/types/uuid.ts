/** UUIDs, in lower case. */
import type { UuidType } from './basic-types.ts'
import { accept, fromString, refuse, type Converted } from './converted.ts'
import { ORDERED, unchanged, type WireType } from './wire-type.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Whether text has the form of a UUID (RFC 9562 section 4). */
export function isUuid (text: string): boolean {
  return UUID.test(text)
}

const uuidFromText = (text: string): Converted => isUuid(text) ? accept(text.toLowerCase()) : refuse('a UUID')

export const uuidType: WireType<UuidType> = {
  columns: { uuid: () => ({ kind: 'uuid' }) },
  abilities: () => ORDERED,
  // the order of UUIDs has no meaning, and most versions of PostgreSQL lack min and max for them
  extremes: false,
  fromText: uuidFromText,
  fromJson: (value) => fromString(value, uuidFromText),
  fromStored: (text) => isUuid(text) ? text : undefined,
  fromCondition: (value) => typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined,
  // the other forms that PostgreSQL reads (manual, section 8.12)
  fromScope (value) {
    const digits = typeof value === 'string' ? value.trim().replace(/^\{(.*)\}$/, '$1').replaceAll('-', '') : ''
    return uuidFromText(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
  },
  insideJson: (type) => type,
  toBody: unchanged,
  takesDates: false,
  inEntity: 'json',
  numeric: false,
  usualKey: true,
  plainInPath: true,
  families: () => ['uuid', 'text'],
  plainInJson: true,
}
