import t from 'tap'
import { startKeeping } from './keep-for-all.ts'

/** Runs the tests of files in this process. The name of a file follows its tests in the output. */
export async function runInTurn (files: ReadonlyArray<{ name: string, url: string }>): Promise<void> {
  const closeKept = startKeeping()
  for (const { name, url } of files) {
    await import(url)
    // begins when all tests of the file have ended, which the file itself does not have to wait for
    await t.test(name, async (t) => t.pass('has run'))
  }
  await closeKept()
}
