/** Checks before the measurement that all variants give the same answers. */
import { isDeepStrictEqual } from 'node:util'
import { request } from './client.ts'
import type { Core } from './dialects/dialect.ts'
import { has } from './measure.ts'
import type { Operation } from './operations.ts'
import type { Contestant } from './contestant.ts'

const CHECKED = 40
const CHECKED_WRITES = 5

/**
 * @param contestants the answers of the first one are the expected ones
 * @param checked number of calls of each operation that reads
 * @throws Error with the first request whose answers differ, and with the answers, or which finds more or fewer rows
 *   than its operation says
 */
export async function checkAnswers (
  operations: readonly Operation[],
  [base, ...others]: readonly Contestant[],
  checked = CHECKED
): Promise<void> {
  for (const operation of operations) {
    for (let n = 0; n < (operation.writes ? CHECKED_WRITES : checked); n++) {
      const expected = await answer(base!, operation, n)
      const [least, most] = operation.keeps ?? [0, Infinity]
      if (expected.total !== undefined && !(expected.total >= least && expected.total <= most)) {
        throw new Error(`${operation.name} ${n} keeps ${expected.total} rows, not ${least} to ${most}`)
      }
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

async function answer ({ dialect, server, cursors }: Contestant, operation: Operation, n: number): Promise<Core> {
  const call = operation.call(n, cursors)
  return dialect.core(call, await request(server.port, dialect.request(call)))
}
