/** The goals, and whether the results reach them. */
import type { Growth } from './growth/report.ts'
import type { Samples } from './measure.ts'
import type { OperationName } from './operations.ts'
import type { StartupCost } from './startup.ts'
import { median, ratios } from './statistics.ts'
import type { StreamCost } from './stream.ts'

export interface Results {
  readonly samples: Samples
  readonly stream?: StreamCost
  readonly startup?: { readonly one: readonly StartupCost[], readonly fifty: readonly StartupCost[] }
  /** Ratios of the server's time for a list with a bounded total, 10 000 000 rows to 100 000. */
  readonly bounded?: Growth
}

export interface Goal {
  readonly title: string
  readonly limit: number
  readonly unit: 'x' | ' MiB' | ' ms'
  /** A figure for each round or run, of which the median counts. `undefined` if it was not measured. */
  measured(results: Results): readonly number[] | undefined
}

/** Largest ratios to the hand-written route: the CPU time of Node, and that of PostgreSQL. */
const LIMITS: ReadonlyArray<readonly [OperationName, cpu: number | undefined, postgres: number]> = [
  ['list', 1.15, 1.05],
  ['include', 1.15, 1.05],
  ['search', 1, 0.8],
  ['either', 1.2, 1.05],
  ['facets', 1.2, 1.05],
  ['groups', 1.2, 1.05],
  ['get', 0.75, 0.55],
  // hand-written routes read the wide rows that they skip
  ['offset', undefined, 0.5],
  ['cursor-first', 1.2, 1],
  ['cursor-deep', 1.2, 1],
  ['create', 1.1, 1.05],
  ['update', 1.1, 1.05],
  ['create-many', 1.3, 1],
]
const variant = 'crud-kit'
const firstPage = { operation: 'cursor-first', variant } as const

export const goals: readonly Goal[] = [
  ...LIMITS.flatMap(([operation, limit]): Goal[] =>
    limit === undefined
      ? []
      : [{
          title: `${operation}: CPU to hand-written`,
          limit,
          unit: 'x',
          measured: ({ samples }) => ratios(samples, { operation, variant }, 'cpu'),
        }]
  ),
  ...LIMITS.map(([operation, , limit]): Goal => ({
    title: `${operation}: PostgreSQL CPU to hand-written`,
    limit,
    unit: 'x',
    measured: ({ samples }) => ratios(samples, { operation, variant }, 'postgresCpu'),
  })),
  {
    title: 'cursor-deep: CPU to cursor-first',
    limit: 1.1,
    unit: 'x',
    measured: ({ samples }) => ratios(samples, { operation: 'cursor-deep', variant }, 'cpu', firstPage),
  },
  {
    title: 'cursor-deep: PostgreSQL CPU to cursor-first',
    limit: 1.1,
    unit: 'x',
    measured: ({ samples }) => ratios(samples, { operation: 'cursor-deep', variant }, 'postgresCpu', firstPage),
  },
  {
    title: 'list with a total up to 10 000: PostgreSQL CPU with 10 000 000 rows to 100 000',
    limit: 1.5,
    unit: 'x',
    measured: ({ bounded }) => bounded?.ratios,
  },
  {
    title: 'a stream of 1 000 000 rows: growth of memory',
    limit: 64,
    unit: ' MiB',
    measured: ({ stream }) => stream && [stream.peak - stream.before],
  },
  {
    title: 'start-up with 1 resource: CPU of the library',
    limit: 75,
    unit: ' ms',
    measured: ({ startup }) => startup?.one.map(({ sum }) => sum),
  },
  {
    title: 'start-up with 50 resources: CPU of the process',
    limit: 500,
    unit: ' ms',
    measured: ({ startup }) => startup?.fifty.map(({ others, sum }) => others + sum),
  },
]

/** Says by how much of the goal the median is below or above it, e.g. `met by 4 %`. */
export function verdict ({ limit }: Goal, measured: readonly number[]): string {
  const value = median(measured)
  const part = `${Math.abs((value / limit - 1) * 100).toFixed(0)} %`
  return value <= limit ? `met by ${part}` : `**not met** by ${part}`
}
