/** The types of values in filters, keys and bodies: JSON values, and JavaScript values that are converted to JSON. */
import type { Opt, OptionalProps, Primary } from '@mikro-orm/core'
import type { Filter, InUrl, IsAny, Key, KindOf, OperatorsInUrl, PathTarget, Target } from '../config/index.ts'
import type { One, Wire, WireInput } from '../crud/index.ts'
import type { Operator, OperatorValues, OperatorValuesOnArrays, PartialOperator } from '../operators/index.ts'
import type { AnyJson, AnyRecord } from './url-names.ts'

/** A value of a filter whose type is not known. */
export type AnyValue = string | number | bigint | boolean | Date

/** The type that a property's value is written as. */
type Written<T> = IsAny<T> extends true ? AnyJson : WrittenOf<NonNullable<T>>

type WrittenOf<T> = T extends Date ? string | Date
  : T extends bigint ? string | number | bigint
    : T extends boolean ? boolean
      : Wire<T>

/** One part of a key. Numbers may also be given as text, because a path is text. */
type KeyPartText<T> = IsAny<T> extends true ? KeyText : T extends number | bigint ? KeyText : string

/** The key of a record: the primary key, or its `uuid`. A composite key is the list of its parts, in order. */
export type KeyOf<Entity> = IsAny<Entity> extends true ? AnyKey
  : Primary<Entity> extends infer Keys ? IsAny<Keys> extends true ? AnyKey
    : Keys extends readonly unknown[] ? { readonly [Index in keyof Keys]: KeyPartText<Keys[Index]> }
      : KeyPartText<Keys> | ('uuid' extends Key<Entity> ? string : never)
    : never

type KeyText = string | number | bigint
type AnyKey = KeyText | readonly KeyText[]

/**
 * The type that a filter compares with: the key of a relation, one item of an array, the declared type of a JSON value.
 */
type Compared<Entity, Path extends string, Json> = IsAny<Json> extends true
  ? Path extends Key<Entity> | `${string}.${string}` ? ComparedWith<PathTarget<Entity, Path>> : NumberInput<Path>
  : Json extends 'string' ? string
    : Json extends 'number' ? number
      : Json extends 'boolean' ? boolean
        : AnyValue

/** The value of a number about a relation, which has no property. */
type NumberInput<Path extends string> = Path extends `${string}Count` ? number
  : Path extends `${string}Exists` ? boolean
    : AnyValue

type ComparedWith<T> = IsAny<T> extends true ? AnyValue
  : KindOf<T> extends 'one' ? ReferenceKey<KeyOf<One<T>>>
    : NonNullable<T> extends readonly (infer Item)[] ? Written<Item>
      : KindOf<T> extends 'scalar' ? Written<T>
        : AnyValue

type ReferenceKey<K> = K extends readonly unknown[] ? AnyValue : K

type IsArray<T> = IsAny<T> extends true ? false : NonNullable<T> extends readonly unknown[] ? true : false

/** The types of operands, by the form in which operators take them in the URL. */
interface Operands<Value> {
  readonly one: Value
  readonly text: string
  readonly list: readonly Value[]
  readonly items: readonly Value[]
  readonly pair: readonly [low: Value, high: Value]
  readonly boolean: boolean
}

/**
 * The types of operands without an operator's name. An operator that takes a list gets one item, unless that is a text:
 * the server would split it at its commas. A pair cannot be written.
 */
interface BareOperands<Value> extends Omit<Operands<Value>, 'list' | 'items' | 'pair'> {
  readonly list: ItemWithoutComma<Value>
  readonly items: ItemWithoutComma<Value>
  readonly pair: never
}

type ItemWithoutComma<Value> = string extends Value ? never : Value

/** The type of an operator's value. `Items` tells whether the property is an array. */
type ValueOf<Op, Items> = Op extends Operator ? Items extends true ? OperatorValuesOnArrays[Op] : OperatorValues[Op]
  : never

/** `null`, if the filter allows `isnull`. */
type Nullable<Op, Ops> = Op extends 'eq' | 'ne' ? 'isnull' extends Ops ? null : never : never

/** Operators that tell which of two values is greater. */
type OrderOperator = 'lt' | 'lte' | 'gt' | 'gte' | 'between'

