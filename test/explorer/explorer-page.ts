/** The explorer in a browser, for its tests: everything that must never happen on the page is recorded. */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'

/** A page of the explorer, and what went wrong on it. */
export interface ExplorerPage {
  readonly page: Page
  /** Requests to other servers, errors of scripts, and violations of the Content-Security-Policy. */
  readonly faults: string[]
  /** The paths that the page asked the API for. */
  readonly asked: string[]
}

/** The requests that each page waits for. */
const openRequests = new WeakMap<Page, Set<Request>>()

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
  await page.route((url) => url.origin !== origin && url.protocol.startsWith('http'), (route) => {
    faults.push(`request to ${route.request().url()}`)
    return route.abort()
  })
  const open = new Set<Request>()
  openRequests.set(page, open)
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('request', (request) => {
    open.add(request)
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

/** What axe finds on the page under the rules of WCAG 2.2 AA: one text for each element. */
export async function accessibilityFaults (page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary)))`)
}

/**
 * Waits until the page waits for no request, and has drawn the answers. A request that an effect of the last drawing
 * sends counts: the page has to stay quiet for two frames.
 */
export async function settled (page: Page): Promise<void> {
  const open = openRequests.get(page)!
  do {
    for (const request of open) await request.response()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.evaluate(TWO_FRAMES)
  } while (open.size > 0)
  // animations of panels change contrasts
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {})')
}

/** Preact runs effects in the task after a frame. */
const TWO_FRAMES = `new Promise((resolve) => {
  const frame = (left) => left === 0 ? setTimeout(resolve) : requestAnimationFrame(() => frame(left - 1))
  frame(2)
})`
