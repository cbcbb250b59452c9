/**
 * The names of an entity's properties, as types: `name`, `author.name`, `products.tags.name`. And the conditions on the
 * rows of an entity, which are made of them.
 *
 * A path is checked when it is written. The paths of an entity are never listed, because entities that refer to each
 * other have more of them than a type checker can hold. Some facts are not in the types, e.g. which side owns a
 * relation, or whether a plain object is an entity or JSON. Then the path is accepted here, and the check against the
 * metadata at start-up decides.
 */
import type { FilterQuery, Hidden, HiddenProps, LazyRef, PrimaryKeyProp, Scalar } from '@mikro-orm/core'

/** The purpose of a path, which determines the kinds that it may pass through and end in. */
export type PathUse = 'filter' | 'text' | 'sort' | 'group' | 'field' | 'include' | 'count' | 'aggregate'

/**
 * The kind of a property: a column, a to-one or to-many relation, a plain object or an array of them (JSON, embedded,
 * or entities that are not recognized), or `any`.
 */
type Kind = 'scalar' | 'one' | 'many' | 'object' | 'objects' | 'any'

/** The kinds that a path may pass through. */
interface Passes {
  filter: 'one' | 'many' | 'object' | 'objects'
  text: 'one' | 'object'
  sort: 'one' | 'object'
  group: 'one' | 'object'
  field: 'one' | 'many' | 'object' | 'objects'
  include: 'one' | 'many' | 'object' | 'objects'
  count: 'one' | 'many' | 'object' | 'objects'
  aggregate: 'one' | 'many' | 'object' | 'objects'
}

/** The kinds that a path may end in. */
interface Ends {
  filter: 'scalar' | 'one' | 'object' | 'objects' | 'any'
  text: 'scalar' | 'any'
  sort: 'scalar' | 'one' | 'object' | 'any'
  group: 'scalar' | 'one' | 'object' | 'any'
  field: 'scalar' | 'one' | 'object' | 'objects' | 'any'
  include: 'one' | 'many' | 'object' | 'objects' | 'any'
  count: 'many' | 'objects' | 'any'
  aggregate: 'scalar' | 'any'
}

/** The words for them in the refusal. */
interface Wanted {
  filter: 'a property to filter by'
  text: 'a text to search'
  sort: 'a property to sort by'
  group: 'a property to group by'
  field: 'a property to select'
  include: 'a relation'
  count: 'a to-many relation'
  aggregate: 'a property behind a to-many relation'
}

export type IsAny<T> = 0 extends 1 & T ? true : false

// Shapes instead of MikroORM's classes: matching a class makes the checker expand all of its methods.
type CollectionLike<Target = unknown> = { [index: number]: Target, loadCount: unknown, matching: unknown }
type ReferenceLike<Target = unknown> = { unwrap(): Target, getEntity: unknown }
type ScalarReferenceLike<Value = unknown> = { unwrap(): Value }

/** String keys that MikroORM uses itself. */
type InternalKey =
  | 'EntityRepositoryType'
  | 'PrimaryKeyProp'
  | 'OptionalProps'
  | 'EagerProps'
  | 'HiddenProps'
  | 'IndexHints'
  | '__selectedType'
  | '__loadedType'

/** An entity is recognized by its primary key: a declared one, or one of the names that MikroORM uses by default. */
type IsEntity<T> = [(typeof PrimaryKeyProp | 'id' | '_id' | 'uuid') & keyof T] extends [never] ? false : true

type HiddenKey<Entity> = typeof HiddenProps extends keyof Entity ? Entity[typeof HiddenProps] : never

/** All names, including those of hidden properties. */
export type AnyKey<Entity> = Exclude<keyof Entity & string, InternalKey>

/** The names of properties. They include functions, which have no kind. */
export type Key<Entity> = Exclude<keyof Entity & string, InternalKey | HiddenKey<Entity>>

export type KindOf<T> = IsAny<T> extends true ? 'any' : KindOfEach<NonNullable<T>>

