/** Types of values that the types of entities do not show. */

/** A value of any JSON form. A program may use it without a cast. */
export type AnyJson = any // the entity's type does not tell the form

/** A record whose properties are not known. */
export type AnyRecord = Record<string, AnyJson>

/** The entries of a list that is not known. `any` marks it for `IsAny`, which tells it from an empty list. */
export type AnyEntry = any // see IsAny
