/**
 * A condition as a tree with resolved names: a scope, a MikroORM filter, or the `where` of a relation or include.
 * `read-condition.ts` builds it once. Everything that depends on it is a function of its tree. The tree is frozen, and
 * shares no array or object literal with the application's condition.
 */
import type { EmbeddedProperty, RelationProperty, ScalarProperty } from '../model/index.ts'

/** A condition: all of its parts must hold. A condition without parts holds for all rows. */
export type Where = readonly WherePart[]

export type WherePart =
  | GroupPart
  | NotPart
  | ComparePart
  | RelationKeyPart
  | RelatedPart
  | EmbeddedPart
  | SqlPart
  | VerbatimPart

/** `$and` or `$or` */
interface GroupPart {
  readonly kind: 'and' | 'or'
  readonly members: readonly Where[]
}

/** `$not` */
interface NotPart {
  readonly kind: 'not'
  readonly where: Where
}

/** Comparisons of a column or of a relation's key. All must hold: `{ tenant: 5 }`, `{ stars: { $gt: 3, $lt: 5 } }`. */
export interface ComparePart {
  readonly kind: 'compare'
  readonly property: ScalarProperty | RelationProperty
  readonly comparisons: readonly Comparison[]
  /** Whether it was written as a value or a list, without an operator. */
  readonly bare: boolean
}

export interface Comparison {
  /** The operator. A value without an operator has `$eq`, a list has `$in`. */
  readonly operator: string
  readonly value: unknown
}

/** A condition on the key of a to-one relation, which the row itself contains: `{ author: { id: 7 } }`. */
export interface RelationKeyPart {
  readonly kind: 'key'
  readonly relation: RelationProperty
  /** Conditions on the primary key of the related record. */
  readonly where: Where
}

/** A condition on related rows: `{ author: { name: 'Ann' } }`, `{ books: { $some: { sold: true } } }`. */
export interface RelatedPart {
  readonly kind: 'related'
  readonly relation: RelationProperty
  /** Absent if the condition must hold for at least one related row. */
  readonly quantifier?: Quantifier
  readonly where: Where
}

export type Quantifier = '$some' | '$none' | '$every'

/** Conditions on the members of an embedded object. */
interface EmbeddedPart {
  readonly kind: 'embedded'
  readonly property: EmbeddedProperty
  readonly where: Where
}

/**
 * A fragment of SQL and the value it is compared with. The value is an empty list if the fragment is the whole
 * condition.
 */
interface SqlPart {
  readonly kind: 'sql'
  /** The key that `raw()` returns. */
  readonly fragment: symbol
  readonly value: unknown
}

/** A part that only MikroORM can interpret: members of JSON documents, and names that MikroORM gives to columns. */
interface VerbatimPart {
  readonly kind: 'verbatim'
  readonly name: string
  readonly value: unknown
}

/** A condition that holds for all rows. */
export const ALL_ROWS: Where = Object.freeze([])

/** The conditions inside a part. */
export const insideOf = (part: WherePart): readonly Where[] =>
  'members' in part ? part.members : 'where' in part ? [part.where] : []

/** Whether a condition restricts rows. `{}` and `{ $and: [{}] }` hold for all rows. */
export const saysSomething = (where: Where): boolean =>
  where.some((part) => part.kind !== 'and' || part.members.some(saysSomething))
