/** The measurement: in each round, all variants answer the requests of every operation, in short turns. */
import type pg from 'pg'
import type { Backends } from './backends.ts'
import type { Contestant } from './contestant.ts'
import { costsOf, dealt, sequence, type Cost } from './cost.ts'
import { tidy } from './data.ts'
import { encode } from './load.ts'
import { REQUESTS, type Operation, type OperationName } from './operations.ts'
import type { Variant, VariantName } from './variants.ts'

/** The figures of one variant in a round. Latencies are in milliseconds, memory in MiB. */
export interface Sample extends Omit<Cost, 'latencies'> {
  readonly p50: number
  readonly p99: number
  readonly peakMemory: number | undefined
}

export interface MeasureOptions {
  readonly operations: readonly Operation[]
  readonly contestants: readonly Contestant[]
  readonly backends: Backends
  readonly client: pg.Client
  readonly connections: number
  /** The time for which each variant answers requests of an operation, in a round that counts. */
  readonly seconds: number
  /** Number of rounds before those that count. */
  readonly warmUp: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}

/** Samples of the rounds that count, by operation and variant. A variant does not take part in all rounds. */
export type Samples = ReadonlyMap<OperationName, ReadonlyMap<VariantName, ReadonlyArray<Sample | undefined>>>

/**
 * Rounds that do not count are this many times as long as others. V8 fully optimizes the code of a request after some
 * 10 000 of them, and half a second has 600 to 1 200 lists.
 */
const WARM_UP_LENGTH = 2

export async function measure (options: MeasureOptions): Promise<Samples> {
  const { operations, contestants, warmUp, rounds } = options
  const long = { ...options, seconds: WARM_UP_LENGTH * options.seconds }
  const samples = new Map(
    operations.map(({ name }) => [
      name,
      new Map(contestants.map(({ name }): [VariantName, Array<Sample | undefined>] => [name, []])),
    ])
  )
  for (let round = 0; round < warmUp + rounds; round++) {
    const counts = round >= warmUp
    for (const operation of operations) {
      options.onProgress(
        `${
          counts ? `round ${round - warmUp + 1} of ${rounds}` : `warm-up ${round + 1} of ${warmUp}`
        }: ${operation.name}`
      )
      const present = contestants.filter((contestant) => has(contestant, operation))
      // servers that keep much in the caches of a CPU would slow down those that have their turns beside them
      const groups = [
        present.filter(({ rarely }) => !rarely),
        present.filter(({ rarely }) => rarely && (round % 2 === 0 || warmUp + rounds < 3)),
      ]
      const measured = new Map<VariantName, Sample>()
      for (const group of groups.filter(({ length }) => length > 0)) {
        for (const [name, sample] of await samplesOf(operation, group, counts ? options : long)) {
          measured.set(name, sample)
        }
        if (operation.writes) await tidy(options.client)
      }
      if (!counts) continue
      for (const { name } of present) samples.get(operation.name)!.get(name)!.push(measured.get(name))
    }
  }
  return samples
}

/** Whether a variant has an operation. */
export const has = (
  { dialect, name, without }: Pick<Variant, 'dialect' | 'name'> & Partial<Pick<Contestant, 'without'>>,
  operation: Operation
): boolean =>
  without?.has(operation.name) !== true &&
  (operation.own !== true || (dialect.own === true && !WITHOUT.has(name)))

/** Variants that have the URLs of this package for some operations only. */
const WITHOUT: ReadonlySet<VariantName> = new Set(['two-queries', 'mikro-orm'])

/** The figures of variants that take turns, in one round. */
async function samplesOf (
  operation: Operation,
  contestants: readonly Contestant[],
  options: MeasureOptions
): Promise<ReadonlyMap<VariantName, Sample>> {
  const length = operation.requests ?? REQUESTS
  const numbers = sequence(length)
  for (const { server } of contestants) server.resetPeakMemory()
  const costs = await costsOf(
    contestants.map(({ name, server, dialect, cursors }) => ({
      server,
      owner: name,
      next: dealt(
        numbers,
        Array.from({ length }, (_, n) => encode(dialect.request(operation.call(n, cursors))))
      ),
    })),
    options
  )
  return new Map(contestants.map(({ name, server }, index) => {
    const { latencies, ...cost } = costs[index]!
    const at = (part: number) => latencies[Math.floor(latencies.length * part)]!
    return [name, { ...cost, p50: at(0.5), p99: at(0.99), peakMemory: server.peakMemory() }]
  }))
}
