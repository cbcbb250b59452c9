/**
 * A document for tests of components, in this process. Import it before React's renderer, which looks for a document
 * when it is loaded. Requests keep Node's `fetch`.
 */
import { Window } from 'happy-dom'

// frameworks then report errors to their callers only, and not on the console as well
process.env['NODE_ENV'] = 'production'

const NAMES = [
  'document', 'navigator', 'location', 'history', 'localStorage', 'sessionStorage', 'Node', 'Element', 'HTMLElement',
  'HTMLInputElement', 'HTMLIFrameElement', 'MutationObserver', 'getComputedStyle', 'requestAnimationFrame',
  'cancelAnimationFrame',
] as const

/** The window of the document. */
export const window = new Window({ url: 'http://localhost/' })
const define = (name: string, value: unknown): void => {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}
define('window', window)
for (const name of NAMES) define(name, window[name])

/** A new element of the page, to render into. */
export function newContainer (): HTMLElement {
  const element = window.document.createElement('div')
  window.document.body.append(element)
  return element as unknown as HTMLElement
}

/** Submits the only form of the page. */
export function submitForm (): void {
  const event = new window.Event('submit', { bubbles: true, cancelable: true })
  window.document.querySelector('form')!.dispatchEvent(event)
}

/** Ends timers and requests of the page. */
export async function closeDom (): Promise<void> {
  await window.happyDOM.close()
}
