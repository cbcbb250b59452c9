/** Values as short texts. */
import type { ValueDescription } from '../../src/explorer/description.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** The longest text that a cell gets. The browser need not lay out more. */
const MAX = 200

/** Characters that change the direction or the place of the text around them. */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** Shows characters that could make a text look like another one: `abc\u202E` is `abc⟨U+202E⟩`. */
const plain = (text: string): string =>
  text.replace(DIRECTIONS, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)

export const cut = (text: string, length = MAX): string =>
  plain(text.length > length ? `${text.slice(0, length)}…` : text)

/** A moment in UTC, without the parts that are zero: `2026-02-01 08:30`. */
function moment (text: string): string {
  return text.replace('T', ' ').replace(/(:\d\d)(?::00(?:\.0+)?|(:\d\d)(?:\.0+))Z$/, '$1$2').replace(/Z$/, '')
}

/** A value in one line. */
export function textOf (value: Json | undefined, type?: ValueDescription): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return type?.type === 'datetime' ? moment(value) : cut(value.replace(/\s+/g, ' '))
  if (typeof value !== 'object') return String(value)
  return cut(foldedJson(value))
}

/** JSON as the outline of its first level: `{a, b}`, `[3]`. */
export function foldedJson (value: Json): string {
  if (Array.isArray(value)) {
    const isShort = value.length <= 6 && value.every((item) => typeof item !== 'object' || item === null)
    return isShort ? `[${value.map(String).join(', ')}]` : `[${value.length}]`
  }
  return typeof value === 'object' && value !== null ? `{${Object.keys(value).slice(0, 6).join(', ')}}` : String(value)
}

const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** A whole number with thin spaces between thousands. */
export const countText = (count: number | string): string => String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f')

/** A number of records, in words. */
export const recordsText = (count: number): string => `${countText(count)} ${count === 1 ? 'record' : 'records'}`

export const bytesText = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${decimals.format(bytes / 1024)} KiB`
      : `${decimals.format(bytes / 1024 ** 2)} MiB`

export const timeText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${decimals.format(milliseconds)} ms` : `${decimals.format(milliseconds / 1000)} s`