type KindOfEach<T> = T extends (...args: never[]) => unknown ? never
  : keyof Hidden.Brand extends keyof T ? never
    : T extends Scalar ? 'scalar'
      : keyof LazyRef.Brand<unknown> extends keyof T ? 'one'
        : T extends CollectionLike ? 'many'
          : T extends ReferenceLike ? 'one'
            : T extends ScalarReferenceLike<infer Value> ? KindOfEach<NonNullable<Value>>
              : T extends ReadonlyArray<infer Item> ? NonNullable<Item> extends Scalar ? 'scalar' : 'objects'
                : T extends object ? IsEntity<T> extends true ? 'one' : 'object'
                  : 'scalar'

/** The type behind a property: the related entity, or the embedded object. */
export type Target<T> = IsAny<T> extends true ? Unfollowed : TargetOfEach<NonNullable<T>>

type TargetOfEach<T> = T extends Scalar ? never
  : keyof LazyRef.Brand<unknown> extends keyof T ? T extends LazyRef.Brand<infer Entity> ? Entity : never
    : T extends CollectionLike<infer Entity> ? Entity
      : T extends ScalarReferenceLike<infer Entity> ? NonNullable<Entity>
        : T extends ReadonlyArray<infer Item> ? NonNullable<Item>
          : T

/** The number of relations that a path may still pass, as a tuple. */
type Depth = readonly unknown[]
type MaxDepth = readonly [1, 2, 3]

/** Whether a path fits: `true`, or `false` or never. A union of entities fits if one of its members does. */
type Fits<Entity, Path extends string, Use extends PathUse, Left extends Depth> = IsAny<Entity> extends true ? true
  : Entity extends unknown
    ? Path extends `${infer Head}.${infer Tail}`
      ? Head extends Key<Entity> ? FitsBehind<Entity[Head], KindOf<Entity[Head]>, Tail, Use, Left> : false
      : Path extends Key<Entity> ? FitsAtEnd<KindOf<Entity[Path]>, Use, Left>
        : false
    : never

/** The purposes whose paths leave one relation through another. */
type Onward = 'include' | 'count'

type FitsAtEnd<K extends Kind, Use extends PathUse, Left extends Depth> = K extends Ends[Use]
  ? Use extends Onward ? Left extends readonly [unknown, ...unknown[]] ? true : false
    // an aggregate needs a relation, because a property of the entity itself has no related records
    : Use extends 'aggregate' ? Left extends MaxDepth ? false : true
      : true
  : false

type FitsBehind<T, K extends Kind, Tail extends string, Use extends PathUse, Left extends Depth> = K extends 'any'
  ? true
  : K extends Passes[Use] ? K extends 'object' ? Fits<Target<T>, Tail, Use, Left>
    : Left extends readonly [unknown, ...infer Rest] ? Fits<Target<T>, Tail, Use, Rest>
      : false
    : false

/**
 * `true` for a path of the entity that suits the purpose, otherwise a sentence that describes the mistake. Paths and
 * entities that are unknown to the type checker are accepted, because the check at start-up decides.
 */
export type PathCheck<Entity, Path extends string, Use extends PathUse> = string extends Path ? any
  : Path extends string ? true extends Fits<Entity, Path, Use, MaxDepth> ? true
    : true extends IsNumber<Entity, Path, Use> ? true
      : `'${Path}' is not ${Wanted[Use]} of this entity`
    : never

/**
 * Whether a name may be that of a number about a relation, such as `productsCount`, which filters and sorts may name.
 * Start-up checks that it is an allowed include.
 */
type IsNumber<Entity, Path extends string, Use extends PathUse> = Use extends 'filter' | 'sort'
  ? Path extends `${FirstWord<Key<Entity>>}${string}${NumberEnd}` ? true : false
  : false

type NumberEnd = 'Count' | 'Exists' | 'Sum' | 'Min' | 'Max' | 'Avg'

/** The beginning of a name in camel case: `line` of `line_items`, which becomes `lineItems`. */
type FirstWord<Name extends string> = Name extends `${infer Word}_${string}` ? Word : Name

/** What a path leads to that types do not follow. */
type Unfollowed = any // any: the path is accepted, and start-up checks it

/** The entity at the end of a path of relations, or `any` if the type checker can't follow the path. */
type TargetAt<Entity, Path extends string> = IsAny<Entity> extends true ? Unfollowed
  : Path extends `${infer Head}.${infer Tail}`
    ? Head extends Key<Entity> ? TargetAt<Target<Entity[Head]>, Tail> : Unfollowed
    : Path extends Key<Entity> ? Target<Entity[Path]>
      : Unfollowed

