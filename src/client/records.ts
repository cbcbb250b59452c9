/** The types of records in answers: the selected columns, and the included relations and aggregates. */
import type { IsAny, Key, KindOf, Target } from '../config/index.ts'
import type { One, Wire, WireId, WireRecord } from '../crud/index.ts'
import type {
  AggregateAt, Aggregates, AnyJson, AnyRecord, Entries, Fields, RelatedFields, Relations,
} from './url-names.ts'

/**
 * The type of a record in an answer. Lists that are built at run time have no literal types, so any property may be
 * there.
 */
export type RecordOf<Entity, Options, Selected, Included, SelectedByInclude> = IsAny<Entity> extends true ? AnyRecord
  : [Selected, Included] extends [readonly [], readonly []] ? RecordAt<Entity, never, never, {}, ''>
      : IsKnown<Options> extends false ? WireRecord<Entity>
        : Included extends readonly unknown[]
          ? Selected extends readonly unknown[] ? number extends (Included | Selected)['length'] ? WireRecord<Entity>
            : RecordAt<
        Entity,
        PathsOf<Relations<Options>, Included>,
        PathsOf<Aggregates<Entity, Options>, Included>,
        AllFields<Options, Selected, SelectedByInclude>,
        ''
      >
            : never
          : never

/** Whether the type checker knows which names may be selected and included. */
type IsKnown<Options> = IsAny<Entries<Options, 'allowedIncludes'> | Entries<Options, 'allowedFields'>> extends true
  ? false
  : true

type PathsOf<ByName, Included> = Included extends readonly (infer Name)[]
  ? Name extends keyof ByName ? ByName[Name] : never
  : never

/** The selected properties, by the path of the record that has them. */
type AllFields<Options, Selected, ByInclude> =
  & { readonly '': Chosen<Fields<Options>, '', Selected> }
  & {
    readonly [Url in keyof ByInclude & keyof RelatedFields<Options> as PropertyPath<Relations<Options>, Url>]: Named<
      RelatedFields<Options>[Url],
      ByInclude[Url]
    >
  }

type PropertyPath<ByUrl, Url> = Url extends keyof ByUrl ? ByUrl[Url] & string : Url & string
type Chosen<All, At, Selected> = At extends keyof All ? Named<All[At], Selected> : never
type Named<Fields, Selected> = Selected extends readonly (infer Name)[]
  ? Fields extends { readonly name: Name, readonly property: infer Property } ? Property : never
  : never

/** The relations that are included in the records at a path, i.e. the next name of each longer path. */
type HeadsAt<Paths, Before extends string> = Paths extends `${Before}${infer Rest}`
  ? Rest extends `${infer Head}.${string}` ? Head : Rest
  : never

/** A prefix such as `author.` without its dot, as a key of `AllFields`. */
type Place<Before extends string> = Before extends `${infer Path}.` ? Path : Before

type SelectedAt<Selections, Before extends string> = Place<Before> extends keyof Selections ? Selections[Place<Before>]
  : never

type NumbersAt<Numbers, At extends string> = Numbers extends AggregateAt<At, infer Name, unknown> ? Name : never
type NumberAt<Numbers, At extends string, Name extends string> = Numbers extends AggregateAt<At, Name, infer Value>
  ? Value
  : never

type NamesAt<Entity, Paths, Numbers, Selections, Before extends string> =
  | ColumnsOf<Entity, SelectedAt<Selections, Before>>
  | HeadsAt<Paths, Before>
  | NumbersAt<Numbers, Place<Before>>

type RecordAt<Entity, Paths, Numbers, Selections, Before extends string> = IsAny<Entity> extends true ? AnyRecord
  : KnownRecordAt<Entity, Paths, Numbers, Selections, Before>

type KnownRecordAt<Entity, Paths, Numbers, Selections, Before extends string> = {
  [Name in NamesAt<Entity, Paths, Numbers, Selections, Before>]: Name extends HeadsAt<Paths, Before>
    ? Name extends Key<Entity> ? Related<Entity[Name], Paths, Numbers, Selections, `${Before}${Name}.`> : AnyJson
    : Name extends NumbersAt<Numbers, Place<Before>> ? NumberAt<Numbers, Place<Before>, Name>
      : Name extends Key<Entity> ? ColumnValue<Entity[Name]>
        : never
}

/** All columns, or the selected ones. To-many relations are not columns. */
type ColumnsOf<Entity, Selected> = [Selected] extends [never]
  ? { [Name in Key<Entity>]: KindOf<Entity[Name]> extends 'many' ? never : Name }[Key<Entity>]
  : Selected & string

type Related<T, Paths, Numbers, Selections, Before extends string> = KindOf<T> extends 'many' | 'objects'
  ? Array<RecordAt<Target<T>, Paths, Numbers, Selections, Before>>
  : RecordAt<One<T>, Paths, Numbers, Selections, Before> | null

/** The type of a column. A relation that isn't included is its key. */
export type ColumnValue<T> = KindOf<T> extends infer Kind
  ? Kind extends 'one' ? WireId<One<T>> | (null extends T ? null : undefined extends T ? null : never)
    : Kind extends 'scalar' ? Wire<T>
      : AnyJson
  : never
