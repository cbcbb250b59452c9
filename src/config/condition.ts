/** The types of conditions on the rows of an entity, as an application writes them. */
import type { FilterQuery, Scalar } from '@mikro-orm/core'
import type { AnyKey, IsAny, KindOf, Target } from './paths.ts'

/** A condition on rows of an entity, in MikroORM's query language. For an entity without a type, any object. */
export type Condition<Entity> = IsAny<Entity> extends true ? object
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
