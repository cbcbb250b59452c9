import t from 'tap'
import { startKeeping } from './keep-for-all.ts'

/**
 * Runs the tests of files in this process. The name of a file follows its tests in the output. A process that ends
 * before all files have run fails.
 */
export async function runInTurn (files: ReadonlyArray<{ name: string, url: string }>): Promise<void> {
  let running = ''
  process.once('exit', () => {
    if (running === '') return
    console.error(`The process ended while it ran ${running}.`)
    process.exitCode = 1
  })
  const closeKept = startKeeping()
  // after a `teardown` of a file, tap would end the run as soon as no test runs, also while the next file loads
  t.removeAllListeners('idle')
  for (const { name, url } of files) {
    running = name
    await import(url)
    // begins when all tests of the file have ended, which the file itself does not have to wait for
    await t.test(name, async (t) => t.pass('has run'))
  }
  running = ''
  await closeKept()
  t.end()
}
