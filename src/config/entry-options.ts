/** The last argument of every entry of a whitelist: its options. */
import { ConfigError } from '../errors.ts'
import { nearest } from '../suggest.ts'
import { checkUrlName, quoted, shown } from './names.ts'

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
  if (options === undefined) return {} as { [K in Name]?: unknown }
  if (!isOptions(options)) throw new ConfigError(`${what}: options must be an object, got ${shown(options)}`)
  for (const name of Object.keys(options)) {
    if (!(known as readonly string[]).includes(name)) throw new ConfigError(`${what}: ${unknownOption(name, known)}`)
  }
  const copy = { ...options } as { [K in Name]?: unknown } & EntryOptions
  if (copy.alias !== undefined) checkUrlName(what, 'alias', copy.alias)
  return copy
}

/** The sentence that refuses an unknown option. */
export function unknownOption (name: string, known: readonly string[]): string {
  const suggestion = nearest(name, known)
  return `unknown option '${name}'. ` +
    (suggestion === undefined ? `Options: ${quoted(known)}` : `Did you mean '${suggestion}'?`)
}
