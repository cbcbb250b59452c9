/** Writes the costs of lists by the number of rows that their filters keep as Markdown. */
import type { Samples } from '../measure.ts'
import { figures, median, ratios, spread, table, times } from '../statistics.ts'
import { AMOUNTS, LISTS, type AmountOperationName, type ListName } from './names.ts'

/** How many times the server's time by hand is a cliff. */
const CLIFF = 1.3

const TITLES: Readonly<Record<ListName, string>> = {
  list: 'list',
  include: 'list with a to-many include',
  search: 'search (contains)',
  words: 'search by words',
  either: 'one of two conditions',
  facets: 'three facets',
  groups: 'groups',
}

/** The rows of half of the table are as many for all lists but the searches of texts. */
const ROWS = { 0: '0', 30: '30', 1000: '1 000', 5000: '5 000', half: 'half of all', mixed: 'a mixture' } as const

/** A row for each list and number of rows: the generated routes, as a ratio to those written by hand. */
export function amountTable (samples: Samples): string {
  const rows = LISTS.flatMap((list) =>
    ([...AMOUNTS, 'mixed'] as const).flatMap((amount) => {
      const operation: AmountOperationName = `${list}-${amount}`
      const variant = 'crud-kit'
      const byHand = { operation, variant: 'hand-written-any' } as const
      const cells = (key: 'cpu' | 'postgresCpu') => {
        const compared = ratios(samples, { operation, variant }, key, byHand)
        const figure = (series: typeof byHand | { operation: AmountOperationName, variant: typeof variant }) => {
          const values = figures(samples, series, key)
          return values === undefined ? '' : median(values).toFixed(0)
        }
        return [figure(byHand), figure({ operation, variant }), times(compared), spread(compared, 2)]
      }
      const server = ratios(samples, { operation, variant }, 'postgresCpu', byHand)
      if (!samples.has(operation)) return []
      const verdict = server !== undefined && median(server) > CLIFF ? '**cliff**' : ''
      return [[TITLES[list], ROWS[amount], ...cells('cpu'), ...cells('postgresCpu'), verdict]]
    })
  )
  if (rows.length === 0) return ''
  return `## Lists by the number of rows that their filter keeps\n\n${
    table([
      '', 'rows', 'CPU by hand, us', 'fastify-crud-kit, us', 'ratio', 'range', 'PostgreSQL CPU by hand, us',
      'fastify-crud-kit, us', 'ratio', 'range', '',
    ], rows)
  }`
}
