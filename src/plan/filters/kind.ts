/** The interface of filter kinds, and the members that all kinds have in common. */
import {
  leadsToHidden, resolvePath, type EntityModel, type KeyPart, type RelationProperty, type ValueType,
} from '../../model/index.ts'
import { MAX_PATTERN_LENGTH, type Operator, type OperatorForm, type OperatorValue } from '../../operators/index.ts'
import type { FilterParam } from '../../query/index.ts'
import type { WithAlias } from '../alias.ts'
import type { Comparable, RelatedNumbers, TextDocument, Unaccent } from '../condition-types.ts'
import type { Values } from '../values.ts'
import type { Planned } from './planned.ts'

/**
 * Everything that the server needs to know about a kind of filter. `src/config` has the configuration of a kind, and
 * `src/client/input-values.ts` the values that clients write.
 */
export interface FilterKind<Config, Entry> {
  /**
   * Looks up the properties that a filter of the whitelist names.
   *
   * @throws {ConfigError} for unknown names, and for operators and types that do not fit the property
   */
  readonly resolve: (filter: Config, model: EntityModel, numbers: RelatedNumbers) => Entry
  /** Plans a parameter. For kinds without operators, it has no operator and no values that the filter ignores. */
  readonly plan: (param: FilterParam, entry: Entry, values: Values) => Planned
  /** Returns the properties that the filter compares, each with its operators. */
  readonly compared: (entry: Entry) => readonly Compared[]
  /** Returns the texts in which the filter looks for words, if it does. */
  readonly document?: (entry: Entry) => TextDocument
  /** Describes the filter for everyone who documents or offers it. */
  readonly describe: (entry: Entry) => FilterFacts
  /** Whether a parameter may name an operator: entries of the kind have a map of them. */
  readonly takesOperators: Entry extends { readonly operators: unknown } ? true : false
}

/** A property that a filter compares, and the relations that lead to it. */
export interface FilterTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand: Comparable
}

/** A property that a filter compares, and the operators that requests may use. */
export interface Compared extends FilterTarget {
  readonly by: readonly Operator[]
  /** Present if texts are compared without accents. */
  readonly unaccent?: Unaccent | undefined
}

/** What OpenAPI, the explorer and other descriptions of an API say about a filter. */
export interface FilterFacts {
  /** What people take it for. */
  readonly looks: 'operators' | 'partial' | 'search' | 'fullText' | 'anyOf' | 'trashed' | 'scope' | 'custom'
  /** A sentence about the records that it keeps. */
  readonly sentence: string
  /** The property that it compares, if it compares one and its inputs are operators. */
  readonly target?: FilterTarget
  /** The ways to give its value, the default first. */
  readonly inputs: readonly InputFacts[]
}

/** A way to give the value of a filter: by an operator, or without one. */
export interface InputFacts {
  /** Absent if the filter has no operators. */
  readonly operator?: Operator
  /** How the value is written. A `tuple` is a list with a value for each of `parts`. */
  readonly takes: OperatorValue | 'tuple'
  /** The value, or one item of it. Absent if only the server knows what it takes. */
  readonly value?: ValueFacts
  /** The parts of a tuple, in order. */
  readonly parts?: ReadonlyArray<ValueFacts & { readonly name: string }>
  /** The end of a sentence that begins with "Records whose `price`". */
  readonly meaning: string
  /** An example, made of two values of the type, the lower one first. */
  readonly example?: { readonly type: ValueType, readonly of: OperatorForm['example'] }
}

/** The values of a filter. */
export interface ValueFacts {
  readonly type: ValueType
  /** Present if the application defines how the values are written. */
  readonly codec?: KeyPart['codec']
  /** The maximum number of characters. Absent if there is no limit, or if only the property's type has one. */
  readonly maxLength?: number
}

export const TEXT: ValueFacts = { type: { kind: 'text' } }
/** A text to look for. */
export const SEARCHED_TEXT: ValueFacts = { ...TEXT, maxLength: MAX_PATTERN_LENGTH }
export const BOOLEAN: ValueFacts = { type: { kind: 'boolean' } }

/** The facts about a filter without operators, which has one way to give its value. */
export function plainFacts (
  looks: FilterFacts['looks'],
  sentence: string,
  input: Omit<InputFacts, 'meaning'>
): FilterFacts {
  return { looks, sentence, inputs: [{ ...input, meaning: 'matches the value' }] }
}

/** The members that the entries of all kinds have. */
export interface EntryBase extends WithAlias {
  /** The values that the filter ignores. */
  readonly ignored?: ReadonlySet<string>
  /** Present if the filter compares texts without accents. */
  readonly unaccent?: Unaccent | undefined
}

/** How a filter ignores accents. */
export const unaccentOf = ({ unaccent }: { readonly unaccent: boolean | string }): Unaccent | undefined =>
  unaccent === false ? undefined : unaccent

/**
 * Returns the URL name of a filter that can have any name, except that of a hidden property and a path to one. Such a
 * name would disclose that the property exists.
 *
 * @throws {ConfigError} for the name of a hidden property
 */
export function freeName (
  filter: { readonly kind: string, readonly field: string, readonly alias: string | undefined },
  model: EntityModel
): string {
  if (leadsToHidden(model, filter.field)) {
    resolvePath(model, filter.field, `AllowedFilters.${filter.kind} '${filter.field}'`)
  }
  return filter.alias ?? filter.field
}
