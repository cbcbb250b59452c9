/** Bytes, as base64. */
import { accept, refuse, type Converted } from './converted.ts'
import { INCOMPARABLE, unchanged, type WireType } from './wire-type.ts'

export interface BlobType {
  readonly kind: 'blob'
}

// a repeated group of characters would overflow the stack for a text of some megabytes
const BASE64 = /^[A-Za-z\d+/]*={0,2}$/

export const blob: WireType<BlobType> = {
  columns: { bytea: () => ({ kind: 'blob' }) },
  abilities: () => INCOMPARABLE,
  extremes: false,
  // base64 in a path, or the text of the database
  fromKey (text) {
    const stored = blobFromStored(text)
    return stored === undefined ? blobFromJson(text) : accept(stored)
  },
  fromJson: blobFromJson,
  fromStored: blobFromStored,
  toBody: unchanged,
  takesDates: false,
  inEntity: 'converted',
  forSerializer: (json) => Buffer.from(json as string, 'base64'),
  numeric: false,
  plainInPath: false,
  families: () => ['bytes'],
  plainInJson: true,
}

/** The text that the database writes (manual, section 8.4.1). */
const STORED = /^\\x[\da-f]*$/

function blobFromStored (text: string): Buffer | undefined {
  return text.length % 2 === 0 && STORED.test(text) ? Buffer.from(text.slice(2), 'hex') : undefined
}

/** Accepts base64, and a Buffer from the application. */
function blobFromJson (value: unknown): Converted {
  if (ArrayBuffer.isView(value)) return accept(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
  return typeof value === 'string' && value.length % 4 === 0 && BASE64.test(value)
    ? accept(Buffer.from(value, 'base64'))
    : refuse('base64')
}
