/** Booleans. */
import type { BooleanType } from './basic-types.ts'
import { accept, refuse } from './converted.ts'
import { COMPARABLE, unchanged, type FromColumn, type WireType } from './wire-type.ts'

const type: FromColumn<BooleanType> = () => ({ kind: 'boolean' })

/** The texts that PostgreSQL reads as booleans (manual, section 8.6), without their other abbreviations. */
const TRUE: ReadonlySet<string> = new Set(['true', 't', 'yes', 'y', 'on', '1'])
const FALSE: ReadonlySet<string> = new Set(['false', 'f', 'no', 'n', 'off', '0'])

export const boolean: WireType<BooleanType> = {
  columns: { boolean: type, bool: type },
  abilities: () => COMPARABLE,
  extremes: false,
  fromText (text) {
    if (text === 'true' || text === '1') return accept(true)
    if (text === 'false' || text === '0') return accept(false)
    return refuse('a boolean', ['true', 'false', '1', '0'])
  },
  fromJson: (value) => typeof value === 'boolean' ? accept(value) : refuse('a boolean'),
  bound: true,
  fromStored: (text) => text === 'true' ? true : text === 'false' ? false : undefined,
  fromCondition: (value) => typeof value === 'boolean' ? value : undefined,
  fromScope (value) {
    const text = typeof value === 'string' ? value.trim().toLowerCase() : String(value)
    if (TRUE.has(text)) return accept(true)
    return FALSE.has(text) ? accept(false) : refuse('a boolean', ['true', 'false', '1', '0'])
  },
  insideJson: (type) => type,
  toBody: unchanged,
  takesDates: false,
  inEntity: 'json',
  numeric: false,
  plainInPath: false,
  families: () => ['boolean'],
  plainInJson: true,
}
