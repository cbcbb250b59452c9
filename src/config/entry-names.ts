/** The names of whitelist entries in the URL, as types. */
import type { InUrl } from './entry-arguments.ts'
import type { IsAny } from './paths.ts'

/** The property of an entry, `string` if it is not known. */
export type NameOf<Entry> = Entry extends { readonly '~url': InUrl<infer Name, unknown> }
  ? IsAny<Name> extends true ? string : Name & string
  : string
/** The alias of an entry, `never` without one. */
export type AliasOf<Entry> = Entry extends { readonly '~url': InUrl<unknown, infer Alias> }
  ? IsAny<Alias> extends true ? never : Alias & string
  : never
/** The alias of an entry, or `Name` if it has no alias. */
export type AliasOr<Entry, Name> = [AliasOf<Entry>] extends [never] ? Name : AliasOf<Entry>

/** The name of a filter, a sort or a facet. */
export type UrlName<Entry> = Entry extends unknown ? AliasOr<Entry, NameOf<Entry>> : never

/** The names of full-text filters, which are also those of their sorts by relevance. */
export type RankedName<Options> = Options extends { readonly allowedFilters: ReadonlyArray<infer Entry> }
  ? UrlName<Extract<Entry, { readonly kind: 'fullText' }>>
  : never
