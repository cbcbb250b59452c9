/** The list syntax of one parameter: `a,b`, or `"a,b",c` if an item contains a comma. */
import { MAX_LIST_ITEMS } from './limits.ts'

/** The items of a list, or the sentence that says why the list cannot be read. */
type ListResult =
  | { readonly items: readonly string[], readonly error?: undefined }
  | {
    readonly items?: undefined,
    readonly error: string,
    /** Whether the list has too many items. */
    readonly limit?: true,
  }

const EMPTY_ITEM = 'The list has an empty item: write "" for an empty text.'
const AFTER_QUOTE = 'Only a comma may follow a closing quote.'
const OPEN_QUOTE = 'A quote is not closed.'
const ESCAPE = 'Inside quotes, a backslash must be followed by a quote or another backslash.'

/**
 * Splits the text of one parameter into the items of a list. Whitespace around items is dropped. An item in double
 * quotes is kept verbatim, including its commas. Inside quotes, `\"` is a quote and `\\` is a backslash. Text that is
 * empty, or only whitespace, is the empty list.
 *
 * @param maxItems the maximum number of items, by default 100
 * @example
 * splitList('1, 2') // { items: ['1', '2'] }
 * splitList('"a,b",c') // { items: ['a,b', 'c'] }
 * splitList('1,,2') // { error: 'The list has an empty item: ...' }
 */
export function splitList (text: string, maxItems = MAX_LIST_ITEMS): ListResult {
  if (text.trim() === '') return { items: [] }
  const items: string[] = []
  for (let at = 0; at <= text.length; at++) {
    if (items.length === maxItems) return { error: `The list has more than ${maxItems} items.`, limit: true }
    const start = skipSpace(text, at)
    if (text[start] !== '"') {
      at = commaOrEnd(text, start)
      const item = text.slice(start, at).trimEnd()
      if (item === '') return { error: EMPTY_ITEM }
      items.push(item)
      continue
    }
    const end = closingQuote(text, start + 1)
    if (end === -1) return { error: OPEN_QUOTE }
    const item = unescape(text.slice(start + 1, end))
    if (item === undefined) return { error: ESCAPE }
    at = skipSpace(text, end + 1)
    if (at < text.length && text[at] !== ',') return { error: AFTER_QUOTE }
    items.push(item)
  }
  return { items }
}

/**
 * Joins items to the text of one parameter, the inverse of `splitList`. Items are put in quotes if they need them.
 *
 * @example
 * joinList(['a,b', 'c']) // '"a,b",c'
 */
export function joinList (items: readonly string[]): string {
  return items.map(quoteItem).join(',')
}

function quoteItem (item: string): string {
  const plain = item !== '' && item === item.trim() && !item.includes(',') && !item.includes('"')
  return plain ? item : `"${item.replace(/["\\]/g, '\\$&')}"`
}

function skipSpace (text: string, at: number): number {
  while (at < text.length && text[at]!.trim() === '') at++
  return at
}

function commaOrEnd (text: string, from: number): number {
  const index = text.indexOf(',', from)
  return index === -1 ? text.length : index
}

/** Index of the quote that closes the one before `at`, or -1. */
function closingQuote (text: string, at: number): number {
  for (; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}

/** Removes the escaping backslashes. Returns `undefined` if a backslash escapes nothing. */
function unescape (quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted
  const broken = /\\[^"\\]/.test(quoted.replaceAll('\\\\', ''))
  return broken ? undefined : quoted.replace(/\\(["\\])/g, '$1')
}
