/** The ways to read the value of an operator: the `plan` of the entries. */
import { arrayLiteral, containedFromText, type Converted, type SqlValue, type TypeOf } from '../model/index.ts'
import type { ReadTexts, ReadValue } from './entry.ts'
import { checkPattern, patternOf } from './pattern.ts'

/** One value of the property's type. */
export const readOne: ReadTexts = ([text], convert) => {
  const converted = convert(text!)
  return converted.ok ? { kind: 'values', values: [converted.value] } : invalid(converted)
}

/** One text without the blanks that pad a `character`: PostgreSQL drops those of the column in functions of texts. */
export const readUnpadded: ReadTexts = (texts, convert, type) => {
  const read = readOne(texts, convert, type)
  if (read.kind !== 'values' || type.kind !== 'text' || type.padded !== true) return read
  return { kind: 'values', values: read.values.map((value) => String(value).replace(/ +$/, '')) }
}

/** A list, bound as one array. */
export const readList: ReadTexts = (texts, convert, type) => {
  const read = readEach(texts, convert, type)
  return read.kind === 'values' ? { kind: 'values', values: [arrayLiteral(read.values)] } : read
}

/** A list to differ from. If it is empty there is no condition, not even that there is a related row. */
export const readExceptions: ReadTexts = (texts, convert, type) =>
  texts.length === 0 ? { kind: 'nothing' } : readList(texts, convert, type)

/** Values that are bound one by one. */
export const readEach: ReadTexts = (texts, convert) => {
  const values: SqlValue[] = []
  for (const item of texts) {
    const converted = convert(item)
    if (!converted.ok) return { ...invalid(converted), item }
    values.push(converted.value)
  }
  return { kind: 'values', values }
}

/** A pattern with wildcards. */
export const readPattern: ReadTexts = ([text]) => unreadable(text!, 'pattern') ?? { kind: 'values', values: [text!] }

/** The value of a partial filter: a pattern if it has an unescaped `%`, otherwise text that may stand anywhere. */
export const readPartial: ReadTexts = ([text]) =>
  unreadable(text!, 'partial') ?? { kind: 'values', values: [patternOf(text!)] }

/** A range, or a value as the range that holds nothing else. */
export const readPart: ReadTexts = ([text], _, type) => {
  const contained = containedFromText(text!, type as TypeOf<'range'>)
  return contained.ok ? { kind: 'values', values: [contained.value] } : invalid(contained)
}

/** Text of which every character is literal, as the pattern that `write` makes of it. */
export const readLiteral = (write: (text: string) => string): ReadTexts => ([text]) =>
  unreadable(text!, 'literal') ?? { kind: 'values', values: [write(text!)] }

/** `true` for the test for null, `false` for its opposite. */
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
