/** Checks before the measurement that all variants give the same answers. */
import { isDeepStrictEqual } from 'node:util'
import { request } from './client.ts'
import { has } from './measure.ts'
import type { Operation } from './operations.ts'
import type { Contestant } from './contestant.ts'

const CHECKED = 40
const CHECKED_WRITES = 5

/**
 * @param contestants the answers of the first one are the expected ones
 * @throws Error with the first request whose answers differ, and with the answers
 */
export async function checkAnswers (
  operations: readonly Operation[],
  [base, ...others]: readonly Contestant[]
): Promise<void> {
  for (const operation of operations) {
    for (let n = 0; n < (operation.writes ? CHECKED_WRITES : CHECKED); n++) {
      const expected = await answer(base!, operation, n)
      for (const contestant of others.filter((other) => has(other, operation))) {
        const actual = await answer(contestant, operation, n)
        if (!isDeepStrictEqual(actual, expected)) {
          throw new Error(
            `${operation.name} ${n}\n${base!.name}: ${JSON.stringify(expected)}\n${contestant.name}: ${
              JSON.stringify(actual)
            }`
          )
        }
      }
    }
  }
}

async function answer ({ dialect, server, cursors }: Contestant, operation: Operation, n: number): Promise<unknown> {
  const call = operation.call(n, cursors)
  return dialect.core(call, await request(server.port, dialect.request(call)))
}
