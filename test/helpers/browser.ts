/** A Chromium of this machine, for tests of pages. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import type { Test } from 'tap'
import { keepForAll } from '../../scripts/keep-for-all.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** The program at CHROMIUM, or the first of the usual names on the PATH. */
function findChromium (env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env['CHROMIUM']) return env['CHROMIUM']
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(isProgram)
}

function isProgram (file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** The reason why tests of pages cannot run here. If every test must run, they run and fail. */
export function skipReason (env: NodeJS.ProcessEnv = process.env): string | false {
  if (findChromium(env) !== undefined || env['CI'] === 'true') return false
  return `no Chromium: none of ${NAMES.join(', ')} is on the PATH, and CHROMIUM is not set`
}

/** Starts the browser. As root, the sandbox is not available. */
export async function launch (): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    throw new Error(
      `No Chromium: install one, e.g. Debian's 'chromium', or set CHROMIUM (looked for ${
        NAMES.join(', ')
      } on the PATH).`
    )
  }
  const isRoot = process.getuid?.() === 0
  return await chromium.launch({
    executablePath,
    args: ['--disable-gpu', '--disable-background-networking', ...(isRoot ? ['--no-sandbox'] : [])],
  })
}

let browser: Promise<Browser> | undefined

/** A browser without pages for a file of tests. Files that share a process share the browser. */
export async function openBrowser (t: Test): Promise<Browser> {
  if (browser === undefined) {
    browser = launch()
    const close = async () => {
      const opened = await browser
      browser = undefined
      await opened?.close()
    }
    if (!keepForAll(close)) t.teardown(close)
  }
  const opened = await browser
  // the pages of the file before. Not in a teardown: those of the last file run while the browser is being closed
  await Promise.all(opened.contexts().map((context) => context.close()))
  return opened
}

/** How long a page on a busy machine may take to show something, in milliseconds. */
const PATIENCE = 60_000

/**
 * Asserts that a page comes to show what is expected: reads it again until the value equals `expected`, or matches it.
 *
 * @example await eventually(t, () => page.locator('tbody tr').count(), 8)
 */
export async function eventually<Value extends string | number | readonly string[] | null> (
  t: Test,
  read: () => Promise<Value>,
  expected: Value | RegExp,
  message = `the page shows ${expected}`
): Promise<void> {
  const isExpected = (value: Value): boolean =>
    expected instanceof RegExp ? expected.test(String(value)) : isDeepStrictEqual(value, expected)
  const end = Date.now() + PATIENCE
  let value = await read()
  while (!isExpected(value) && Date.now() < end) {
    await sleep(50)
    value = await read()
  }
  if (expected instanceof RegExp) t.match(value, expected, message)
  else t.strictSame(value, expected, message)
}
