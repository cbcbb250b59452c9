/** Finds what a client meant by a path that the whitelist gives another name. */

/** An entry of a whitelist. */
export interface WithAlias {
  /** The name in URLs. */
  readonly name: string
  /** The path that the name stands for, if it is an alias. It has public names, as records have. */
  readonly aliasOf?: string | undefined
}

/** The alias of a path. */
export function aliasFor (path: string, entries: Iterable<WithAlias>): string | undefined {
  for (const { name, aliasOf } of entries) if (aliasOf === path) return name
  return undefined
}

/** The names of an entry with the alias, or with the path if it has no alias. */
export const withAlias = (alias: string | undefined, path: string): WithAlias =>
  alias === undefined ? { name: path } : { name: alias, aliasOf: path }
