/**
 * Makes the classes of errors. They come from `@fastify/error`, so Fastify's error handler, the default one or the
 * application's, can handle them.
 */
import createError from '@fastify/error'
import type { ErrorItem } from './error-items.ts'
import { MAX_ERRORS } from './error-list.ts'

/** Largest number of details in a message; `errors` has more of them. */
const MESSAGE_ITEMS = 5

/** Joins the sentences of the first items. */
function summarize (items: readonly ErrorItem[], count: number): string {
  const shown = items.slice(0, MESSAGE_ITEMS).map(sentence).join(' ')
  const more = count - Math.min(items.length, MESSAGE_ITEMS)
  return more > 0 ? `${shown} (${more} more)` : shown
}

/** The first items, and one that tells how many are left out. */
function shorten (items: readonly ErrorItem[], count: number, code: string): readonly ErrorItem[] {
  const listed = items.slice(0, MAX_ERRORS)
  const more = count - listed.length
  return more > 0 ? [...listed, { code, detail: `And ${more} more ${more === 1 ? 'error' : 'errors'}.` }] : items
}

/** The beginning of a pointer into a list of records. */
const IN_LIST = /^\/\d+(\/|$)/

/**
 * The detail of an item. If it starts with "This ...", or is about one record of a list, its source precedes it, so
 * that it makes sense alone.
 */
function sentence ({ source, detail }: ErrorItem): string {
  if (source === undefined) return detail
  const place = 'parameter' in source ? source.parameter : source.pointer
  const isClear = !detail.startsWith('This ') && !('pointer' in source && IN_LIST.test(place))
  return place === '' || isClear ? detail : `${place}: ${detail}`
}

/** The properties of a request's errors besides `statusCode`, `code` and `message`. */
export interface RequestError {
  /** A sentence about all mistakes. */
  readonly detail: string
  /** The mistakes, up to a maximum number. */
  readonly errors: readonly ErrorItem[]
}

/** Sets the cause, not enumerable: it is meant for the log and not serialized with the other properties. */
function withCause (error: Error, { cause }: { cause?: unknown }): void {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}

/** Makes a class of errors that have a list of items: the refusals of a request. */
export function refusalClass<C extends string> (code: C) {
  const Base = createError<C, 400, [string]>(code, '%s', 400)
  return class extends Base implements RequestError {
    /** A sentence about all mistakes. */
    readonly detail: string
    /** The mistakes, up to a maximum number. */
    readonly errors: readonly ErrorItem[]

    /** @param options.count number of all errors, if `items` has only the first ones */
    constructor (items: readonly ErrorItem[], options: { readonly count?: number, readonly cause?: unknown } = {}) {
      const { count = items.length } = options
      const detail = summarize(items, count)
      super(detail)
      this.detail = detail
      this.errors = shorten(items, count, code)
      withCause(this, options)
    }
  }
}

/** Makes a class of errors that have one sentence. */
export function failureClass<C extends string, S extends number> (code: C, statusCode: S, sentence: string) {
  const Base = createError<C, S, [string]>(code, '%s', statusCode)
  return class extends Base implements RequestError {
    /** A sentence about the error. */
    readonly detail: string
    /** The mistakes of the request. An error without parts is its own only item. */
    readonly errors: readonly ErrorItem[]

    /** @param options.pointer the JSON pointer to the mistake in a body, in place of `errors` */
    constructor (
      detail: string = sentence,
      options: { cause?: unknown, errors?: readonly ErrorItem[], pointer?: string | undefined } = {}
    ) {
      super(detail)
      this.detail = detail
      const { pointer, errors } = options
      this.errors = errors ?? [pointer === undefined ? { code, detail } : { source: { pointer }, code, detail }]
      withCause(this, options)
    }
  }
}
