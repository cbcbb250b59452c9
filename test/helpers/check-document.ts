/** Sends the requests of a page of documentation, and compares the answers with those that it shows. */
import type { Test } from 'tap'
import { completed, parseAbridged, parseWritten } from './abridged.ts'
import type { Document, Exchange } from './document.ts'
import { startProgram, type Environment } from './programs.ts'

export interface Answer {
  readonly status: number
  /** Media type, with or without parameters. */
  readonly type: string
  readonly text: string
}

export interface CheckOptions {
  readonly env?: Environment
  /** Texts for `<name>` in URLs and headers, beside those that earlier answers show. */
  readonly names?: Readonly<Record<string, string>>
}

/** Runs a page's program and sends it all requests of the page. */
export async function checkDocument (
  t: Test,
  { program, exchanges }: Pick<Document, 'program' | 'exchanges'>,
  { env, names = {} }: CheckOptions = {}
): Promise<void> {
  await checkRequests(t, await startProgram(t, program, env), exchanges, names)
}

/** Sends all requests of a page to a server. Returns the given texts, and those that the answers showed. */
export async function checkRequests (
  t: Test,
  base: string,
  exchanges: readonly Exchange[],
  names: Readonly<Record<string, string>> = {}
): Promise<Record<string, string>> {
  return await checkExchanges(t, exchanges, async ({ method, headers, body }, url) => {
    const response = await fetch(base + url, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, type: response.headers.get('content-type')!, text: await response.text() }
  }, names)
}

/**
 * Sends all requests of a page in order. `<name>` in a URL or header is one of the given texts, or the text that an
 * earlier answer showed as `"<name>"`. Returns them.
 */
export async function checkExchanges (
  t: Test,
  exchanges: readonly Exchange[],
  ask: (exchange: Exchange, url: string) => Promise<Answer>,
  given: Readonly<Record<string, string>> = {}
): Promise<Record<string, string>> {
  const names = new Map(Object.entries(given))
  const filled = (text: string) => text.replace(/<(\w+)>/g, (_, name: string) => names.get(name)!)
  for (const exchange of exchanges) {
    const { request, status, answer } = exchange
    const headers = Object.fromEntries(Object.entries(exchange.headers).map(([name, text]) => [name, filled(text)]))
    const actual = await ask({ ...exchange, headers }, filled(exchange.url))
    t.equal(actual.status, status, request)
    const type = actual.type.split(';', 1)[0]!
    if (type === 'application/json') {
      const json = parseWritten(actual.text)
      t.strictSame(json, completed(parseAbridged(answer), json, names), request)
    } else {
      t.strictSame(linesOf(type, actual.text), linesOf(type, answer), request)
    }
  }
  return Object.fromEntries(names)
}

/** The lines of a stream, as JSON or unchanged. */
function linesOf (type: string, text: string): unknown[] {
  const lines = text.trim().split(/\r?\n/)
  return type === 'application/x-ndjson' ? lines.map((line) => JSON.parse(line) as unknown) : lines
}
