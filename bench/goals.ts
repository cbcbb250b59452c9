/** The goals, and whether the results reach them. */
import type { Samples } from './measure.ts'
import type { OperationName } from './operations.ts'
import type { StartupCost } from './startup.ts'
import { median, ratio } from './statistics.ts'
import type { StreamCost } from './stream.ts'

export interface Results {
  readonly samples: Samples
  readonly stream?: StreamCost
  readonly startup?: { readonly one: readonly StartupCost[], readonly fifty: readonly StartupCost[] }
}

export interface Goal {
  readonly title: string
  readonly limit: number
  readonly unit: 'x' | ' MiB' | ' ms'
  /** `undefined` if it was not measured. */
  measured(results: Results): number | undefined
}

/** Largest ratios of CPU time to the hand-written route. */
const CPU: ReadonlyArray<readonly [OperationName, number]> = [
  ['list', 1.25],
  ['include', 1.25],
  ['search', 1.3],
  ['get', 1.3],
  ['create', 1.4],
  ['update', 1.4],
  ['cursor-deep', 1.2],
]
const variant = 'crud-kit'
const firstPage = { operation: 'cursor-first', variant } as const

export const goals: readonly Goal[] = [
  ...CPU.map(([operation, limit]): Goal => ({
    title: `${operation}: CPU to hand-written`,
    limit,
    unit: 'x',
    measured: ({ samples }) => ratio(samples, { operation, variant }, 'cpu'),
  })),
  {
    title: 'cursor-deep: CPU to cursor-first',
    limit: 1.2,
    unit: 'x',
    measured: ({ samples }) => ratio(samples, { operation: 'cursor-deep', variant }, 'cpu', firstPage),
  },
  {
    title: 'cursor-deep: PostgreSQL CPU to cursor-first',
    limit: 1.2,
    unit: 'x',
    measured: ({ samples }) => ratio(samples, { operation: 'cursor-deep', variant }, 'postgresCpu', firstPage),
  },
  ...CPU.map(([operation]): Goal => ({
    title: `${operation}: PostgreSQL CPU to hand-written`,
    limit: 1.05,
    unit: 'x',
    measured: ({ samples }) => ratio(samples, { operation, variant }, 'postgresCpu'),
  })),
  {
    title: 'a stream of 1 000 000 rows: growth of memory',
    limit: 64,
    unit: ' MiB',
    measured: ({ stream }) => stream && stream.peak - stream.before,
  },
  {
    title: 'start-up with 1 resource: CPU of the library',
    limit: 150,
    unit: ' ms',
    measured: ({ startup }) => startup && median(startup.one.map(({ sum }) => sum)),
  },
  {
    title: 'start-up with 50 resources: CPU of the process',
    limit: 1000,
    unit: ' ms',
    measured: ({ startup }) => startup && median(startup.fifty.map(({ others, sum }) => others + sum)),
  },
]

/** Says by how much of the goal it is met, e.g. `met by 4 %`. */
export function verdict ({ limit }: Goal, measured: number): string {
  const part = `${Math.abs((measured / limit - 1) * 100).toFixed(0)} %`
  return measured <= limit ? `met by ${part}` : `**not met** by ${part}`
}
