import fc from 'fast-check'
import t from 'tap'
import { WriterHistory, type ReplicaSample, type WriterSample } from '../../../src/run/replicas/lag.ts'
import { assertProperty } from '../../helpers/property.ts'

const history = (...samples: ReadonlyArray<readonly [at: number, position: number, clock: number]>): WriterHistory => {
  const history = new WriterHistory()
  for (const [at, position, clock] of samples) history.add({ at, position: BigInt(position), clock })
  return history
}
const replica = (position: number, commit?: number): ReplicaSample => ({ position: BigInt(position), commit })

/** The writer's clock is 1 000 000 milliseconds ahead of this process. */
const busy = history([100, 10, 1_000_100], [200, 20, 1_000_200], [300, 30, 1_000_300])

for (const [what, writer, sample, expected] of [
  ['nothing is known of the writer', history(), replica(10, 1_000_000), -Infinity],
  [
    'everything is replayed, an hour after the last commit', history([3_600_000, 10, 4_600_000]),
    replica(10, 1_000_000), 3_600_000,
  ],
  ['everything is replayed, and nothing was ever committed', history([500, 10, 1_000_500]), replica(10), 500],
  ['more is replayed than was written when the writer was asked', busy, replica(35, 1_000_310), 300],
  ['what was written at an earlier check is replayed', busy, replica(20), 200],
  ['between two checks: the last commit is later than the check', busy, replica(25, 1_000_260), 260],
  ['between two checks: a bulk load without commits', busy, replica(25, 999_000), 200],
  ['older than all checks: by the last commit', busy, replica(5, 1_000_050), 50],
  ['older than all checks, and no commit', busy, replica(5), -Infinity],
  ['a commit in the future, by a clock that was set back', busy, replica(25, 1_900_000), 300],
  [
    'the log went back: checks of another log do not count', history([100, 50, 1_000_100], [200, 20, 1_000_200]),
    replica(10), -Infinity,
  ],
] as const) {
  t.test(what, async (t) => t.equal(writer.freshAt(sample), expected))
}

t.test('the estimate is never later than the truth, for any course of commits, checks and replay', async (t) => {
  const step = fc.record({ after: fc.nat(1000), writes: fc.nat(50), commits: fc.boolean(), check: fc.boolean() })
  assertProperty(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 300 }),
      fc.nat(),
      fc.integer({ min: -1e6, max: 1e6 }),
      (steps, cut, skew) => {
        const history = new WriterHistory()
        const commits: { at: number, position: number }[] = []
        let [now, position] = [0, 0]
        let latest: WriterSample | undefined
        for (const { after, writes, commits: isCommit, check } of steps) {
          now += after + 1
          position += writes
          if (isCommit && writes > 0) commits.push({ at: now, position })
          // a check at the same moment comes after the commit, as its position does
          if (check) history.add(latest = { at: now, position: BigInt(position), clock: now + skew })
        }
        const replayed = cut % (position + 1)
        const last = commits.findLast((commit) => commit.position <= replayed)
        const fresh = history.freshAt({ position: BigInt(replayed), commit: last && last.at + skew })
        const missing = commits.find((commit) => commit.position > replayed)
        return (missing === undefined || fresh < missing.at) &&
          (latest === undefined ? fresh === -Infinity : fresh <= latest.at)
      }
    )
  )
})
