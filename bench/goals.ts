/** The goals, and whether the results reach them. */
import type { BulkSamples } from './bulk/measure.ts'
import type { BulkName } from './bulk/operations.ts'
import { bulkRatios } from './bulk/report.ts'
import type { Growth } from './growth/report.ts'
import type { Samples } from './measure.ts'
import type { OperationName } from './operations.ts'
import type { StartupCost } from './startup.ts'
import { median, ratios, type Series } from './statistics.ts'
import type { StreamCost } from './stream.ts'

export interface Results {
  readonly samples: Samples
  readonly bulk?: BulkSamples
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

const variant = 'crud-kit'
const firstPage = { operation: 'cursor-first', variant } as const

type Measured = Goal['measured']

type CpuKey = 'cpu' | 'postgresCpu'
const ofOperation = (operation: OperationName, to?: Series) => (key: CpuKey): Measured => ({ samples }) =>
  ratios(samples, { operation, variant }, key, to)
const ofBulk = (name: BulkName) => (key: CpuKey): Measured => ({ bulk }) => bulkRatios(bulk, name, key)

/** The limits of the two CPU times of a request, as ratios: that of Node, and that of PostgreSQL. */
function both (
  title: string,
  measured: (key: CpuKey) => Measured,
  [cpu, postgres]: readonly [cpu: number | undefined, postgres: number],
  to = 'hand-written'
): readonly Goal[] {
  return [
    ...(cpu === undefined
      ? []
      : [{ title: `${title}: CPU to ${to}`, limit: cpu, unit: 'x', measured: measured('cpu') } as const]),
    { title: `${title}: PostgreSQL CPU to ${to}`, limit: postgres, unit: 'x', measured: measured('postgresCpu') },
  ]
}

/** In the order of the work, from reads of lists to the start of the server. */
export const goals: readonly Goal[] = [
  ...both('list', ofOperation('list'), [1.15, 1.05]),
  ...both('include', ofOperation('include'), [1.15, 1.05]),
  ...both('search', ofOperation('search'), [1, 0.8]),
  ...both('get', ofOperation('get'), [0.75, 0.55]),
  ...both('create', ofOperation('create'), [1.1, 1.05]),
  ...both('update', ofOperation('update'), [1.1, 1.05]),
  ...both('create-many', ofOperation('create-many'), [1.3, 1]),
  ...both('cursor-first', ofOperation('cursor-first'), [1.2, 1]),
  ...both('cursor-deep', ofOperation('cursor-deep'), [1.2, 1]),
  ...both('cursor-deep', ofOperation('cursor-deep', firstPage), [1.1, 1.1], 'cursor-first'),
  // hand-written routes read the wide rows that they skip
  ...both('offset', ofOperation('offset'), [undefined, 0.5]),
  {
    title: 'list with a total up to 10 000: PostgreSQL CPU with 10 000 000 rows to 100 000',
    limit: 1.5,
    unit: 'x',
    measured: ({ bounded }) => bounded?.ratios,
  },
  ...both('update-many', ofBulk('update-many'), [1.3, 1.3]),
  ...both('delete-many', ofBulk('delete-many'), [1.3, 1.3]),
  ...both('upsert-many', ofBulk('upsert-many'), [1.3, 1.3]),
  ...both('facets', ofOperation('facets'), [undefined, 1.05]),
  ...both('groups', ofOperation('groups'), [undefined, 1.05]),
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
  const percent = Math.abs((value / limit - 1) * 100)
  const part = percent < 0.5 ? 'less than 1 %' : `${percent.toFixed(0)} %`
  return value <= limit ? `met by ${part}` : `**not met** by ${part}`
}
