/** The option `upsertKeys` of a CRUD class: the keys by which upserts may find records. */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import { repeatedIn, type UncheckedEntity } from './entry-arguments.ts'
import type { WritableName } from './writable-option.ts'

/** Keys of an entity: the name of a unique property, or the names of properties that are unique together. */
export type UpsertKeysOption<Entity extends object = UncheckedEntity> = ReadonlyArray<
  WritableName<Entity> | readonly [WritableName<Entity>, ...Array<WritableName<Entity>>]
>

/** The key that an upsert names: one of the option's keys, if their literals are known, with its names in any order. */
export type UpsertOn<Entity, Keys> = Keys extends ReadonlyArray<infer Key>
  ? [WritableName<Entity>] extends [Key] ? WritableName<Entity> | ReadonlyArray<WritableName<Entity>>
      : Key extends string ? Key | readonly [Key]
        : { readonly [Index in keyof Key]: Extract<Key, readonly string[]>[number] }
  : string | readonly string[]

/** The option, in which each key is a list of names. */
export type UpsertKeysConfig = ReadonlyArray<readonly string[]>

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * Reads the option.
 *
 * @param what the beginning of the error's message
 * @throws {ConfigError} for anything but a list of names and of lists of names, and for a name or key that is repeated
 */
export function readUpsertKeys (what: string, option: unknown): UpsertKeysConfig {
  if (option === undefined) return []
  if (!Array.isArray(option)) {
    throw new ConfigError(`${what}: "upsertKeys" must be a list of keys, as in ['isbn'], got ${shown(option)}.`)
  }
  const keys = option.map((key: unknown, index) => {
    const names: unknown = typeof key === 'string' ? [key] : key
    if (Array.isArray(names) && names.length > 0 && names.every(isName)) return Object.freeze([...names])
    throw new ConfigError(
      `${what}: "upsertKeys[${index}]" must be the name of a property, or a list of names, as in ` +
        `['tenant', 'code'], got ${shown(key)}.`
    )
  })
  const seen = new Set<string>()
  for (const names of keys) {
    const repeated = repeatedIn(names)
    if (repeated !== undefined) throw new ConfigError(`${what}: a key of "upsertKeys" names '${repeated}' twice.`)
    const key = [...names].sort().join()
    if (seen.has(key)) throw new ConfigError(`${what}: "upsertKeys" has the key '${names.join()}' twice.`)
    seen.add(key)
  }
  return Object.freeze(keys)
}
