/** Calculates figures from samples. */
import type { Sample, Samples } from './measure.ts'
import type { OperationName } from './operations.ts'
import { BASE, type VariantName } from './variants.ts'

export function median (values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Identifies the figures of a variant at an operation. */
export interface Series {
  readonly operation: OperationName
  readonly variant: VariantName
}

/** The values of one figure in the rounds of the variant. `undefined` if it was not measured. */
export function figures (samples: Samples, series: Series, key: keyof Sample): readonly number[] | undefined {
  return whole(byRound(samples, series, key).filter((value) => value !== null))
}

/**
 * The ratio of each round in which both took part, because the machine's other load differs between rounds.
 * `undefined` if it was not measured.
 */
export function ratios (
  samples: Samples,
  series: Series,
  key: keyof Sample,
  to: Series = { ...series, variant: BASE }
): readonly number[] | undefined {
  const under = byRound(samples, to, key)
  return whole(byRound(samples, series, key).flatMap((value, round) => {
    const base = under[round]
    if (value === null || base === null) return []
    return value === undefined || base === undefined ? [undefined] : [value / base]
  }))
}

/** A figure for each round: `null` if the variant took no part, `undefined` if the figure cannot be measured here. */
function byRound (
  samples: Samples,
  { operation, variant }: Series,
  key: keyof Sample
): ReadonlyArray<number | undefined | null> {
  return samples.get(operation)?.get(variant)?.map((sample) => sample === undefined ? null : sample[key]) ?? []
}

const whole = (values: ReadonlyArray<number | undefined>): readonly number[] | undefined =>
  values.length === 0 || values.includes(undefined) ? undefined : values as readonly number[]

/** The median of the ratios of the rounds. */
export function ratio (samples: Samples, series: Series, key: keyof Sample, to?: Series): number | undefined {
  const values = ratios(samples, series, key, to)
  return values && median(values)
}

/** A median as a ratio, e.g. `1.25x`. Empty if it was not measured. */
export const times = (values: readonly number[] | undefined): string =>
  values === undefined ? '' : `${median(values).toFixed(2)}x`

/** The smallest and the largest value. Empty for a single value. */
export function spread (values: readonly number[] | undefined, digits = 0, [open, close] = ['', '']): string {
  return values === undefined || values.length < 2
    ? ''
    : `${open}${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}${close}`
}

/** A table in Markdown. The first column, and those without a title, have texts. The others have figures. */
export function table (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const rule = head.map((title, column) => column === 0 || title === '' ? '---' : '---:')
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
