/** The facets in an answer: the text of the database, in which values of custom types are converted. */
import { parseExact } from '../model/index.ts'
import type { KeysetPlan, ListPlan } from '../plan/index.ts'
import { FACETS_COLUMN, type Row } from '../sql/index.ts'
import { toWireOfValue } from './wire.ts'

/** A value of a facet, as the database writes it. */
interface Counted {
  value: unknown
}

/** The JSON of the facets of a plan; `undefined` if it has none. */
export function facetsJson ({ facets }: Pick<ListPlan | KeysetPlan, 'facets'>, row: Row): string | undefined {
  if (facets === undefined) return undefined
  const text = row[FACETS_COLUMN] as string
  const conversions = facets.flatMap(({ term }) => {
    const convert = toWireOfValue(term)
    return convert === undefined ? [] : [[term.name, convert] as const]
  })
  if (conversions.length === 0) return text
  const values = parseExact(text) as Readonly<Record<string, Counted[]>>
  for (const [name, convert] of conversions) {
    for (const counted of values[name]!) counted.value = convert(counted.value)
  }
  return JSON.stringify(values)
}
