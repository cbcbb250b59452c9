/** Things that the test files of a process share, such as a browser. This module must not load tap. */

/** Functions that close these things. Absent if a file runs alone. */
let closers: Array<() => Promise<unknown>> | undefined

/** Keeps things from now on. Returns a function that closes them. */
export function startKeeping (): () => Promise<void> {
  const kept: Array<() => Promise<unknown>> = closers = []
  return async () => {
    for (const close of kept) await close()
  }
}

/** Keeps something until the last file of this process has ended. False if the caller has to close it. */
export function keepForAll (close: () => Promise<unknown>): boolean {
  closers?.push(close)
  return closers !== undefined
}
