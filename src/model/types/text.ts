/** Texts, and enums, whose members are texts or numbers. */
import type { EnumType, TextType } from './basic-types.ts'
import { accept, fromString, refuse, type Converted, type SqlValue } from './converted.ts'
import { INT16, integer } from './integer.ts'
import { ORDERED, TEXTUAL, unchanged, type FromColumn, type WireType } from './wire-type.ts'

const ofLength: FromColumn<TextType> = (_, [maxLength]) => ({ kind: 'text', maxLength })

/** The letters with the same lower case in all locales of databases. Turkish has another one for I. */
const FOLDED = /[A-HJ-Z]/g

const padded: FromColumn<TextType> = (_, [maxLength]) => ({ kind: 'text', maxLength, padded: true })

export const text: WireType<TextType> = {
  columns: {
    text: ofLength,
    varchar: ofLength,
    'character varying': ofLength,
    char: padded,
    character: padded,
    bpchar: padded,
    citext: (_, [maxLength]) => ({ kind: 'text', maxLength, folded: true }),
  },
  abilities: () => TEXTUAL,
  extremes: true,
  fromText: textFromText,
  fromJson: textFromJson,
  bound: true,
  fromStored: (text) => textFromText(text).ok ? text : undefined,
  fromCondition: (value) => typeof value === 'string' && textFromText(value).ok ? value : undefined,
  fromScope: (value, type) => {
    const isText = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    return textFromJson(isText ? String(value) : value, type)
  },
  canonical (value, { padded, folded }) {
    if (padded === true) return String(value).replace(/ +$/, '')
    return folded === true ? String(value).replace(FOLDED, (letter) => letter.toLowerCase()) : String(value)
  },
  isSame: (_, __, { folded }) => folded === true ? undefined : false,
  // JSON does not pad texts
  insideJson: ({ maxLength }) => ({ kind: 'text', maxLength }),
  toBody: unchanged,
  takesDates: false,
  inEntity: 'json',
  numeric: false,
  plainInPath: false,
  families: () => ['text', 'enum'],
  plainInJson: true,
}

function textFromJson (value: unknown, { maxLength }: TextType): Converted {
  const converted = fromString(value, textFromText)
  // the database counts characters, not UTF-16 units
  const tooLong = typeof value === 'string' && maxLength !== undefined && value.length > maxLength &&
    [...value].length > maxLength
  return tooLong ? refuse(`at most ${maxLength} characters long`) : converted
}

export const enumeration: WireType<EnumType> = {
  // the property declares that it is an enum, independent of its column type (`valueTypeOf`)
  columns: {},
  abilities: ({ native, items }) => !native && items.every((item) => typeof item === 'string') ? TEXTUAL : ORDERED,
  extremes: true,
  fromText (text, { items }) {
    const item = items.find((item) => String(item) === text)
    return item === undefined ? refuse('one of its members', items.map(String)) : accept(item)
  },
  fromJson: (value, { items }) =>
    items.includes(value as never)
      ? accept(value as SqlValue)
      : refuse('one of its members', items.map(String)),
  bound: true,
  fromStored (text, { native, items }) {
    if (native) return items.some((item) => String(item) === text) ? text : undefined
    // if the database has no type for the enum, its column may contain other values
    const numbers = items.every((item) => typeof item === 'number')
    return (numbers ? integer.fromText!(text, INT16) : textFromText(text)).ok ? text : undefined
  },
  fromCondition: (value, { items }) => items.includes(value as never) ? value as string | number : undefined,
  fromScope (value, { items }) {
    const item = items.find((item) => item === value || String(item) === String(value))
    return item === undefined ? refuse('one of its members', items.map(String)) : accept(item)
  },
  insideJson: (type) => ({ ...type, native: false }),
  toBody: unchanged,
  takesDates: false,
  inEntity: 'json',
  numeric: false,
  plainInPath: false,
  families: ({ items }) => items.every((item) => typeof item === 'number') ? ['number'] : ['text', 'enum'],
  plainInJson: true,
}

export function textFromText (text: string): Converted {
  // PostgreSQL cannot store NUL (manual, section 8.3), and half of a surrogate pair would be sent as a different
  // character
  return text.includes('\0') || !text.isWellFormed()
    ? refuse('text without NUL characters or halves of surrogate pairs')
    : accept(text)
}
