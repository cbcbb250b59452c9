/** The types of facets and aggregates: their names in the URL, and the values in answers. */
import type { AliasOr, InUrl, IsAny, NameOf, PathTarget, UrlName } from '../config/index.ts'
import type { Wire } from '../crud/index.ts'
import type { ColumnValue } from './records.ts'
import type { AnyJson, AnyRecord, Entries } from './url-names.ts'

/** The names that `facets` accepts. */
export type FacetNames<Options> = IsAny<Entries<Options, 'allowedFacets'>> extends true ? string
  : UrlName<Entries<Options, 'allowedFacets'>>

/** A value of a facet, and the number of records that have it. */
export interface FacetValue<Value> {
  /** The value, as in records. `null` for records without one. */
  readonly value: Value
  /** The number of records. */
  readonly count: number
}

/** The facets of an answer: those that the request names. Absent if it names none. */
export type Faceted<Entity, Options, Asked> = [FacetNames<Options>] extends [never] ? unknown
  : Asked extends readonly [] ? unknown
    : IsFixed<Asked> extends true
      ? { readonly facets: { readonly [Name in NamesOf<Asked>]: Array<FacetValue<FacetOf<Entity, Options, Name>>> } }
      : { readonly facets?: AnyFacets }

interface AnyFacets {
  readonly [Name: string]: Array<FacetValue<AnyJson>>
}

type FacetOf<Entity, Options, Name> = IsAny<Entries<Options, 'allowedFacets'>> extends true ? AnyJson
  : PathValue<Entity, NameOf<Named<Entries<Options, 'allowedFacets'>, Name>>>

type Named<Entry, Name> = Entry extends unknown ? UrlName<Entry> extends Name ? Entry : never : never

/** The value of a property, as in records. A path may lead to a record that is absent. */
type PathValue<Entity, Path extends string> =
  | ColumnValue<PathTarget<Entity, Path>>
  | (Path extends `${string}.${string}` ? null : never)

/** A group or a number: its name in the URL, its name in items, and its value there. */
interface Term<Name, Key, Value> {
  readonly name: Name
  readonly key: Key
  readonly value: Value
}

/** The terms of a list of the whitelist, as a union. An entry may stand for several units or functions. */
type Terms<Entity, Options, List extends string> = TermsOf<Entity, Entries<Options, List>>

type TermsOf<Entity, Entry> = Entry extends { readonly '~url': InUrl<infer Path extends string, unknown, infer Rest> }
  ? Rest extends { readonly units: infer Unit extends string } ? DateTerms<Entity, Path, AliasOr<Entry, Path>, Unit>
    : Rest extends { readonly functions: infer Fn extends string } ? NumberTerms<Entity, Path, AliasOr<Entry, Path>, Fn>
      : Rest extends 'count' ? Term<UrlName<Entry>, 'count', number>
        : Term<UrlName<Entry>, Underscored<Path>, PathValue<Entity, Path>>
  : never

/** Distributes over the units. A period is the text of its first day. */
type DateTerms<Entity, Path extends string, Name extends string, Unit extends string> = Unit extends unknown
  ? Term<`${Name}.${Unit}`, `${Underscored<Path>}_${Unit}`, string | Extract<PathValue<Entity, Path>, null>>
  : never

/** Distributes over the functions. */
type NumberTerms<Entity, Path extends string, Name extends string, Fn extends string> = Fn extends unknown
  ? Term<`${Name}.${Fn}`, `${Underscored<Path>}_${Fn}`, NumberOf<NonNullable<PathTarget<Entity, Path>>, Fn>>
  : never

/** The name of a path in items: `category_name` for `category.name`. */
type Underscored<Path extends string> = Path extends `${infer Head}.${infer Tail}` ? `${Head}_${Underscored<Tail>}`
  : Path

/**
 * The value of a function. A sum has the form of its numbers. The mean of integers is a text with all its digits, that
 * of other numbers a number, and types do not tell these apart.
 */
type NumberOf<Value, Fn extends string> = Fn extends 'countDistinct' ? number
  : IsAny<Value> extends true ? AnyJson
    : Fn extends 'min' | 'max' ? Wire<Value> | null
      : Value extends number ? number | (Fn extends 'avg' ? string : never) | null
        : string | null

/** The names that `group` accepts. */
export type GroupNames<Entity, Options> = IsAny<Entries<Options, 'allowedGroups'>> extends true ? string
  : NameIn<Terms<Entity, Options, 'allowedGroups'>>

/** The names that `aggregate` accepts. */
export type NumberNames<Entity, Options> = IsAny<Entries<Options, 'allowedAggregates'>> extends true ? string
  : NameIn<Terms<Entity, Options, 'allowedAggregates'>>

type NameIn<Found> = Found extends Term<infer Name extends string, unknown, unknown> ? Name : never

/** An item of an aggregate: the groups and the numbers that the request names. */
export type GroupItem<Entity, Options, Group, Numbers> =
  IsAny<Entries<Options, 'allowedGroups' | 'allowedAggregates'>> extends true ? AnyRecord
    : IsFixed<Group | Numbers> extends true ? ItemOf<
        | Extract<Terms<Entity, Options, 'allowedGroups'>, { readonly name: NamesOf<Group> }>
        | Extract<Terms<Entity, Options, 'allowedAggregates'>, { readonly name: NamesOf<Numbers> }>
      >
      : AnyRecord

/** Whether lists have literal types. A list that is built at run time may have any of its names. */
type IsFixed<List> = List extends readonly unknown[] ? number extends List['length'] ? false : true : never

/** The names in a list. */
export type NamesOf<List> = List extends ReadonlyArray<infer Name extends string> ? Name : never

type ItemOf<Found> = {
  [Each in Found as Each extends Term<unknown, infer Key extends string, unknown> ? Key : never]: Each extends Term<
    unknown,
    unknown,
    infer Value
  > ? Value
    : never
}
