/** The values of filters, keys and bodies, as types: what JSON has, and JavaScript values that are written as it. */
import type { Opt, OptionalProps, Primary } from '@mikro-orm/core'
import type { Filter, InUrl, IsAny, Key, KindOf, OperatorsInUrl, PathTarget } from '../config/index.ts'
import type { One, Wire, WireInput } from '../crud/index.ts'
import type { Operator, OperatorValues, OperatorValuesOnArrays, PartialOperator } from '../operators/index.ts'

/** A value of a filter of which no more is known. */
export type AnyValue = string | number | bigint | boolean | Date

/** What a value of an entity is written as. */
type Written<T> = IsAny<T> extends true ? any : WrittenOf<NonNullable<T>>

type WrittenOf<T> = T extends Date ? string | Date
  : T extends bigint ? string | number | bigint
    : T extends boolean ? boolean
      : Wire<T>

/** One part of a key; text of it would do, since a path is text. */
type KeyPart<T> = IsAny<T> extends true ? KeyText : T extends number | bigint ? KeyText : string

/** The key of a record: the primary key, or its `uuid`; of a composite key the list of its parts, in order. */
export type KeyOf<Entity> = IsAny<Entity> extends true ? AnyKey
  : Primary<Entity> extends infer Keys ? IsAny<Keys> extends true ? AnyKey
    : Keys extends readonly unknown[] ? { readonly [Index in keyof Keys]: KeyPart<Keys[Index]> }
      : KeyPart<Keys> | ('uuid' extends Key<Entity> ? string : never)
    : never

type KeyText = string | number | bigint
type AnyKey = KeyText | readonly KeyText[]

/** The value that a filter compares with: of a relation its key, of an array one item, of JSON the declared type. */
type Compared<Entity, Path extends string, Json> = IsAny<Json> extends true ? ComparedWith<PathTarget<Entity, Path>>
  : Json extends 'string' ? string
    : Json extends 'number' ? number
      : Json extends 'boolean' ? boolean
        : AnyValue

type ComparedWith<T> = IsAny<T> extends true ? AnyValue
  : KindOf<T> extends 'one' ? ReferenceKey<KeyOf<One<T>>>
    : NonNullable<T> extends readonly (infer Item)[] ? Written<Item>
      : KindOf<T> extends 'scalar' ? Written<T>
        : AnyValue

type ReferenceKey<K> = K extends readonly unknown[] ? AnyValue : K

type IsArray<T> = IsAny<T> extends true ? false : NonNullable<T> extends readonly unknown[] ? true : false

/** The values of operators, by how they are written in the URL. */
interface Operands<Value> {
  readonly one: Value
  readonly text: string
  readonly list: readonly Value[]
  readonly items: readonly Value[]
  readonly pair: readonly [low: Value, high: Value]
  readonly boolean: boolean
}

/** The same without the operator's name: an operator that takes a list takes an item, and a pair cannot be written. */
interface BareOperands<Value> extends Omit<Operands<Value>, 'list' | 'items' | 'pair'> {
  readonly list: Value
  readonly items: Value
  readonly pair: never
}

/** How the value of an operator is written, for a property that is an array (`Items`) or not. */
type ValueOf<Op, Items> = Op extends Operator ? Items extends true ? OperatorValuesOnArrays[Op] : OperatorValues[Op]
  : never

/** `null` where the filter can say so, as `isnull`. */
type Nullable<Op, Ops> = Op extends 'eq' | 'ne' ? 'isnull' extends Ops ? null : never : never

type ByOperators<Value, Items, Default, Ops> =
  | BareOperands<Value>[ValueOf<Default, Items>]
  | ('isnull' extends Ops ? null : never)
  | ('in' extends Ops ? Several<Value, Default, ValueOf<Default, Items>> : never)
  | { readonly [Op in Ops & string]?: Operands<Value>[ValueOf<Op, Items>] | Nullable<Op, Ops> }

/** Several values are an `in`, unless the default operator makes another list of them. */
type Several<Value, Default, Kind> = Default extends 'in' ? readonly Value[]
  : Kind extends 'one' | 'text' ? readonly Value[]
    : never

