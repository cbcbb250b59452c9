/** The option `writable` of a CRUD class: the properties that bodies may set. */
import { ConfigError } from '../base/errors.ts'
import { quoted, shown } from '../base/option-checks.ts'
import { isObject } from '../base/is-object.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import type { IsAny, Key, KindOf, Target } from './paths.ts'
import type { UncheckedEntity } from './entry-arguments.ts'

/** Names of an entity's properties, as far as its type shows them. */
export type WritableName<Entity> = IsAny<Entity> extends true ? string : [object] extends [Entity] ? string : {
  [Name in Key<Entity>]: KindOf<Entity[Name]> extends never ? never : Name
}[Key<Entity>]

/** Names of properties of owned children: a list of names, or `'all'`. */
type ChildNames<Entity> = 'all' | ReadonlyArray<WritableName<Entity>>

/**
 * Children that bodies write together with their parent, as in `{ comments: ['body'] }`: the name of a to-many relation
 * whose other side is an owning, required to-one relation, and what may be set of the children. One list is for new
 * children and for changes of them, or there is a list for each.
 */
type WritableChildren<Entity> = IsAny<Entity> extends true ? object
  : [object] extends [Entity] ? object
      : { readonly [Name in ManyOf<Entity>]?: ChildrenLists<Target<Entity[Name]>> }

/** The names of to-many relations. */
type ManyOf<Entity> = { [Name in Key<Entity>]: KindOf<Entity[Name]> extends 'many' ? Name : never }[Key<Entity>]

type ChildrenLists<Child> = ChildNames<Child> | {
  readonly create?: ChildNames<Child>,
  readonly update?: ChildNames<Child>,
}

/**
 * What a body may set: a list of properties and owned children, or `'all'` for the properties that are not generated,
 * hidden or computed.
 */
type WritableNames<Entity> = 'all' | ReadonlyArray<WritableName<Entity> | WritableChildren<Entity>>

/**
 * The option `writable`: one list for new records and for changes, or a list for each. An operation without a list is
 * not available.
 */
export type WritableOption<Entity extends object = UncheckedEntity> = WritableNames<Entity> | {
  readonly create?: WritableNames<Entity>,
  readonly update?: WritableNames<Entity>,
}

/** The option by operation. */
export interface WritableConfig {
  readonly create?: 'all' | readonly string[]
  readonly update?: 'all' | readonly string[]
  /** What bodies of the operations may set of owned children, by relation. Absent if there are none. */
  readonly children?: {
    readonly create?: ChildrenConfig,
    readonly update?: ChildrenConfig,
  }
}

export type ChildrenConfig = ReadonlyMap<string, WritableConfig>

const OPERATIONS = ['create', 'update'] as const

/**
 * Reads the option.
 *
 * @param what the beginning of the error's message
 * @throws {ConfigError} for anything but `'all'`, a list of names, or an object with one of them for each operation
 */
export function readWritable (what: string, option: unknown): WritableConfig | undefined {
  return readLists(what, 'writable', option, true)
}

/** @param takesChildren whether the lists may have owned children, which those of children may not */
function readLists (what: string, path: string, option: unknown, takesChildren: boolean): WritableConfig | undefined {
  if (option === undefined) return undefined
  if (typeof option !== 'object' || option === null || Array.isArray(option)) {
    const list = readList(what, path, option, takesChildren)
    return configOf([['create', list], ['update', list]])
  }
  const unknown = Object.keys(option).find((key) => !OPERATIONS.includes(key as never))
  if (unknown !== undefined) {
    const sentence = `${what}: "${path}" has lists for 'create' and 'update', not for '${unknown}'`
    const isChildren = Array.isArray((option as Readonly<Record<string, unknown>>)[unknown])
    const hint = isChildren && takesChildren
      ? `Owned children belong in a list: [{ ${unknown}: [...] }].`
      : `Names of properties belong in a list: ['${unknown}'].`
    throw new ConfigError(didYouMean(sentence, nearest(unknown, OPERATIONS), hint))
  }
  const given = option as Readonly<Record<string, unknown>>
  const named = OPERATIONS.filter((name) => given[name] !== undefined)
  // an object without a list means the same as a missing option
  if (named.length === 0) return undefined
  return configOf(named.map((name) => [name, readList(what, `${path}.${name}`, given[name], takesChildren)]))
}

/** A list: names of properties, and owned children. */
interface List {
  readonly names: 'all' | readonly string[]
  readonly children: ChildrenConfig | undefined
}

function configOf (lists: ReadonlyArray<readonly [operation: string, list: List]>): WritableConfig {
  const names = Object.fromEntries(lists.map(([operation, { names }]) => [operation, names]))
  const withChildren = lists.filter(([, { children }]) => children !== undefined)
  if (withChildren.length === 0) return Object.freeze(names)
  const children = Object.fromEntries(withChildren.map(([operation, { children }]) => [operation, children]))
  return Object.freeze({ ...names, children: Object.freeze(children) })
}

function readList (what: string, path: string, list: unknown, takesChildren: boolean): List {
  if (list === 'all') return { names: list, children: undefined }
  const isEntry = (entry: unknown): boolean => typeof entry === 'string' || (takesChildren && isObject(entry))
  if (!Array.isArray(list) || !list.every(isEntry)) throw wrongList(what, path, list, takesChildren, isEntry)
  const children = new Map<string, WritableConfig>()
  for (const entry of list.filter(isObject)) {
    for (const [relation, option] of Object.entries(entry)) {
      const place = `${path}: ${relation}`
      if (children.has(relation)) throw new ConfigError(`${what}: "${path}" names '${relation}' twice.`)
      const lists = readLists(what, place, option, false)
      if (lists === undefined) {
        throw new ConfigError(
          `${what}: "${place}" must say what bodies may set of the children: a list of property names or 'all', got ${
            shown(option)
          }.`
        )
      }
      children.set(relation, lists)
    }
  }
  return {
    names: Object.freeze((list as unknown[]).filter((entry) => typeof entry === 'string')),
    children: children.size === 0 ? undefined : children,
  }
}

function wrongList (
  what: string,
  path: string,
  list: unknown,
  takesChildren: boolean,
  isEntry: (entry: unknown) => boolean
): ConfigError {
  const wrong: unknown = Array.isArray(list) ? list.find((entry) => !isEntry(entry)) : undefined
  if (!takesChildren && isObject(wrong)) {
    return new ConfigError(
      `${what}: "${path}" names children of children, ${quoted(Object.keys(wrong))}. Bodies write the children of a ` +
        'record, and no deeper.'
    )
  }
  const got = Array.isArray(list) ? `a list that holds ${quoted([wrong as string])}` : shown(list)
  return new ConfigError(`${what}: "${path}" must be a list of property names or 'all', got ${got}.`)
}
