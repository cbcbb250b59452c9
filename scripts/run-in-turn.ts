import t from 'tap'

/** What the files of this process share, and how it is closed after the last of them. Absent if a file runs alone. */
let closers: Array<() => Promise<unknown>> | undefined

/** Runs the tests of files in this process. The name of a file follows its tests in the output. */
export async function runInTurn (files: ReadonlyArray<{ name: string, url: string }>): Promise<void> {
  closers = []
  for (const { name, url } of files) {
    await import(url)
    // begins when all tests of the file have ended, which the file itself does not have to wait for
    await t.test(name, async (t) => t.pass('has run'))
  }
  for (const close of closers) await close()
}

/** Keeps something until the last file of this process has ended. False if the caller has to close it. */
export function keepForAll (close: () => Promise<unknown>): boolean {
  closers?.push(close)
  return closers !== undefined
}
