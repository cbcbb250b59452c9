/** The option `writable` of a CRUD class: the properties that bodies may set. */
import { ConfigError } from '../base/errors.ts'
import { quoted, shown } from '../base/option-checks.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import type { IsAny, Key, KindOf } from './paths.ts'
import type { UncheckedEntity } from './entry-arguments.ts'

/** Names of an entity's properties, as far as its type shows them. */
export type WritableName<Entity> = IsAny<Entity> extends true ? string : [object] extends [Entity] ? string : {
  [Name in Key<Entity>]: KindOf<Entity[Name]> extends never ? never : Name
}[Key<Entity>]

/** Properties that a body may set: a list of names, or `'all'` for those that are not generated, hidden or computed. */
export type WritableNames<Entity> = 'all' | ReadonlyArray<WritableName<Entity>>

/**
 * The option `writable`: one list for new records and for changes, or a list for each. An operation without a list is
 * not available.
 */
export type WritableOption<Entity extends object = UncheckedEntity> = WritableNames<Entity> | {
  readonly create?: WritableNames<Entity>,
  readonly update?: WritableNames<Entity>,
}

/** The option by operation, unchanged. */
export interface WritableConfig {
  readonly create?: 'all' | readonly string[]
  readonly update?: 'all' | readonly string[]
}

const OPERATIONS = ['create', 'update'] as const

/**
 * Reads the option.
 *
 * @param what the beginning of the error's message
 * @throws {ConfigError} for anything but `'all'`, a list of names, or an object with one of them for each operation
 */
export function readWritable (what: string, option: unknown): WritableConfig | undefined {
  if (option === undefined) return undefined
  if (typeof option !== 'object' || option === null || Array.isArray(option)) {
    const names = readNames(what, 'writable', option)
    return Object.freeze({ create: names, update: names })
  }
  const unknown = Object.keys(option).find((key) => !OPERATIONS.includes(key as never))
  if (unknown !== undefined) {
    const sentence = `${what}: "writable" has lists for 'create' and 'update', not for '${unknown}'`
    const hint = `Names of properties belong in a list: ['${unknown}'].`
    throw new ConfigError(didYouMean(sentence, nearest(unknown, OPERATIONS), hint))
  }
  const given = option as Readonly<Record<string, unknown>>
  const named = OPERATIONS.filter((name) => given[name] !== undefined)
  // an object without a list means the same as a missing option
  if (named.length === 0) return undefined
  return Object.freeze(
    Object.fromEntries(named.map((name) => [name, readNames(what, `writable.${name}`, given[name])]))
  )
}

function readNames (what: string, path: string, names: unknown): 'all' | readonly string[] {
  if (names === 'all') return names
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) {
    return Object.freeze([...names as string[]])
  }
  const got = Array.isArray(names)
    ? `a list that holds ${quoted([names.find((name) => typeof name !== 'string') as string])}`
    : shown(names)
  throw new ConfigError(`${what}: "${path}" must be a list of property names or 'all', got ${got}.`)
}
