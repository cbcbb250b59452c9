/** The table of filter kinds. To add a kind, add its class to `src/config`, its file here, and its line to `KINDS`. */
import type { Filter } from '../../config/index.ts'
import type { EntityModel, RelationProperty } from '../../model/index.ts'
import type { FilterParam } from '../../query/index.ts'
import type { RelatedNumbers, TextDocument } from '../condition-types.ts'
import { anyOfFilters, type AnyOfEntry } from './any-of.ts'
import { custom, type CustomFilterEntry } from './custom.ts'
import type { Compared, FilterFacts, FilterKind } from './kind.ts'
import { fullText, type FullTextEntry } from './full-text.ts'
import { operators, type OperatorFilter } from './operators.ts'
import { partial } from './partial.ts'
import { search, type SearchEntry } from './search.ts'
import { switched, type SwitchedEntry } from './switched.ts'
import { trashed, type TrashedEntry } from './trashed.ts'

/** A filter of a whitelist, with the properties that it names looked up. */
export type FilterEntry =
  | OperatorFilter<'operators'>
  | OperatorFilter<'partial'>
  | CustomFilterEntry
  | SearchEntry
  | FullTextEntry
  | TrashedEntry
  | SwitchedEntry
  | AnyOfEntry

type KindName = Filter['kind']
type EntryOf<Kind extends KindName> = Extract<FilterEntry, { readonly kind: Kind }>

const KINDS: { readonly [Kind in KindName]: FilterKind<Extract<Filter, { readonly kind: Kind }>, EntryOf<Kind>> } = {
  operators,
  partial,
  custom,
  search,
  fullText,
  trashed,
  scope: switched,
  anyOf: anyOfFilters,
}

/** The filters of a whitelist. */
export interface FilterList {
  readonly filters: ReadonlyMap<string, FilterEntry>
  /** The default filters, each of which applies if a request does not have the filter. */
  readonly defaults: ReadonlyArray<{ readonly entry: FilterEntry, readonly param: FilterParam }>
  /** Whether errors name a filter as allowed. Default: all of them. */
  readonly lists?: (entry: FilterEntry) => boolean
}

/** The kind of a filter or an entry. The cast is safe, because a filter and its entry have the name of their kind. */
export const kindOf = ({ kind }: { readonly kind: KindName }): FilterKind<Filter, FilterEntry> =>
  KINDS[kind] as unknown as FilterKind<Filter, FilterEntry>

/** Whether the parameters of a filter may name an operator. */
export const takesOperators = (entry: FilterEntry): entry is OperatorFilter<'operators'> | OperatorFilter<'partial'> =>
  kindOf(entry).takesOperators

/** Looks up the properties that a filter of the whitelist names. */
export function filterEntry (filter: Filter, model: EntityModel, numbers: RelatedNumbers): FilterEntry {
  const entry = kindOf(filter).resolve(filter, model, numbers)
  return filter.ignoredValues.length === 0 ? entry : { ...entry, ignored: new Set(filter.ignoredValues) }
}

/** The properties that a filter compares, each with its operators. */
export const comparedBy = (entry: FilterEntry): readonly Compared[] => kindOf(entry).compared(entry)

/** The texts in which a filter looks for words, if it does. */
export const documentOf = (entry: FilterEntry): TextDocument | undefined => kindOf(entry).document?.(entry)

/** Describes a filter. */
export const describeFilter = (entry: FilterEntry): FilterFacts => kindOf(entry).describe(entry)

/** The relations on the paths to the properties that a filter compares. */
export const relationsOf = (entry: FilterEntry): readonly RelationProperty[] =>
  comparedBy(entry).flatMap(({ relations }) => relations)