/**
 * The values that an operator compares with. Decimals and bigints may be strings in their entity, where TypeScript
 * cannot tell them from other texts. So a number stands for a text wherever the two are put in order, and nowhere else.
 */
type InOrder<Value, Op> = Op extends OrderOperator ? string extends Value ? Date extends Value ? Value : Value | number
  : Value
  : Value

type ByOperators<Value, Items, Default, Ops> =
  | BareOperands<InOrder<Value, Default>>[ValueOf<Default, Items>]
  | ('isnull' extends Ops ? null : never)
  | ('in' extends Ops ? Several<Value, Default, ValueOf<Default, Items>> : never)
  | { readonly [Op in Ops & string]?: Operands<InOrder<Value, Op>>[ValueOf<Op, Items>] | Nullable<Op, Ops> }

/** A list of values means `in`, unless the default operator gives it another meaning. */
type Several<Value, Default, Kind> = Default extends 'in' ? readonly Value[]
  : Kind extends 'one' | 'text' ? readonly Value[]
    : never

/** The values that a client may pass for a filter. */
export type FilterValues<Entity, Filter> = Filter extends { readonly '~ignored': infer Ignored }
  ? Given<Entity, Filter> | (keyof Ignored & string)
  : Given<Entity, Filter>

type Given<Entity, Entry> = Entry extends
{ readonly kind: infer Kind extends Filter['kind'], readonly '~url': infer Url } ? Inputs<Entity, Url>[Kind]
  : never

/** The values that a client may pass for a filter, by the filter's kind. */
interface Inputs<Entity, Url> extends Record<Filter['kind'], unknown> {
  readonly operators: OperatorInput<Entity, Url>
  readonly partial: string | { readonly [Op in PartialOperator]?: string }
  readonly search: string
  readonly fullText: string
  readonly trashed: 'with' | 'only' | 'without'
  readonly scope: ScopeInput<Url>
  readonly anyOf: AnyValue
  readonly custom: AnyValue | readonly AnyValue[]
}

type OperatorInput<Entity, Url> = Url extends InUrl<
  infer Path extends string,
  unknown,
  OperatorsInUrl<infer Default, infer Ops, infer Json>
> ? WithDefaults<Compared<Entity, Path, Json>, IsArray<PathTarget<Entity, Path>>, Default, Ops>
  : never

/** A scope without parameters is switched on or off. */
type ScopeInput<Url> = Url extends InUrl<unknown, unknown, infer Params>
  ? [keyof Params] extends [never] ? boolean : AnyValue | readonly AnyValue[]
  : never

/** Fills in defaults: the default operator is `eq`, and only the default operator is allowed. */
type WithDefaults<Value, Items, Default, Ops> = IsAny<Default> extends true ? WithDefaults<Value, Items, 'eq', Ops>
  : ByOperators<Value, Items, Default, IsAny<Ops> extends true ? Default : Ops>

/** The values that a client may pass if nothing is known about the filters. */
export type AnyFilter = AnyOperand | { readonly [Op in Operator]?: AnyOperand }
type AnyOperand = AnyValue | null | readonly AnyValue[]

/** The type of a property in a body. Dates and bigints are written as in JSON. */
type BodyValue<T> = IsAny<T> extends true ? AnyJson
  : KindOf<T> extends 'scalar' ? Written<T> | (null extends T ? null : undefined extends T ? null : never)
    : WireInput<T>

type Names<Entity, Listed> = Listed extends readonly (infer Name)[] ? Extract<Name, Key<Entity>> : Key<Entity>

type Properties<Entity, Writable, Operation extends 'create' | 'update'> = {
  [Name in Names<Entity, Listed<Writable, Operation>>]: KindOf<Entity[Name]> extends never ? never : Name
}[Names<Entity, Listed<Writable, Operation>>]

/** Properties that a body must contain: they are not nullable and not a list, and they have no default. */
type Needed<Entity, Name extends Key<Entity>> = Name extends unknown ? IsAny<Entity[Name]> extends true ? never
  : undefined extends Entity[Name] ? never
    : null extends Entity[Name] ? never
      : keyof Opt.Brand extends keyof NonNullable<Entity[Name]> ? never
        : KindOf<Entity[Name]> extends 'many' ? never
          : Name extends OptionalOf<Entity> ? never
            : Name
  : never

