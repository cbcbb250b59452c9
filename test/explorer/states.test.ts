/** Every state of the explorer's page, for people who cannot see it, or who use no mouse. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser, skipReason } from '../helpers/browser.ts'
import { accessibilityFaults, faultsBy, openPage, settled, type ExplorerPage } from './explorer-page.ts'
import { openStateServers, reach, STATES, type PageState } from './states.ts'

// a browser on a busy machine
t.setTimeout(1_800_000)

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

/** The texts and controls that reach over the right edge of the window, and are in nothing that scrolls. */
const OUTSIDE = `[...document.querySelectorAll('body *')].flatMap((element) => {
  if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.hidden, svg')) return []
  const { right, width } = element.getBoundingClientRect()
  for (let around = element; around; around = around.parentElement) {
    if (/auto|scroll|hidden/.test(getComputedStyle(around).overflowX)) return []
  }
  return width > 0 && right > innerWidth + 1 ? [element.outerHTML.slice(0, 100)] : []
})`

/** The page hears of another width before a frame, and draws itself for it in the next one. */
const DRAWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))'

/** What Escape must close. */
const OPEN = '.panel, dialog[open], .drawer, .drawer .button-bad, .lookup-options'
/** What axe looks at: what is open. The page behind it is another state. */
const PARTS = ['dialog[open]', '.panel', '.drawer']

/** Whether another number of elements comes to be open, in at most 600 frames. */
const CHANGED = `(async (before) => {
  for (let frame = 0; frame < 600; frame++) {
    if (document.querySelectorAll(${JSON.stringify(OPEN)}).length !== before) return true
    await new Promise(requestAnimationFrame)
  }
  return false
})`

/** Lets a page forget what it was used for, before it goes to another place. */
async function renew ({ page, faults }: ExplorerPage): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().setOffline(false)
  await page.emulateMedia({ colorScheme: 'light' })
  // nothing is below it
  await page.mouse.move(-1, -1)
  await page.evaluate('sessionStorage.clear()')
  faults.length = 0
}

/** Presses Escape until nothing is open, and returns what is wrong then. */
async function leave (page: Page): Promise<string[]> {
  const discard = page.getByRole('dialog').getByRole('button', { name: 'Discard' })
  for (let before = await page.locator(OPEN).count(); before > 0; before = await page.locator(OPEN).count()) {
    // a form with changes asks before it closes
    await (await discard.count() > 0 ? discard.press('Enter') : page.keyboard.press('Escape'))
    if (!await page.evaluate<boolean>(`${CHANGED}(${before})`)) return ['Escape does not close it']
  }
  const focus = await page.evaluate<string>(
    'document.activeElement === document.body ? "" : document.activeElement.outerHTML.slice(0, 100)'
  )
  return focus === '' ? ['the focus is lost'] : []
}

/** Looks at the element that has the focus: what is wrong with it, or `end` if Tab has been there before. */
const STOP = `(() => {
  const element = document.activeElement
  const seen = window.seen ??= new Set()
  if (element === document.body || seen.has(element)) return 'end'
  seen.add(element)
  const label = element.closest('label') ?? element
  const isMarked = [element, label].some((marked) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(marked)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  })
  const { left, top, width, height } = element.getBoundingClientRect()
  const above = document.elementFromPoint(left + width / 2, top + height / 2)
  const isSeen = above !== null && (label.contains(above) || above.contains(element))
  const name = element.outerHTML.slice(0, 120)
  return isMarked ? isSeen ? '' : 'covered, or out of sight: ' + name : 'the focus is not to be seen: ' + name
})()`

/** The controls to which Tab has not come. Of radio buttons, it comes to one. */
const MISSED = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((element) => element.tabIndex >= 0 && !element.disabled && !window.seen.has(element) &&
    element.checkVisibility({ visibilityProperty: true }) &&
    !(element.type === 'radio' && [...window.seen].some(({ name }) => name === element.name)))
  .map((element) => 'Tab does not come to ' + element.outerHTML.slice(0, 120))`

/** The states whose controls are not in a panel. Tab leaves a panel, which closes it. */
const WALKED = [
  'start', 'credentials', 'list', 'facets', 'groups', 'error', 'numbers', 'record-relations', 'record-edit',
  'record-lines', 'many-counted', 'compare',
]

const skip = skipReason()
if (skip) t.pass(skip)
else {
  const origins = await openStateServers(t)
  const browser = await openBrowser(t)
  const pages = new Map<string, ExplorerPage>()

  /** The page of a role on a server. It shows one state after the other, because a new page takes long. */
  const openFor = async ({ server = 'example', role }: PageState): Promise<ExplorerPage> => {
    const name = `${server} ${role}`
    const opened = pages.get(name)
    if (opened) {
      await renew(opened)
      return opened
    }
    const page = await openPage(browser, origins[server], { ...role !== undefined && { role }, viewport: DESK })
    pages.set(name, page)
    return page
  }

  t.test('axe finds nothing in any state, in light and dark, on a desk and on a phone', async (t) => {
    for (const state of STATES) {
      const { name, server = 'example', isWaiting = false, isFailing = false } = state
      const { page, faults } = await openFor(state)
      await reach(page, origins[server], state)
      if (isWaiting) t.not(await page.locator('.pager-count').innerText(), '', `${name}: the page says what it has`)
      const found: Record<string, string[]> = { light: await accessibilityFaults(page, { isWaiting, parts: PARTS }) }
      await page.emulateMedia({ colorScheme: 'dark' })
      found['dark'] = await faultsBy(page, ['color-contrast'], PARTS)
      if (await page.locator('.panel').count() === 0) {
        // a narrower window closes panels, because it has other tools
        await page.setViewportSize(PHONE)
        await page.evaluate(DRAWN)
        found['phone'] = [
          ...await faultsBy(page, ['color-contrast', 'target-size', 'scrollable-region-focusable'], PARTS),
          ...await page.evaluate<string[]>(OUTSIDE),
        ]
        await page.setViewportSize(DESK)
        // what has the focus is drawn again
        if (!isWaiting) await settled(page)
      }
      if (await page.locator(OPEN).count() > 0) found['Escape'] = await leave(page)
      found['page'] = faults.filter((fault) => !isFailing || !fault.startsWith('Failed to load resource'))
      t.strictSame(found, Object.fromEntries(Object.keys(found).map((where) => [where, []])), name)
    }
  })

  t.test('Tab comes to every control, and shows where it is', async (t) => {
    for (const state of STATES.filter(({ name }) => WALKED.includes(name))) {
      const { name, server = 'example' } = state
      const { page } = await openFor(state)
      await reach(page, origins[server], state)
      await page.evaluate("document.querySelector('.skip, button').focus({ focusVisible: true })")
      const wrong: string[] = []
      for (let stop = await page.evaluate<string>(STOP); stop !== 'end'; stop = await page.evaluate<string>(STOP)) {
        if (stop !== '') wrong.push(stop)
        await page.keyboard.press('Tab')
      }
      t.strictSame([...wrong, ...await page.evaluate<string[]>(MISSED)], [], name)
    }
  })
}
