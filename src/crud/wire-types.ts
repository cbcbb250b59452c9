/**
 * Types of records and bodies in JSON, derived from the entity's: what handlers of an application see of them. Types
 * don't tell a property's `serializedName`: such a property goes by its own name here.
 */
import type { Opt, Primary } from '@mikro-orm/core'
import type { AnyKey, IsAny, Key, KindOf, Target } from '../config/index.ts'
import type { CursorInfo, OffsetInfo, PageInfo } from '../run/index.ts'

/** An entity of which no property is known. */
type Untyped<Entity> = IsAny<Entity> extends true ? true : [object] extends [Entity] ? true : false

/** A record as it leaves. `fields` may leave anything out, and an included relation takes the place of its key. */
export type WireRecord<Entity> = Untyped<Entity> extends true ? Record<string, any>
  :
    & WireAggregates<Entity>
    & {
      [Name in Key<Entity> as KindOf<Entity[Name]> extends never ? never : Name]?: WireProperty<Entity[Name]>
    }

/** Numbers about relations, where the whitelist has them and they are included. */
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
export type WirePage<Entity> = { items: WireRecord<Entity>[] } & (PageInfo | OffsetInfo | CursorInfo)

/** A body: properties by public name, relations by id. Which are required and which may be written, schemas say. */
export type WireBody<Entity> = Untyped<Entity> extends true ? Record<string, any> : {
  [Name in Key<Entity> as KindOf<Entity[Name]> extends never ? never : Name]?: WireInput<Entity[Name]>
}

/** Values that the server sets, by property name, as JavaScript or JSON has them. */
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

/** A key. A composite one is an object, of which its tuple in the entity's type doesn't tell the names. */
export type WireId<Entity> = Untyped<Entity> extends true ? any
  : Primary<Entity> extends readonly unknown[] ? Record<string, any>
    : Wire<Primary<Entity>>

/** `any` for objects, whose members types don't tell to be columns or JSON. */
export type WireProperty<T> = KindOf<T> extends infer K ? K extends 'one' ? WireId<One<T>> | WireRecord<One<T>> | null
  : K extends 'many' ? WireRecord<Target<T>>[]
    : K extends 'scalar' ? Wire<T>
      : any
  : never

export type WireInput<T> = KindOf<T> extends infer K
  ? K extends 'one' ? WireId<One<T>> | (null extends T ? null : never)
    : K extends 'many' ? WireId<Target<T>>[]
      : K extends 'scalar' ? Wire<T>
        : any
  : never

export type One<T> = Target<NonNullable<T>>

/** A value as JSON has it. MikroORM's brands, which say how a property is declared, go. */
export type Wire<T> = IsAny<T> extends true ? any : WireOf<T>

type WireOf<T> = T extends null | undefined ? null
  : T extends Date | bigint | Uint8Array ? string
    : T extends { unwrap(): infer Value } ? WireOf<Exclude<Value, undefined>>
      : T extends boolean ? (T extends true ? true : false)
        : T extends string ? string extends T ? string : Member<T>
          : T extends number ? number extends T ? number : Member<T>
            : T extends ReadonlyArray<infer Item> ? WireOf<Item>[]
              : any

/** A member of an enum, or any value at all under a brand. */
type Member<T> = T extends Opt<infer Value> ? string extends Value ? string : number extends Value ? number : Value : T
