/**
 * The explorer's built page in a document of this process, without a browser: for what it says and sends. Its requests
 * reach the server by `inject`. A process has one such page.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { HTMLElement, HTMLInputElement } from 'happy-dom'
import type { Test } from 'tap'
import { window } from '../helpers/dom.ts'

const GLOBALS = [
  'ResizeObserver', 'getSelection', 'Event', 'addEventListener', 'removeEventListener', 'innerWidth', 'matchMedia',
] as const
const ASSETS = path.join(import.meta.dirname, '../../dist/explorer/assets')

interface DomPage {
  /** The requests of the API, with their bodies. */
  readonly asked: string[]
  /** Loses the answer of the next write, after it was done. */
  readonly loseAnswer: () => void
  /** Goes to an address below the explorer, as Back and Forward do. */
  readonly go: (place: string) => void
  /** The elements that a selector matches. */
  readonly all: (selector: string) => HTMLElement[]
  /** The text of the first of them. */
  readonly textOf: (selector: string) => string | undefined
  /** The only element that a selector matches and whose text or name begins with some words. */
  readonly find: (selector: string, words?: string) => Promise<HTMLElement>
  readonly click: (selector: string, words?: string) => Promise<void>
  /** Types into an input, or chooses an option. */
  readonly fill: (selector: string, text: string) => Promise<void>
  /** Asserts that the page comes to show a text, or that an expression comes to have a value. */
  readonly shows: (t: Test, read: () => unknown, expected: unknown, message?: string) => Promise<void>
}

/** Starts the page of a server. */
export async function openDomPage (app: FastifyInstance, place: string, headers: object = {}): Promise<DomPage> {
  const asked: string[] = []
  const loss = { isNext: false }
  for (const name of GLOBALS) {
    const value: unknown = window[name]
    Object.defineProperty(globalThis, name, {
      value: typeof value === 'function' && /^[a-z]/.test(name) ? value.bind(window) : value, configurable: true,
      writable: true,
    })
  }
  Object.defineProperty(globalThis, 'fetch', { value: fetchFrom(app, asked, loss), configurable: true, writable: true })
  const profile = { name: 'Test', headers: Object.entries(headers) }
  const profiles = JSON.stringify({ list: [profile], current: profile.name })
  window.sessionStorage.setItem('fastify-crud-kit/explorer/profiles', profiles)
  window.history.replaceState(null, '', `/explorer${place}`)
  window.document.head.innerHTML = '<base href="http://localhost/explorer/">'
  window.document.body.innerHTML = '<div id="app"></div>'
  const script = fs.readdirSync(ASSETS).find((name) => name.endsWith('.js'))!
  await import(pathToFileURL(path.join(ASSETS, script)).href)

  const all = (selector: string): HTMLElement[] => [...window.document.querySelectorAll(selector)] as HTMLElement[]
  const textOf = (selector: string): string | undefined => all(selector)[0]?.textContent
  const matching = (selector: string, words: string): HTMLElement[] =>
    all(selector).filter((element) =>
      (element.getAttribute('aria-label') ?? element.textContent).trim().startsWith(words)
    )
  const find = async (selector: string, words = ''): Promise<HTMLElement> => {
    const found = await until(() => matching(selector, words), (found) => found.length === 1)
    if (found.length !== 1) {
      throw new Error(`${found.length} elements are ${selector} "${words}" in the page: ${textOf('main')}`)
    }
    return found[0]!
  }
  return {
    asked, all, textOf,
    loseAnswer () {
      loss.isNext = true
    },
    go (place) {
      window.history.pushState(null, '', `/explorer${place}`)
      window.dispatchEvent(new window.Event('popstate'))
    },
    find, click: async (selector, words) => (await find(selector, words)).click(),
    async fill (selector, text) {
      const element = await find(selector) as unknown as HTMLInputElement
      element.value = text
      for (const name of ['input', 'change']) element.dispatchEvent(new window.Event(name, { bubbles: true }))
    },
    async shows (t, read, expected, message = `the page shows ${String(expected)}`) {
      const isExpected = (value: unknown): boolean =>
        expected instanceof RegExp ? expected.test(String(value)) : isDeepStrictEqual(value, expected)
      const value = await until(read, isExpected)
      if (expected instanceof RegExp) t.match(value, expected, message)
      else t.strictSame(value, expected, message)
    },
  }
}

/** How long a page on a busy machine may take, in milliseconds. */
const PATIENCE = 15_000

/** Reads a value until it is as expected, or the patience ends. */
async function until<Value> (read: () => Value, isExpected: (value: Value) => boolean): Promise<Value> {
  const end = Date.now() + PATIENCE
  while (!isExpected(read()) && Date.now() < end) await sleep(5)
  return read()
}

/** A `fetch` whose requests are answered by a server in this process. */
function fetchFrom (app: FastifyInstance, asked: string[], loss: { isNext: boolean }) {
  return async (address: string, { method = 'GET', headers, body, signal }: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(address)
    const url = pathname + search
    if (!url.startsWith('/explorer')) {
      asked.push([method, decodeURIComponent(url), ...typeof body === 'string' ? [body] : []].join(' '))
    }
    const answer = await app.inject({
      method: method as 'GET', url, headers: Object.fromEntries(new Headers(headers)),
      ...typeof body === 'string' && { payload: body },
    })
    signal?.throwIfAborted()
    if (loss.isNext && method !== 'GET') {
      loss.isNext = false
      throw new TypeError('The connection is gone.')
    }
    return new Response(answer.rawPayload, {
      status: answer.statusCode,
      headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
    })
  }
}
