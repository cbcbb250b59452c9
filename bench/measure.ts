/** The measurement: in each round, every variant has one turn at every operation. */
import type pg from 'pg'
import type { Backends } from './backends.ts'
import type { Contestant } from './contestant.ts'
import { costOf, type Cost } from './cost.ts'
import { tidy } from './data.ts'
import { encode } from './load.ts'
import { REQUESTS, type Operation, type OperationName } from './operations.ts'
import type { Variant, VariantName } from './variants.ts'

/** The figures of one turn. Latencies are in milliseconds, memory in MiB. */
export interface Sample extends Cost {
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
  /** The duration of one turn that counts. */
  readonly seconds: number
  /** Number of rounds before those that count. */
  readonly warmUp: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}

/** Samples of the rounds that count, by operation and variant. A variant does not take part in all rounds. */
export type Samples = ReadonlyMap<OperationName, ReadonlyMap<VariantName, ReadonlyArray<Sample | undefined>>>

/**
 * Turns that do not count are this many times as long as others. V8 fully optimizes the code of a request after some
 * 10 000 of them, and a turn of half a second has 600 to 1 200 lists.
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
    for (const operation of operations) {
      options.onProgress(
        `${
          round < warmUp ? `warm-up ${round + 1} of ${warmUp}` : `round ${round - warmUp + 1} of ${rounds}`
        }: ${operation.name}`
      )
      // the previous operation leaves other data in the caches, so the order of the variants changes
      for (
        const contestant of [
          ...contestants.slice(round % contestants.length),
          ...contestants.slice(0, round % contestants.length),
        ]
      ) {
        if (!has(contestant, operation)) continue
        const takesPart = !contestant.rarely || round % 2 === 0 || warmUp + rounds < 3
        const sample = takesPart ? await turn(operation, contestant, round < warmUp ? long : options) : undefined
        if (round >= warmUp) samples.get(operation.name)!.get(contestant.name)!.push(sample)
        if (operation.writes && takesPart) await tidy(options.client)
      }
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

async function turn (
  operation: Operation,
  { name, server, dialect, cursors }: Contestant,
  { backends, connections, seconds }: MeasureOptions
): Promise<Sample> {
  const requests = Array.from(
    { length: operation.requests ?? REQUESTS },
    (_, n) => encode(dialect.request(operation.call(n, cursors)))
  )
  server.resetPeakMemory()
  const { cost, result } = await costOf(server, backends, name, { connections, seconds, requests })
  const at = (part: number) => result.latencies[Math.floor(result.latencies.length * part)]!
  return {
    ...cost,
    p50: at(0.5),
    p99: at(0.99),
    peakMemory: server.peakMemory(),
  }
}
