/** The options of a whitelist entry, its last argument. */
import { checkOptions } from '../base/option-checks.ts'
import { checkUrlName } from './names.ts'

/** Options of every entry. The type keeps the literal of the alias, see `InUrl`. */
export interface EntryOptions<Alias extends string = string> {
  /** The name in the URL, instead of the property's public name. Records keep the public name. */
  readonly alias?: Alias
}

/**
 * The type of a constructor's argument that was not given, and of the names of an entry whose type arguments are left
 * out. `any` fits where an entry with any names is expected, and a client's types can tell it from a literal.
 */
export type NotGiven = any

/** An entity that a type does not name. `any` turns off the checks of names and values. */
export type UncheckedEntity = any

/**
 * The literals of an entry's constructor, from which a client's types are derived. It exists only as a type.
 */
export interface InUrl<Name, Alias, Rest = unknown> {
  readonly name: Name
  readonly alias: Alias
  readonly rest: Rest
}

/** Whether an argument is an options object. */
export function isOptions (value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads and checks the options of an entry: an object that has only names of `known`, and an alias that is valid in a
 * URL. `what` is the beginning of the error's message.
 */
export function readOptions<Name extends string> (
  what: string,
  options: unknown,
  known: readonly Name[]
): { readonly [K in Name]?: unknown } & EntryOptions {
  checkOptions(what, options, known)
  const copy = { ...options as object } as { [K in Name]?: unknown } & EntryOptions
  if (copy.alias !== undefined) checkUrlName(what, 'alias', copy.alias)
  return copy
}
