/** Writes the costs of writes of several records as Markdown. */
import { median, spread, table, times } from '../statistics.ts'
import type { Cost } from '../cost.ts'
import { BULK_OWNERS, type BulkSamples } from './measure.ts'
import { bulkOperations, type BulkName } from './operations.ts'

/** The ratio of each round, to the hand-written route. `undefined` if it was not measured. */
export function bulkRatios (
  samples: BulkSamples | undefined,
  name: BulkName,
  key: 'cpu' | 'postgresCpu'
): readonly number[] | undefined {
  const both = samples?.get(name)
  const ratios = both?.['crud-kit'].map((sample, round) => sample[key]! / both['hand-written'][round]![key]!)
  return ratios?.some(Number.isNaN) === true ? undefined : ratios
}

export function bulkTable (samples: BulkSamples): string {
  const titles = { 'hand-written': 'hand-written, one statement', 'crud-kit': 'fastify-crud-kit' } as const
  const rows = bulkOperations.flatMap(({ name, title }) =>
    BULK_OWNERS.map((owner) => {
      const middle = (key: keyof Cost) => {
        const values = samples.get(name)![owner].map((sample) => sample[key])
        return values.includes(undefined) ? '' : median(values as number[]).toFixed(0)
      }
      const compared = (key: 'cpu' | 'postgresCpu') => {
        if (owner === 'hand-written') return ['1.00x', '']
        const ratios = bulkRatios(samples, name, key)
        return [times(ratios), spread(ratios, 2)]
      }
      return [
        `${title}: ${titles[owner]}`,
        middle('cpu'), ...compared('cpu'),
        middle('postgresCpu'), ...compared('postgresCpu'),
        middle('perSecond'),
      ]
    })
  )
  return `## Writes of several records\n\n${
    table(['', 'CPU, us', 'ratio', 'range', 'PostgreSQL CPU, us', 'ratio', 'range', 'requests/s'], rows)
  }`
}
