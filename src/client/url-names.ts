/**
 * The names of a whitelist in the URL, as types. The name of an entry is its alias, or else its property. `any` and
 * `string` stand for entries that the type checker does not know; they allow every name.
 */
import type { AliasOf, AliasOr, InUrl, IsAny, Key, KindOf, NameOf, Target } from '../config/index.ts'
import type { CamelCase } from '../crud/index.ts'

/**
 * The entries of one list of a configuration, as a union. `never` for an empty list, `any` if the list is not known.
 */
export type Entries<Options, List extends string> = List extends keyof Options
  ? Options[List] extends ReadonlyArray<infer Entry> ? Entry : AnyEntry
  : never

/** A path without its last name: `a.b` for `a.b.c`, the empty text for `a`. */
type Parent<Path extends string> = Path extends `${infer Head}.${infer Tail}`
  ? Tail extends `${string}.${string}` ? `${Head}.${Parent<Tail>}` : Head
  : ''
type Leaf<Path extends string> = Path extends `${string}.${infer Tail}` ? Leaf<Tail> : Path
type Join<Before extends string, Name extends string> = Before extends '' ? Name : `${Before}.${Name}`

/** The includes of one kind. */
type Includes<Options, Kind> = Extract<Entries<Options, 'allowedIncludes'>, { readonly kind: Kind }>

/** The aliases of relations, by their paths of properties. */
type RelationAliases<Options> = {
  readonly [Entry in Includes<Options, 'relation'> as [AliasOf<Entry>] extends [never] ? never : NameOf<Entry>]:
  AliasOf<Entry>
}

/** A path of relations as it is written in the URL. */
type RelationUrl<Path extends string, Aliases, Before extends string = ''> = Path extends `${infer Head}.${infer Tail}`
  ? `${SegmentUrl<Join<Before, Head>, Head, Aliases>}.${RelationUrl<Tail, Aliases, Join<Before, Head>>}`
  : SegmentUrl<Join<Before, Path>, Path, Aliases>

type SegmentUrl<Path extends string, Name extends string, Aliases> = Path extends keyof Aliases ? Aliases[Path] & string
  : Name

/** The relations that may be included. Keys are names in the URL, values are paths of properties. */
export type Relations<Options, Aliases = RelationAliases<Options>> = {
  readonly [Entry in Includes<Options, 'relation'> as RelationUrl<NameOf<Entry>, Aliases>]: NameOf<Entry>
}

/** An aggregate of a relation: the path of the record that has it, its name there, and the type of its value. */
export interface AggregateAt<At extends string, Name extends string, Value> {
  readonly at: At
  readonly name: Name
  readonly value: Value
}

/** The aggregates that may be included, by name in the URL. */
export type Aggregates<Entity, Options, Aliases = RelationAliases<Options>> = {
  readonly [Entry in Includes<Options, 'aggregate'> as AggregateUrl<Entry, AggregateOf<Entity, Entry>, Aliases>]:
  AggregateOf<Entity, Entry>
}

type AggregateUrl<Entry, Found, Aliases> = Found extends AggregateAt<infer At, infer Name, unknown>
  ? Join<At extends '' ? '' : RelationUrl<At, Aliases>, AliasOr<Entry, Name>>
  : never

type AggregateOf<Entity, Entry> = Entry extends {
  readonly '~url': InUrl<infer Path extends string, unknown, infer Fn extends string>,
} ? Fn extends 'count' ? AggregateAt<Parent<Path>, `${CamelCase<Leaf<Path>>}Count`, number>
    : Fn extends 'exists' ? AggregateAt<Parent<Path>, `${CamelCase<Leaf<Path>>}Exists`, boolean>
      : ValueAt<Entity, Path, Fn>
  : never

/**
 * The name starts with the last relation of the path. After it comes a property, or a property of an embedded object.
 */
type ValueAt<Entity, Path extends string, Fn extends string, Before extends string = ''> = Path extends
  `${infer Head}.${infer Tail}`
  ? Head extends Key<Entity>
    ? BeginsWithRelation<Target<Entity[Head]>, Tail> extends true
      ? ValueAt<Target<Entity[Head]>, Tail, Fn, Join<Before, Head>>
      : AggregateAt<Before, `${Camel<Path>}${Capitalize<Fn>}`, Aggregated<Target<Entity[Head]>, Tail, Fn>>
    : AggregateAt<Before, `${Camel<Path>}${Capitalize<Fn>}`, number | string | null>
  : never

type BeginsWithRelation<Entity, Path extends string> = IsAny<Entity> extends true ? false
  : Path extends `${infer Head}.${string}`
    ? Head extends Key<Entity> ? KindOf<Entity[Head]> extends 'one' | 'many' ? true : false : false
    : false

type Camel<Path extends string> = Path extends `${infer Head}.${infer Tail}`
  ? `${CamelCase<Head>}${Capitalize<Camel<Tail>>}`
  : CamelCase<Path>

/**
 * The type of an aggregate. Strings, including numbers as strings, and dates keep their type; `avg` and `sum` of other
 * numbers are numbers.
 */
type Aggregated<Entity, Name extends string, Fn> = Name extends Key<Entity>
  ? NonNullable<Entity[Name]> extends infer Value ? IsAny<Value> extends true ? AnyJson
    : Value extends number ? number | null
      : Value extends string | bigint | Date ? string | null
        : AnyJson
    : never
  : Fn extends 'min' | 'max' ? AnyJson
    : number | string | null

/** The fields that may be selected, by the path of their record. Each has a name in the URL and a property. */
export type Fields<Options> = {
  readonly [Entry in Entries<Options, 'allowedFields'> as Parent<NameOf<Entry>>]: FieldOf<Entry>
}

/** Distributes over entries: those of one record share a key and form a union. */
type FieldOf<Entry> = Entry extends unknown ? {
  readonly name: AliasOr<Entry, Leaf<NameOf<Entry>>>,
  readonly property: Leaf<NameOf<Entry>>,
}
  : never

/** The fields of relations, by their paths in the URL. */
export type RelatedFields<Options, Aliases = RelationAliases<Options>> = {
  readonly [Path in Exclude<keyof Fields<Options> & string, ''> as RelationUrl<Path, Aliases>]: Fields<Options>[Path]
}

/** A value of any JSON form. A program may use it without a cast. */
export type AnyJson = any // any: the entity's type does not tell the form

/** A record whose properties are not known. */
export type AnyRecord = Record<string, AnyJson>

/** The entries of a list that is not known. `any` marks it for `IsAny`, which tells it from an empty list. */
type AnyEntry = any // see IsAny