/** What a client may write for a filter. */
export type FilterInput<Entity, Filter> = Filter extends { readonly '~ignored': infer Ignored }
  ? Given<Entity, Filter> | (keyof Ignored & string)
  : Given<Entity, Filter>

type Given<Entity, Entry> = Entry extends
{ readonly kind: infer Kind extends Filter['kind'], readonly '~url': infer Url } ? Inputs<Entity, Url>[Kind]
  : never

/** What a client may write for a filter, by the kind of the filter. */
interface Inputs<Entity, Url> extends Record<Filter['kind'], unknown> {
  readonly operators: OperatorInput<Entity, Url>
  readonly partial: string | { readonly [Op in PartialOperator]?: string }
  readonly search: string
  readonly trashed: 'with' | 'only' | 'without'
  readonly scope: ScopeInput<Url>
  readonly anyOf: AnyValue
  readonly custom: AnyValue | readonly AnyValue[]
}

type OperatorInput<Entity, Url> = Url extends InUrl<
  infer Path extends string,
  any,
  OperatorsInUrl<infer Default, infer Ops, infer Json>
> ? WithDefaults<Compared<Entity, Path, Json>, IsArray<PathTarget<Entity, Path>>, Default, Ops>
  : never

/** Without parameters, a scope is switched on or off. */
type ScopeInput<Url> = Url extends InUrl<any, any, infer Params>
  ? [keyof Params] extends [never] ? boolean : AnyValue | readonly AnyValue[]
  : never

/** An operator that was not given is `eq`; allowed operators that were not given are the default one. */
type WithDefaults<Value, Items, Default, Ops> = IsAny<Default> extends true ? WithDefaults<Value, Items, 'eq', Ops>
  : ByOperators<Value, Items, Default, IsAny<Ops> extends true ? Default : Ops>

/** What may be written where nothing is known of the filters. */
export type AnyFilter = AnyOperand | { readonly [Op in Operator]?: AnyOperand }
type AnyOperand = AnyValue | null | readonly AnyValue[]

/** A property of a body. Dates and bigints are written as JSON has them. */
type BodyValue<T> = IsAny<T> extends true ? any
  : KindOf<T> extends 'scalar' ? Written<T> | (null extends T ? null : undefined extends T ? null : never)
    : WireInput<T>

type Names<Entity, Listed> = Listed extends readonly (infer Name)[] ? Name & Key<Entity> : Key<Entity>

type Listed<Writable, Operation extends 'create' | 'update'> = Writable extends 'all' | readonly unknown[] ? Writable
  : Operation extends keyof Writable ? Writable[Operation]
    : Writable extends object ? []
      : any

type Properties<Entity, Writable, Operation extends 'create' | 'update'> = {
  [Name in Names<Entity, Listed<Writable, Operation>>]: KindOf<Entity[Name]> extends never ? never : Name
}[Names<Entity, Listed<Writable, Operation>>]

/** Properties that have no value of their own: neither null, nor a default, nor a list. */
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
 * The body of a new record. Only a list of names tells that a required one may be written.
 *
 * `Filled`: a hook or a scope of the server may fill in what a body leaves out.
 */
export type CreateBody<Entity, Writable, Filled extends boolean> = IsAny<Entity> extends true ? Record<string, any>
  : Properties<Entity, Writable, 'create'> extends infer Name extends Key<Entity> ? Split<
      Entity,
      Name,
      [Filled, Listing<Listed<Writable, 'create'>>] extends [false, true] ? Needed<Entity, Name> : never
    >
    : never

/** Whether a list of names is known. */
type Listing<List> = List extends readonly string[] ? string extends List[number] ? false : true : false

type Split<Entity, Name extends Key<Entity>, Must> =
  & { [K in Extract<Name, Must>]: BodyValue<Entity[K]> }
  & { [K in Exclude<Name, Must>]?: BodyValue<Entity[K]> }

/** The body of a change. */
export type UpdateBody<Entity, Writable> = IsAny<Entity> extends true ? Record<string, any>
  : { [Name in Properties<Entity, Writable, 'update'>]?: BodyValue<Entity[Name & keyof Entity]> }