type OptionalOf<Entity> = typeof OptionalProps extends keyof Entity ? Entity[typeof OptionalProps] : never

/**
 * The body of a new record. A required property is only demanded if `writable` is a list that names it.
 *
 * `Filled`: a hook or a scope of the server may fill in properties that the body omits.
 */
export type CreateBody<Entity, Writable, Filled extends boolean> = IsAny<Entity> extends true ? AnyRecord
  : Properties<Entity, Writable, 'create'> extends infer Name extends Key<Entity> ?
      & Split<
        Entity,
        Name,
        [Filled, Listing<Listed<Writable, 'create'>>] extends [false, true] ? Needed<Entity, Name> : never
      >
      & {
        [Name in ChildName<Entity, Listed<Writable, 'create'>>]?: ReadonlyArray<
          CreateBody<Target<Entity[Name]>, ChildLists<Listed<Writable, 'create'>, Name>, Filled>
        >
      }
    : never

/** Whether the names of a list are known. */
type Listing<List> = List extends ReadonlyArray<infer Name> ? string extends Extract<Name, string> ? false : true
  : false

/** The relations whose children a list of `writable` names. */
export type ChildName<Entity, List> = List extends ReadonlyArray<infer Entry> ? NamesIn<Entry> & Key<Entity> : never

/** A list whose names are not known has members that may be missing. */
type NamesIn<Entry> = Entry extends string ? never : {
  [Name in keyof Entry & string]: undefined extends Entry[Name] ? never : Name
}[keyof Entry & string]

/** What may be set of the children of a relation. */
type ChildLists<List, Name extends string> = List extends ReadonlyArray<infer Entry> ? Extract<
    Entry,
    { readonly [N in Name]: unknown }
  > extends infer Found ? Found extends { readonly [N in Name]: infer Lists } ? Lists : never
  : never
  : never

/** A list of `writable` for an operation. */
export type Listed<Writable, Operation extends 'create' | 'update'> = Writable extends 'all' | readonly unknown[]
  ? Writable
  : Operation extends keyof Writable ? Writable[Operation]
    : Writable extends object ? []
      : AnyJson

/** The changes of the children of a relation. */
interface ChildChanges<Child, Lists, Filled extends boolean> {
  readonly add?: ReadonlyArray<CreateBody<Child, Lists, Filled>>
  /** Each names a child by its key. */
  readonly update?: ReadonlyArray<UpdateBody<Child, Lists> & ChildKey<Child>>
  readonly remove?: ReadonlyArray<ChildKey<Child> extends { id: infer Id } ? Id : AnyJson>
}

type ChildKey<Child> = 'id' extends Key<Child> ? { id: BodyValue<Child['id' & keyof Child]> } : AnyRecord

type Split<Entity, Name extends Key<Entity>, Must> =
  & { [K in Extract<Name, Must>]: BodyValue<Entity[K]> }
  & { [K in Exclude<Name, Must>]?: BodyValue<Entity[K]> }

/** The body of a change. */
export type UpdateBody<Entity, Writable> = IsAny<Entity> extends true ? AnyRecord
  :
    & OwnChanges<Entity, Writable>
    & {
      [Name in ChildName<Entity, Listed<Writable, 'update'>>]?: ChildChanges<
        Target<Entity[Name]>,
        ChildLists<Listed<Writable, 'update'>, Name>,
        true
      >
    }

/** The body of a change that writes no children. */
export type OwnChanges<Entity, Writable> = IsAny<Entity> extends true ? AnyRecord
  : { [Name in Properties<Entity, Writable, 'update'>]?: BodyValue<Entity[Name & keyof Entity]> }

/** The body of an upsert. None of its properties is required, because a record that exists needs only its key. */
export type UpsertBody<Entity, Writable> = IsAny<Entity> extends true ? AnyRecord
  : { [Name in Properties<Entity, Writable, 'create'>]?: BodyValue<Entity[Name]> } & OwnChanges<Entity, Writable>
