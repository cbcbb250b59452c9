/** Reads a query string as `application/x-www-form-urlencoded`, except that text which cannot be decoded is refused. */
import { Buffer } from 'node:buffer'
import { isParameter, type Draft } from './draft.ts'
import { maxBytesOf } from './limits.ts'
import { Refusal } from './refusal.ts'

const BAD_ENCODING = 'This parameter is not valid percent-encoded UTF-8.'

/** Reads the text, with or without the `?` before it, into `draft`. */
export function readText (draft: Draft, text: string): void {
  let start = text[0] === '?' && draft.form !== 'body' ? 1 : 0
  if (isTooLong(text, start, maxBytesOf(draft.form))) throw Refusal.tooLong(draft.form)
  while (start < text.length) {
    const ampersand = text.indexOf('&', start)
    const end = ampersand === -1 ? text.length : ampersand
    if (end > start) readPair(draft, text.slice(start, end))
    start = end + 1
  }
}

function readPair (draft: Draft, pair: string): void {
  const equals = pair.indexOf('=')
  const rawName = equals === -1 ? pair : pair.slice(0, equals)
  const name = decode(rawName)
  if (name === undefined) return refuseName(draft, rawName)
  if (!isParameter(name)) return draft.notice(name)
  const text = equals === -1 ? '' : decode(pair.slice(equals + 1))
  if (text === undefined) draft.refuse(name, BAD_ENCODING)
  else draft.take(name, text)
}

/** Refuses a name that cannot be decoded. The error names the parameter if its root is readable: `filter[%zz]`. */
function refuseName (draft: Draft, rawName: string): void {
  const name = rawName.replace(/%5b/gi, '[').replace(/%5d/gi, ']')
  if (name.includes('[') && isParameter(name)) draft.refuse(name, BAD_ENCODING)
  else draft.refuseUnnamed()
}

function decode (text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

function isTooLong (text: string, start: number, most: number): boolean {
  const characters = text.length - start
  if (characters > most) return true
  // a UTF-16 code unit takes at most three bytes in UTF-8, so most texts need not be counted
  return characters * 3 > most && Buffer.byteLength(text) - start > most
}
