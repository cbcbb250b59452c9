/** The explorer in a browser, for its tests: everything that must never happen on the page is recorded. */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'

/** A page of the explorer, and what went wrong on it. */
export interface ExplorerPage {
  readonly page: Page
  /** Requests to other servers, errors of scripts, and violations of the Content-Security-Policy. */
  readonly faults: string[]
  /** The paths that the page asked the API for. */
  readonly asked: string[]
}

const PROFILES = 'fastify-crud-kit/explorer/profiles'

interface Options {
  /** The value of `x-role` with which the page starts. */
  readonly role?: string
  readonly viewport?: { readonly width: number, readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
}

/** Opens an empty page in a session of its own. */
export async function openPage (
  browser: Browser,
  origin: string,
  { role, viewport = { width: 1360, height: 820 }, colorScheme = 'light' }: Options = {}
): Promise<ExplorerPage> {
  const context: BrowserContext = await browser.newContext({ viewport, colorScheme })
  const page = await context.newPage()
  const faults: string[] = []
  const asked: string[] = []
  await context.route((url) => url.origin !== origin && url.protocol.startsWith('http'), (route) => {
    faults.push(`request to ${route.request().url()}`)
    return route.abort()
  })
  await page.addInitScript(COUNT_REQUESTS)
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (!pathname.startsWith('/explorer')) asked.push(`${request.method()} ${pathname}${decodeURIComponent(search)}`)
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // the browser itself reports answers with an error status
    const isStatus = /Failed to load resource: the server responded with a status of 4/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isStatus) faults.push(message.text())
  })
  if (role !== undefined) {
    const profiles = JSON.stringify({ list: [{ name: role, headers: [['x-role', role]] }], current: role })
    await page.addInitScript(
      // a reload keeps what the person has chosen since
      ([key, value]) => sessionStorage.getItem(key!) ?? sessionStorage.setItem(key!, value!),
      [PROFILES, profiles]
    )
  }
  return { page, faults, asked }
}

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe finds on the settled page under the rules of WCAG 2.2 AA, and controls that a person who speaks their
 * visible words does not reach: one text for each element.
 *
 * @param isWaiting whether the page waits for an answer that does not come
 * @param parts selectors: the first one that matches is the part at which axe looks. Default: the page
 */
export async function accessibilityFaults (
  page: Page,
  { isWaiting = false, parts = [] }: { readonly isWaiting?: boolean, readonly parts?: readonly string[] } = {}
): Promise<string[]> {
  if (!isWaiting) await settled(page)
  await page.evaluate(axe)
  return [...await violations(page, ALL_RULES, parts), ...await page.evaluate<string[]>(MISNAMED)]
}

/** What rules of axe find on a page at which `accessibilityFaults` has looked. */
export const faultsBy = (page: Page, rules: readonly string[], parts: readonly string[]): Promise<string[]> =>
  violations(page, JSON.stringify({ runOnly: rules, resultTypes: ['violations'] }), parts)

/** The first element that one of the selectors matches. */
const PART = '((parts) => parts.map((part) => document.querySelector(part)).find(Boolean) ?? document)'

const ALL_RULES = `{
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  // WCAG 2.5.3. Axe calls this rule experimental, which leaves it out otherwise
  rules: { 'label-content-name-mismatch': { enabled: true } },
}`

const violations = (page: Page, options: string, parts: readonly string[]): Promise<string[]> =>
  page.evaluate(`axe.run(${PART}(${JSON.stringify(parts)}), ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary)))`)

/** The controls whose names do not start with the words that are seen on them, or on their labels. */
const MISNAMED = `(() => {
  const seen = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data
    if (!(node instanceof HTMLElement) || node.matches('.hidden, [aria-hidden=true], select, input, textarea')) {
      return ''
    }
    return node.checkVisibility() ? [...node.childNodes].map(seen).join(' ') : ''
  }
  const words = (text) => text.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, ' ').trim()
  const controls = 'button, a[href], summary, input, select, textarea, [role=button], [role=option]'
  return [...document.querySelectorAll(controls)].flatMap((control) => {
    const text = control.labels?.length > 0 ? [...control.labels].map(seen).join(' ') : seen(control)
    const { ariaLabel } = control
    if (ariaLabel === null || words(text) === '' || words(ariaLabel).startsWith(words(text))) return []
    return ['a control with the words "' + words(text) + '" has the name "' + ariaLabel + '"']
  })
})()`

/**
 * Waits until the page has drawn the answers of all its requests, and sends no further one. The page itself counts: it
 * knows of a request before the browser reports it.
 */
export async function settled (page: Page): Promise<void> {
  await page.waitForFunction(SETTLED, undefined, { timeout: 60_000 })
}

/** Counts the requests of the page's scripts until their answers are complete. */
const COUNT_REQUESTS = `{
  const send = window.fetch
  window.openRequests = 0
  window.fetch = async (...args) => {
    window.openRequests++
    try {
      const response = await send(...args)
      response.clone().arrayBuffer().catch(() => {}).then(() => window.openRequests--)
      return response
    } catch (error) {
      window.openRequests--
      throw error
    }
  }
}`

/** Preact runs effects in the task after a frame, and they may send requests: the page has to be quiet for three. */
const SETTLED = `(async () => {
  const isBusy = () => window.openRequests > 0 || document.querySelector('[aria-busy=true]') !== null
  for (let quiet = 0; quiet < 3; quiet = isBusy() ? 0 : quiet + 1) {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  }
  // animations of panels change contrasts
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  return true
})()`
