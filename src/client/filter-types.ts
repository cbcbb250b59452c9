/** The types of filters, and of groups of them. */
import type { IsAny, UrlName } from '../config/index.ts'
import type { AnyFilter, FilterValues } from './input-values.ts'
import type { Entries } from './url-names.ts'

/**
 * Conditions by name, all of which apply. Without groups, `and`, `or` and `not` are names like any other.
 *
 * @internal
 */
export type Filters<Entity, Options, Grouped> = IsAny<Allowed<Options>> extends true ? AnyConditions<Grouped>
  : Grouped extends true
    ? WithGroups<Conditions<Entity, Allowed<Options>>, Conditions<Entity, Exclude<Allowed<Options>, Unnested>>>
    : Conditions<Entity, Allowed<Options>>

type Allowed<Options> = Entries<Options, 'allowedFilters'>

type WithGroups<Beside, Inside> = Beside & Groups<Beside, Inside>

/** The conditions of a group. Some kinds of filters are only possible beside all others. */
interface Groups<Beside, Inside> {
  /** Conditions that all apply. */
  readonly and?: ReadonlyArray<Beside & Groups<Beside, Inside>>
  /** Conditions of which at least one applies. */
  readonly or?: ReadonlyArray<Inside & Groups<Inside, Inside>>
  /** A condition that does not apply. Values that are null count as not equal. */
  readonly not?: Inside & Groups<Inside, Inside>
}

/** The filters that cannot stand inside of `or` and `not`. */
interface Unnested {
  readonly kind: 'custom' | 'scope' | 'trashed'
}

/** Conditions by names that the type checker does not know. With groups, a name may be that of a group. */
type AnyConditions<Grouped> = { readonly [Name in string]?: AnyFilter | (Grouped extends true ? object : never) }

type Conditions<Entity, Entry> = [Entry] extends [never] ? never
  : Filter<UrlName<Entry>, FilterInputs<Entity, Entry>>

type FilterInputs<Entity, All> = {
  readonly [Entry in All as UrlName<Entry>]: FilterValues<Entity, Entry>
}

/** `Names` comes first, so that an error about an unknown name lists the known ones. */
type Filter<Names extends string, Inputs> = {
  readonly [Name in Names]?: Name extends keyof Inputs ? Inputs[Name] : never
}
