/** Functions that read the value of an operator. The entries of the table use them as `read`. */
import { arrayLiteral, containedFromText, type Converted, type SqlValue, type TypeOf } from '../model/index.ts'
import type { ReadTexts, ReadValue } from './entry.ts'
import { checkPattern, patternOf } from './pattern.ts'

/** Reads one value of the property's type. */
export const readOne: ReadTexts = ([text], convert) => {
  const converted = convert(text!)
  return converted.ok ? { kind: 'values', values: [converted.value] } : invalid(converted)
}

/**
 * Reads one text. For a `character` column the trailing blanks are removed, because PostgreSQL removes those of the
 * column when it calls a function of texts.
 */
export const readUnpadded: ReadTexts = (texts, convert, type) => {
  const read = readOne(texts, convert, type)
  if (read.kind !== 'values' || type.kind !== 'text' || type.padded !== true) return read
  return { kind: 'values', values: read.values.map((value) => String(value).replace(/ +$/, '')) }
}

/** Reads a list, which is bound as one array. */
export const readArray: ReadTexts = (texts, convert, type) => {
  const read = readEach(texts, convert, type)
  return read.kind === 'values' ? { kind: 'values', values: [arrayLiteral(read.values)] } : read
}

/** Reads a list of excluded values. An empty list sets no condition, not even that a related row exists. */
export const readExceptions: ReadTexts = (texts, convert, type) =>
  texts.length === 0 ? { kind: 'nothing' } : readArray(texts, convert, type)

/** Reads values that are bound one by one. */
export const readEach: ReadTexts = (texts, convert) => {
  const values: SqlValue[] = []
  for (const item of texts) {
    const converted = convert(item)
    if (!converted.ok) return { ...invalid(converted), item }
    values.push(converted.value)
  }
  return { kind: 'values', values }
}

/** Reads a pattern with wildcards. */
export const readPattern: ReadTexts = ([text]) => unreadable(text!, 'pattern') ?? { kind: 'values', values: [text!] }

/** Reads the value of a partial filter: a pattern if it has an unescaped `%`, otherwise text to search for. */
export const readPartial: ReadTexts = ([text]) =>
  unreadable(text!, 'partial') ?? { kind: 'values', values: [patternOf(text!)] }

/** Reads a range, or a single value, which becomes the range that contains only this value. */
export const readPart: ReadTexts = ([text], _, type) => {
  const contained = containedFromText(text!, type as TypeOf<'range'>)
  return contained.ok ? { kind: 'values', values: [contained.value] } : invalid(contained)
}

/** Reads text in which every character is literal. `write` makes a pattern of it. */
export const readLiteral = (write: (text: string) => string): ReadTexts => ([text]) =>
  unreadable(text!, 'literal') ?? { kind: 'values', values: [write(text!)] }

/** Reads `true` as "is null" and `false` as "is not null". */
export const readNull: ReadTexts = ([text]) =>
  text === 'true' || text === 'false'
    ? { kind: 'null', negated: text === 'false' }
    : { kind: 'invalid', expected: 'true or false', allowed: ['true', 'false'] }

function unreadable (text: string, reading: 'pattern' | 'literal' | 'partial'): ReadValue | undefined {
  const wrong = checkPattern(text, reading)
  return wrong && { kind: 'unreadable', ...wrong }
}

const invalid = ({ expected, allowed }: Extract<Converted, { ok: false }>) =>
  ({ kind: 'invalid', expected, allowed }) as const
