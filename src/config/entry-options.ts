/** The last argument of every entry of a whitelist: its options. */
import { checkOptions } from '../options.ts'
import { checkUrlName } from './names.ts'

/** Options of every entry. Entries keep the alias as a type: see `InUrl`. */
export interface EntryOptions<Alias extends string = string> {
  /** The name in the URL, instead of the property's public name. Records keep the public name. */
  readonly alias?: Alias
}

/**
 * What an entry is in the URL, as types: the literals that its constructor was given, for the types of a client. `any`
 * stands for what it was not given. It is no value.
 */
export interface InUrl<Name, Alias, Rest = unknown> {
  readonly name: Name
  readonly alias: Alias
  readonly rest: Rest
}

/** Whether an argument is meant as options. */
export function isOptions (value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The options of an entry, checked: an object with the names of `known` only, and an alias that can be written in a
 * URL. `what` begins the message of the error.
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
