/** Writes the growth of each request's cost as Markdown. */
import { median, table } from '../statistics.ts'
import { seriesOf, type GrowthSamples } from './measure.ts'
import type { GrowthOperation, Owner } from './operations.ts'

/** The largest growth from the smallest to the largest table that counts as flat. */
export const FLAT = 1.5

/** How many times the growth of the hand-written request is too much. */
const TOO_MUCH = 2

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

/** The tables of all requests and sizes: the generated routes, then the hand-written ones. */
export function growthTables (
  samples: GrowthSamples,
  operations: readonly GrowthOperation[],
  sizes: readonly number[]
): string {
  const rows = (owner: Owner) =>
    operations.flatMap((operation) => {
      const measured = sizes.filter((size) => samples.has(seriesOf(operation.name, size, owner)))
      if (measured.length < 2) return []
      const growth = growthOf(samples, operation.name, [measured[0]!, measured.at(-1)!], owner)!
      return [[
        operation.title,
        ...sizes.map((size) => figure(samples.get(seriesOf(operation.name, size, owner)))),
        `${growth.ratio.toFixed(2)}x (${Math.min(...growth.ratios).toFixed(2)} to ${
          Math.max(...growth.ratios).toFixed(2)
        })`,
        growth.exponent.toFixed(2),
        ...owner === 'generated' ? [verdict(samples, operation, measured, growth)] : [],
      ]]
    })
  const head = ['Request', ...sizes.map(count), 'growth', 'exponent']
  return `## Generated routes\n\n${table([...head, ''], rows('generated'))}\n\n` +
    `## Hand-written routes\n\n${table(head, rows('hand-written'))}`
}

/**
 * Says whether the cost is flat. A cost of any size that grows much more than that of the hand-written request is named
 * first, since a bad plan may occur for tables of a middle size only.
 */
function verdict (
  samples: GrowthSamples,
  { name, grows }: GrowthOperation,
  [smallest, ...larger]: readonly number[],
  { ratio }: Growth
): string {
  const excess = larger.map((size) => {
    const growth = growthOf(samples, name, [smallest!, size])
    const byHand = growthOf(samples, name, [smallest!, size], 'hand-written')
    return growth === undefined || byHand === undefined ? 0 : growth.ratio / byHand.ratio
  })
  const most = Math.max(...excess)
  if (most > TOO_MUCH) {
    return `**${most.toFixed(1)} times the growth by hand** with ${count(larger[excess.indexOf(most)]!)} rows`
  }
  if (ratio <= FLAT) return 'flat'
  return grows === undefined ? '**not flat**' : `grows: ${grows}`
}

/** A number of rows, with spaces between thousands. */
export const count = (rows: number): string => rows.toLocaleString('en').replaceAll(',', ' ')

/** The median, in microseconds. */
const figure = (values: readonly number[] | undefined): string =>
  values === undefined ? '' : count(Math.round(median(values)))
