/** Before anything is measured: all variants give the same answers. */
import { isDeepStrictEqual } from 'node:util'
import type { Operation } from './operations.ts'
import type { ServerProcess } from './server-process.ts'
import { BASE, type VariantName } from './variants.ts'

const CHECKED = 40

/** @throws Error with the first path whose answers differ, and with them */
export async function checkAnswers (operations: readonly Operation[], servers: ReadonlyMap<VariantName, ServerProcess>): Promise<void> {
  for (const { path } of operations) {
    for (let n = 0; n < CHECKED; n++) {
      const expected = await answer(servers.get(BASE)!, path(n))
      for (const [name, server] of servers) {
        const actual = name === BASE ? expected : await answer(server, path(n))
        if (!isDeepStrictEqual(actual, expected)) {
          throw new Error(`${path(n)}\n${BASE}: ${JSON.stringify(expected)}\n${name}: ${JSON.stringify(actual)}`)
        }
      }
    }
  }
}

async function answer ({ port }: ServerProcess, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  const body = await response.json()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`)
  return body
}
