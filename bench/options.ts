/** Reads the options of `npm run bench`. */
import { parseArgs } from 'node:util'

export interface BenchOptions {
  readonly rounds: number
  readonly warmUp: number
  /** The time for which each variant answers requests of an operation in a round. */
  readonly seconds: number
  readonly connections: number
  readonly pool: number
  readonly quick: boolean
  readonly save: boolean
  /** Installs peers (`true`), leaves them out (`false`) or takes those that are installed. */
  readonly peers: boolean | undefined
  readonly profile: string | undefined
  /** Folder of another checkout. */
  readonly before: string | undefined
  /** Name of another commit. */
  readonly compare: string | undefined
  /**
   * Whether an operation or another part of the benchmark is measured.
   *
   * @param group the part that it belongs to
   */
  readonly includes: (part: string, group?: string) => boolean
  /** Whether the option `--variant` names a variant, or is absent. */
  readonly includesVariant: (name: string) => boolean
}

/** The variants that a comparison with another checkout needs. */
const COMPARED = ['hand-written', 'crud-kit']

/** The parts of the benchmark beside the main operations. A comparison leaves them out. */
export const OTHER_PARTS = ['amounts', 'bulk', 'bounded', 'stream', 'startup'] as const

/**
 * @param parts names that `--only` may have
 * @param variants names that `--variant` may have
 * @throws Error for an unknown option, part or variant, a number that is not positive, and options that exclude
 *   each other
 */
export function readOptions (
  args: readonly string[],
  parts: readonly string[],
  variants: readonly string[]
): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      'warm-up': { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      connections: { type: 'string', default: '16' },
      pool: { type: 'string', default: '10' },
      only: { type: 'string', multiple: true },
      bulk: { type: 'boolean', default: false },
      variant: { type: 'string', multiple: true },
      peers: { type: 'boolean' },
      save: { type: 'boolean', default: false },
      profile: { type: 'string' },
      before: { type: 'string' },
      compare: { type: 'string' },
    },
  })
  const { quick, save, variant, before, compare, bulk } = values
  const only = bulk ? ['bulk', ...values.only ?? []] : values.only
  if (before !== undefined && compare !== undefined) {
    throw new Error('--before names a folder and --compare a commit: give one of them')
  }
  const comparing = before !== undefined || compare !== undefined
  if (comparing && save) throw new Error('--save is for the results of all variants, without --before and --compare')
  if (only !== undefined && save) throw new Error('--save is for the results of all parts, without --only and --bulk')
  known('--only', only, parts)
  known('--variant', variant, variants)
  return {
    // a saved run has more and shorter rounds, so that it ends within half an hour
    rounds: number('--rounds', values.rounds, quick ? 1 : save || comparing ? 8 : 4),
    warmUp: number('--warm-up', values['warm-up'], quick ? 1 : 4, 0),
    seconds: number('--seconds', values.seconds, save ? 0.5 : 0.8),
    connections: number('--connections', values.connections, 16),
    pool: number('--pool', values.pool, 10),
    quick,
    save,
    peers: values.peers ?? (comparing ? false : undefined),
    profile: values.profile,
    before,
    compare,
    includes: (part, group = part) =>
      only === undefined
        ? !(comparing && OTHER_PARTS.some((name) => name === group))
        : only.includes(part) || only.includes(group),
    includesVariant: (name) => variant?.includes(name) ?? (!comparing || COMPARED.includes(name)),
  }
}

function number (option: string, text: string | undefined, otherwise: number, least = Number.MIN_VALUE): number {
  const value = text === undefined ? otherwise : Number(text)
  if (!(value >= least) || text?.trim() === '') throw new Error(`${option} needs a number, not '${text}'`)
  return value
}

function known (option: string, names: readonly string[] | undefined, all: readonly string[]): void {
  const unknown = names?.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Error(`${option} ${unknown} is unknown. Known are: ${all.join(', ')}`)
}
