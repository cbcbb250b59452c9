/** Sends one request: adds its headers, repeats it, and interprets its answer. */
import { CrudError } from './error.ts'

/** Headers in any form that `Headers` takes, or an object in which headers that are `undefined` are left out. */
export type HeaderList =
  | NonNullable<ConstructorParameters<typeof Headers>[0]>
  | Readonly<Record<string, string | undefined>>

/** The options of `createClient`. */
export interface ClientOptions {
  /** Headers of every request, or a function that makes them, called for each request. */
  readonly headers?: HeaderList | (() => HeaderList | Promise<HeaderList>)
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /**
   * Number of times that a read is repeated after an answer with status 503. Each time it waits as long as the answer
   * asks for, but at most 30 seconds, or otherwise for a growing time. A write with an `idempotencyKey` is repeated as
   * often, also if it had no complete answer, or another one with `Retry-After`. Other writes are never repeated.
   * Default: 2.
   */
  readonly retries?: number
}

/** A request of a resource's method. */
export interface ClientCall {
  readonly method: string
  readonly url: string
  readonly accept?: string
  readonly body?: unknown
  /** A query that is too long for the URL, in the place of a body. */
  readonly query?: string
  readonly ifMatch?: string | undefined
  /** The key of a write that may be repeated. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The longest wait before a repetition, in milliseconds. If a server asks for more, the request is not repeated. */
const MAX_WAIT = 30_000
const FIRST_WAIT = 250

/**
 * Sends a request, repeats it if that is safe, and returns a successful answer.
 *
 * @param receive reads the answer
 * @throws {CrudError} for all other answers, and when no answer arrives
 */
export async function sendCall<Result = Response> (
  call: ClientCall,
  options: ClientOptions,
  receive: (response: Response) => Promise<Result> = async (response) => response as Result
): Promise<Result> {
  const { method, query, key, signal } = call
  // only requests that change nothing, or change it once, can be repeated safely
  const retries = method === 'GET' || query || key ? options.retries ?? 2 : 0
  for (let attempt = 0; ; attempt++) {
    const send = await requestOf(call, options)
    let after = ''
    let wait: number
    try {
      const response = await orNetworkError(call, send)
      if (response.ok) return await receive(response)
      after = response.headers.get('retry-after') ?? ''
      throw await failureOf(response, call)
    } catch (error) {
      // the reason of an abort may be anything
      const { status } = Object(error) as Partial<CrudError>
      // without an answer the status is 0; a server that is still doing the write says when to ask again
      const passing = status === 503 || (key && (status === 0 || after))
      wait = passing && attempt < retries ? waitFor(after, attempt) : Infinity
      if (wait > MAX_WAIT) throw error
    }
    await sleep(wait, signal)
  }
}

/** Closes the connection of an answer that is not read. Fails if the connection is closed already, which is as good. */
export async function discardAnswer (response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}

/** The body of an answer, and the version of the record in it. */
interface Answer {
  readonly data: unknown
  readonly etag: string | null
  readonly status: number
}

/** Sends a request and returns the JSON value of its answer. */
export async function sendJson (call: ClientCall, options: ClientOptions): Promise<Answer> {
  return await sendCall(call, options, async (response) => ({
    data: parse(await textOfAnswer(response, call), response, call),
    etag: response.headers.get('etag'),
    status: response.status,
  }))
}

/**
 * Reads the text of an answer.
 *
 * @throws {CrudError} when it is cut off
 */
export async function textOfAnswer (response: Response, call: ClientCall): Promise<string> {
  return await orNetworkError(call, () => response.text())
}

const JSON_TYPE = 'application/json'

/** Prepares one attempt. Errors of functions that the caller passed, such as `headers`, are thrown unchanged. */
async function requestOf (call: ClientCall, options: ClientOptions): Promise<() => Promise<Response>> {
  const { method, url, accept = JSON_TYPE, body, query, ifMatch, key, signal } = call
  signal?.throwIfAborted()
  // fetch would fail as if the server could not be reached
  if (options.fetch === undefined && !('location' in globalThis) && !/^\w+:\/\//.test(url)) {
    throw new TypeError(
      `createClient: the base URL is relative outside of a page (${url}). Pass a URL such as https://api.example.com.`
    )
  }
  const headers = await headersOf(options)
  const own = {
    accept,
    'content-type': body === undefined ? body : JSON_TYPE,
    'if-match': ifMatch,
    'idempotency-key': key,
  }
  for (const [name, value] of Object.entries(own)) if (value !== undefined) headers.set(name, value)
  const init: RequestInit = {
    method,
    headers,
    // the platform writes the content type of a form
    body: query ? new URLSearchParams(query) : JSON.stringify(body, asJson) ?? null,
    // a redirected POST becomes a GET, whose answer would look like that of a write
    redirect: method === 'GET' ? 'follow' : 'error',
    signal: signal ?? null,
  }
  return () => options.fetch === undefined ? fetch(url, init) : options.fetch(url, init)
}

/** The headers that the application sets. */
export async function headersOf ({ headers: given = {} }: ClientOptions): Promise<Headers> {
  const list = typeof given === 'function' ? await given() : given
  return new Headers(
    Symbol.iterator in list
      ? list
      : Object.entries(list).filter((header): header is [string, string] => header[1] !== undefined)
  )
}

/**
 * Replaces values for `JSON.stringify`, which calls it on the object that has the value.
 *
 * @throws {TypeError} for NaN, infinite numbers and invalid dates, which JSON would write as null
 */
function asJson (this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  const given = this[name]
  if (given instanceof Date ? value === null : typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${name}: ${String(given)} is not a value for a body.`)
  }
  return value
}

/** Waits for the network. After an abort, rejects with the signal's reason; any other failure is a `CrudError`. */
export async function orNetworkError<T> (call: ClientCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    call.signal?.throwIfAborted()
    const detail =
      `${nameOf(call)} has no complete answer: the server was not reached, the connection broke, or CORS hides ` +
      'it from the page.'
    throw new CrudError({ status: 0, code: 'NETWORK', detail, cause })
  }
}

/** A request in a message: its method and URL, without the query string. */
const nameOf = ({ method, url }: ClientCall): string => `${method} ${url.split('?')[0]}`

/** Converts an answer to an error. */
async function failureOf (response: Response, call: ClientCall): Promise<CrudError> {
  const { status } = response
  const text = await textOfAnswer(response, call)
  try {
    const { code, message, detail, errors } = parse(text, response, call) as Partial<Record<string, unknown>>
    return new CrudError({
      status,
      code: textIn(code) ?? `HTTP_${status}`,
      detail: textIn(detail) ?? textIn(message) ?? `The server answered with status ${status}.`,
      errors: Array.isArray(errors) ? errors.filter((item) => textIn(item?.detail) !== undefined) : [],
    })
  } catch (error) {
    return error as CrudError
  }
}

/** A text. Errors of other servers may have anything in its place. */
const textIn = (value: unknown): string | undefined => typeof value === 'string' ? value : undefined

/**
 * Reads an object or a list from the text of an answer.
 *
 * @throws {CrudError} if the text is something else
 */
export function parse (text: string, { status }: Response, call: ClientCall): unknown {
  try {
    const data: unknown = JSON.parse(text)
    if (typeof data === 'object' && data !== null) return data
  } catch {}
  const detail = `${nameOf(call)} was answered with status ${status}, but not with JSON.`
  throw new CrudError({ status, code: 'NOT_JSON', detail, cause: text })
}

/**
 * Milliseconds before a request may be repeated, at least those of `Retry-After`: seconds, or a date (RFC 9110,
 * 10.2.3).
 */
function waitFor (after: string, attempt: number): number {
  const own = FIRST_WAIT * 2 ** attempt
  const asked = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()
  // the random part keeps clients that failed together from returning together
  return (Number.isNaN(asked) ? own : Math.max(0, asked)) + own * Math.random()
}

/** Waits, but not longer than until the signal aborts. */
async function sleep (milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}
