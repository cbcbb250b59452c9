/** The options of sorts. */
import { ConfigError } from '../base/errors.ts'
import { notOneOf } from '../base/option-checks.ts'
import type { EntryOptions } from './entry-options.ts'

/** The direction of a sort. */
export type SortDirection = 'asc' | 'desc'

const DIRECTIONS: readonly SortDirection[] = ['asc', 'desc']

export interface AllowedSortOptions<Alias extends string = string> extends EntryOptions<Alias> {
  /** The direction of a sort without a sign; `-` and `+` in the URL override it. Default: `asc`. */
  readonly direction?: SortDirection
}

/** @throws {ConfigError} for anything but a direction */
export function readDirection (what: string, direction: unknown): SortDirection {
  if (DIRECTIONS.includes(direction as SortDirection)) return direction as SortDirection
  throw new ConfigError(`${what}: direction: ${notOneOf(direction, DIRECTIONS)}`)
}
