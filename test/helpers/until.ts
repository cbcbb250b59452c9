/** Waiting for what happens elsewhere: in a server, in another process, in a pool. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than anything takes on a busy machine, in milliseconds. Tests that work never wait so long. */
const PATIENCE = 60_000

/** Repeats a check until its value is true, and returns this value. */
export async function until<Value> (
  check: () => Promise<Value> | Value,
  what = String(check)
): Promise<Exclude<Value, false | 0 | '' | null | undefined>> {
  const end = Date.now() + PATIENCE
  for (;;) {
    const value = await check()
    if (value) return value as Exclude<Value, false | 0 | '' | null | undefined>
    if (Date.now() > end) throw new Error(`It did not happen in ${PATIENCE} milliseconds: ${what}`)
    await sleep(5)
  }
}
