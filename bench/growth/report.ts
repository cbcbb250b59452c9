/** Writes the growth of each request's cost as Markdown. */
import { median } from '../statistics.ts'
import { seriesOf, type GrowthSamples, type Owner } from './measure.ts'
import type { GrowthOperation } from './operations.ts'

/** The largest growth from the smallest to the largest table that counts as flat. */
export const FLAT = 1.5

export interface Growth {
  /** The ratio of the larger table to the smaller one in each round. */
  readonly ratios: readonly number[]
  /** The median. */
  readonly ratio: number
  /** The exponent e, if the cost grows like the number of rows to the power of e. */
  readonly exponent: number
}

/** The growth between the sizes `from` and `to`. `undefined` if one was not measured. */
export function growthOf (
  samples: GrowthSamples,
  operation: string,
  [from, to]: readonly [from: number, to: number],
  owner: Owner = 'generated'
): Growth | undefined {
  const under = samples.get(seriesOf(operation, from, owner))
  const over = samples.get(seriesOf(operation, to, owner))
  if (under === undefined || over === undefined) return undefined
  const ratios = over.map((value, round) => value / under[round]!)
  const ratio = median(ratios)
  return { ratios, ratio, exponent: Math.log(ratio) / Math.log(to / from) }
}

/** The table of all requests and sizes. */
export function growthTable (
  samples: GrowthSamples,
  operations: readonly GrowthOperation[],
  sizes: readonly number[]
): string {
  const rows = operations.map(({ name, title, atLeast = 0, grows }) => {
    const measured = sizes.filter((size) => size >= atLeast)
    const ends = [measured[0]!, measured.at(-1)!] as const
    const growth = growthOf(samples, name, ends)!
    const byHand = growthOf(samples, name, ends, 'hand-written')
    const figures = sizes.map((size) => {
      const values = samples.get(seriesOf(name, size, 'generated'))
      return values === undefined ? '' : microseconds(median(values))
    })
    return [
      title,
      ...figures,
      `${growth.ratio.toFixed(2)}x (${Math.min(...growth.ratios).toFixed(2)} to ${
        Math.max(...growth.ratios).toFixed(2)
      })`,
      growth.exponent.toFixed(2),
      byHand === undefined ? '' : `${byHand.ratio.toFixed(2)}x`,
      verdict(growth, byHand, grows),
    ]
  })
  const head = ['Request', ...sizes.map(count), 'growth', 'exponent', 'growth, hand-written', '']
  const rule = head.map((_, column) => column === 0 || column === head.length - 1 ? '---' : '---:')
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A cost that has a reason to grow must not grow much more than that of the hand-written request. */
function verdict (growth: Growth, byHand: Growth | undefined, reason: string | undefined): string {
  if (growth.ratio <= FLAT) return 'flat'
  if (reason === undefined) return '**not flat**'
  return byHand !== undefined && growth.ratio > byHand.ratio * FLAT
    ? '**grows more than by hand**'
    : `grows: ${reason}`
}

/** A number of rows, with spaces between thousands. */
export const count = (rows: number): string => rows.toLocaleString('en').replaceAll(',', ' ')

const microseconds = (value: number): string => value < 100 ? value.toFixed(0) : count(Math.round(value))