/**
 * The type of the property at the end of a path, or `any` if the type checker can't follow the path.
 *
 * @internal
 */
export type PathTarget<Entity, Path extends string> = IsAny<Entity> extends true ? Unfollowed
  : Path extends `${infer Head}.${infer Tail}`
    ? Head extends Key<Entity> ? PathTarget<Target<Entity[Head]>, Tail> : Unfollowed
    : Path extends Key<Entity> ? Entity[Path]
      : Unfollowed

/** The name in an item of `defaultSort` or `sort`, without its sign. */
export type Unsigned<Sort extends string> = Sort extends `${'+' | '-'}${infer Name}` ? Name : Sort

/** `PathCheck` for an include, and for its sorts, which are paths of the included entity. */
export type IncludeCheck<Entity, Path extends string, Sort extends string> = [Sort] extends [never]
  ? PathCheck<Entity, Path, 'include'>
  : PathCheck<Entity, Path, 'include'> extends true ? PathCheck<TargetAt<Entity, Path>, Unsigned<Sort>, 'sort'>
    : PathCheck<Entity, Path, 'include'>

/** Names that an editor suggests: the entity's own and those of its relations. Other names may also be valid. */
export type PathHint<Entity, Use extends PathUse> = IsAny<Entity> extends true ? string
  : OwnHint<Entity, Use> | RelatedHint<Entity, Use> | (string & {})

type OwnHint<Entity, Use extends PathUse> = {
  [K in Key<Entity>]: Extract<KindOf<Entity[K]>, Ends[Use]> extends never ? never
    : K
}[Key<Entity>]

type RelatedHint<Entity, Use extends PathUse> = {
  [K in Key<Entity>]: Extract<KindOf<Entity[K]>, Exclude<Passes[Use], 'object' | 'objects'>> extends never ? never
    : Target<Entity[K]> extends infer Related ? `${K}.${OwnHint<Related, Use>}`
      : never
}[Key<Entity>]

/** A condition on rows of an entity, in MikroORM's query language. For an entity without a type, any object. */
export type EntityCondition<Entity> = IsAny<Entity> extends true ? object
  : Entity extends object ? FilterQuery<Entity>
    : object

/**
 * `never`, or a sentence for each mistake in a condition that a function returns: a name that is not the name of a
 * property, and a value of another type. TypeScript itself accepts a misspelt name in the result of a function if
 * another name of the result exists.
 */
export type ConditionMistake<Entity, Given> = IsAny<Entity> extends true ? never
  : IsAny<Given> extends true ? never
    : Given extends Scalar | undefined ? never
      : Given extends ReadonlyArray<infer Member> ? ConditionMistake<Entity, Member>
        : {
            [Name in keyof Given & string]-?: string extends Name ? never
              : Name extends Group ? ConditionMistake<Entity, Given[Name]>
                : Name extends `$${string}` ? never
                  : Name extends AnyKey<Entity> ? ValueMistake<Name, Entity[Name], Given[Name]>
                    : `'${Name}' is not a property of this entity`
          }[keyof Given & string]

/** Operators whose values are conditions on the same entity. */
type Group = '$and' | '$or' | '$not' | '$some' | '$every' | '$none'

type ValueMistake<Name extends string, Property, Given> = KindOf<Property> extends infer Kind
  ? Kind extends 'one' | 'many' ? ConditionMistake<Target<Property>, Given>
    : Kind extends 'scalar' ? WrongValue<Name, Comparable<NonNullable<Property>>, Given>
      : never
  : never

/** A mistake in a plain value. Operators, and objects such as the result of `raw`, are not looked into. */
type WrongValue<Name extends string, Value, Given> = Given extends string | number | boolean
  ? Given extends Value ? never : `'${Name}' cannot be compared with a value of this type`
  : never

/** The plain values that a property can be compared with. */
type Comparable<T> = T extends string ? string
  : T extends number ? number
    : T extends boolean ? boolean
      : T extends Date ? string
        : T extends bigint ? string | number
          : string | number | boolean
