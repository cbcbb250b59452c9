/**
 * Types of records and bodies in JSON for an application's handlers, derived from the entity's type. That type does not
 * contain a property's `serializedName`, so such a property has its own name here.
 */
import type { Opt, Primary } from '@mikro-orm/core'
import type { AnyKey, IsAny, Key, KindOf, Target } from '../config/index.ts'
import type { InfoOf, StyleName } from '../base/page-styles.ts'

/** An entity type without known properties. */
type Untyped<Entity> = IsAny<Entity> extends true ? true : [object] extends [Entity] ? true : false

/** A record in an answer. `fields` may omit any property, and an included relation replaces its key. */
export type WireRecord<Entity> = Untyped<Entity> extends true ? Record<string, any>
  :
    & WireAggregates<Entity>
    & {
      [Name in Key<Entity> as KindOf<Entity[Name]> extends never ? never : Name]?: WireProperty<Entity[Name]>
    }

/**
 * The record that a write returns: all properties that are not hidden. A to-one relation is the key of its record, and
 * is absent if the other side has the key. A to-many relation has the children that the body has added or changed.
 */
export type WrittenRecord<Entity> = Untyped<Entity> extends true ? Record<string, any>
  :
    & { [Name in KeyOf<Entity, 'column'>]: WireProperty<Entity[Name]> }
    & { [Name in KeyOf<Entity, 'one'>]?: WireInput<Entity[Name]> }
    & { [Name in KeyOf<Entity, 'many'>]?: WireRecord<Target<Entity[Name]>>[] }

/** The exposed properties of an entity that are to-one or to-many relations, or those that are no relations. */
type KeyOf<Entity, Kind extends 'one' | 'many' | 'column'> = {
  [Name in Key<Entity>]: [KindOf<Entity[Name]>] extends [never] ? never
    : KindOf<Entity[Name]> extends 'one' ? (Kind extends 'one' ? Name : never)
      : KindOf<Entity[Name]> extends 'many' ? (Kind extends 'many' ? Name : never)
        : Kind extends 'column' ? Name
          : never
}[Key<Entity>]

/** Aggregates of relations, which exist if the whitelist allows them and the request includes them. */
type WireAggregates<Entity> =
  & {
    [Name in RelationKey<Entity, 'many'> as `${CamelCase<Name>}Count`]?: number
  }
  & {
    [Name in RelationKey<Entity, 'one' | 'many'> as `${CamelCase<Name>}Exists`]?: boolean
  }
  & {
    [Name in RelationKey<Entity, 'many'> as `${CamelCase<Name>}${string}${'Sum' | 'Min' | 'Max' | 'Avg'}`]?:
      | number
      | string
      | null
  }

type RelationKey<Entity, Kinds> = {
  [Name in Key<Entity>]: [KindOf<Entity[Name]>] extends [never] ? never
    : KindOf<Entity[Name]> extends Kinds ? Name
      : never
}[Key<Entity>]

export type CamelCase<Name extends string> = Name extends `${infer Head extends string}_${infer Tail}`
  ? Head extends '' ? `_${CamelCase<Tail>}` : `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** A page of records. */
export type WirePage<Entity> = {
  /** The records of the page. */
  items: WireRecord<Entity>[],
} & InfoOf<StyleName>

/** A body: properties by public name, relations by id. Schemas tell which are required and which may be written. */
export type WireBody<Entity> = Untyped<Entity> extends true ? Record<string, any> : {
  [Name in Key<Entity> as KindOf<Entity[Name]> extends never ? never : Name]?:
    | WireInput<Entity[Name]>
    | (KindOf<Entity[Name]> extends 'many' ? WireChildren<Target<Entity[Name]>> : never)
}

/** Owned children in the body of their parent: those of a new record, or those that an update changes. */
export type WireChildren<Child> = ReadonlyArray<WireBody<Child>> | {
  readonly add?: ReadonlyArray<WireBody<Child>>,
  /** Each names a child by its key. */
  readonly update?: ReadonlyArray<WireBody<Child>>,
  /** The keys of children. */
  readonly remove?: readonly unknown[],
}

/** Values that the server sets, by property name, in their JavaScript or JSON form. */
export type CrudValues<Entity> = Untyped<Entity> extends true ? Readonly<Record<string, unknown>> : {
  readonly [Name in AnyKey<Entity> as Entity[Name] extends (...args: never[]) => unknown ? never : Name]?: ServerValue<
    Entity[Name]
  >
}

/** The type of a hidden property is not known. */
type ServerValue<T> = [KindOf<T>] extends [never] ? unknown
  : KindOf<T> extends 'scalar'
    ? WireInput<T> | Extract<NonNullable<T>, Date | bigint | Uint8Array> | (null extends T ? null : never)
    : WireInput<T>

/** A key. A composite key is an object with any names, because the tuple in the entity's type does not tell them. */
export type WireId<Entity> = Untyped<Entity> extends true ? any
  : Primary<Entity> extends readonly unknown[] ? Record<string, any>
    : Wire<Primary<Entity>>

/** The value of a property in an answer. */
type WireProperty<T> = KindOf<T> extends infer K ? K extends 'one' ? WireId<One<T>> | WireRecord<One<T>> | null
  : K extends 'many' ? WireRecord<Target<T>>[]
    : K extends 'scalar' ? Wire<T>
      : any // any: types do not tell whether the members of an object are columns or JSON
  : never

/** The value of a property in a body. */
export type WireInput<T> = KindOf<T> extends infer K
  ? K extends 'one' ? WireId<One<T>> | (null extends T ? null : never)
    : K extends 'many' ? WireId<Target<T>>[]
      : K extends 'scalar' ? Wire<T>
        : any // any: the same objects as in answers
  : never

export type One<T> = Target<NonNullable<T>>

/** The JSON form of a value, without MikroORM's brands, which say how a property is declared. */
export type Wire<T> = IsAny<T> extends true ? any : WireOf<T>

type WireOf<T> = T extends null | undefined ? null
  : T extends Date | bigint | Uint8Array ? string
    : T extends { unwrap(): infer Value } ? WireOf<Exclude<Value, undefined>>
      : T extends boolean ? (T extends true ? true : false)
        : T extends string ? string extends T ? string : Member<T>
          : T extends number ? number extends T ? number : Member<T>
            : T extends ReadonlyArray<infer Item> ? WireOf<Item>[]
              : any // any: JSON, whose members no type of the property promises

/** A member of an enum, or for a branded type its value. */
type Member<T> = T extends Opt<infer Value> ? string extends Value ? string : number extends Value ? number : Value : T
