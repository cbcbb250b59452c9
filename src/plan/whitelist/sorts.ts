/** Looks up the properties that allowed sorts and the default order name. */
import { readSignedName, type Sort } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import {
  isComparable, leadsToHidden, publicPath, resolvePath, type EntityModel, type RelationProperty,
} from '../../model/index.ts'
import type { FilterEntry } from '../filters/index.ts'
import type { CustomTarget, RelatedNumbers, Sortable } from '../condition-types.ts'
import type { WithAlias } from '../alias.ts'
import { checkNumber } from '../missing-number.ts'
import { describe, operandOf, valuesOf } from '../operand.ts'

interface SortTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand: Sortable
}

export interface SortEntry extends WithAlias {
  readonly targets: readonly (SortTarget | CustomTarget)[]
  /** Whether the order is descending if the request gives no sign. */
  readonly descending: boolean
}

/** A term of the order that applies if the request has no sort. */
export interface DefaultTerm {
  readonly target: SortTarget | CustomTarget
  readonly descending: boolean
}

export function sortEntries (sort: Sort, model: EntityModel, numbers: RelatedNumbers): SortEntry[] {
  if (sort.kind === 'custom') return [customEntry(sort, model)]
  const targets = sort.fields.map((field) => sortTarget(field, model, `AllowedSort '${field}'`, numbers))
  const descending = sort.direction === 'desc'
  if (sort.alias !== undefined) {
    const aliasOf = targets.length === 1 ? targets[0]!.name : undefined
    return [{ name: sort.alias, aliasOf, targets, descending }]
  }
  return targets.map(({ name, ...target }) => ({ name, targets: [target], descending }))
}

/** The sort by relevance that a full-text filter allows. */
export function relevanceEntries (filter: FilterEntry): SortEntry[] {
  if (filter.kind !== 'fullText') return []
  const { name, relevance } = filter
  return [{ name, targets: [{ relations: [], operand: relevance }], descending: false }]
}

/**
 * A custom sort can have any name, except that of a hidden property and a path to one. Such a name would disclose that
 * the property exists.
 */
function customEntry (
  { field, alias, callback, direction }: Extract<Sort, { kind: 'custom' }>,
  model: EntityModel
): SortEntry {
  if (leadsToHidden(model, field)) resolvePath(model, field, `AllowedSort.custom '${field}'`)
  return { name: alias ?? field, targets: [{ sort: field, callback }], descending: direction === 'desc' }
}

/**
 * @param what the entry of the whitelist, for messages
 * @param numbers the numbers about relations that the field may name
 */
export function sortTarget (
  field: string,
  model: EntityModel,
  what: string,
  numbers?: RelatedNumbers
): SortTarget & { readonly name: string } {
  const number = numbers?.get(field)
  if (number !== undefined) return { name: field, relations: [], operand: number }
  if (numbers !== undefined) checkNumber(field, model, what)
  const path = resolvePath(model, field, what)
  const many = path.relations.find((relation) => relation.many)
  if (many !== undefined) throw new ConfigError(`${what}: a sort can't go through the to-many relation '${many.name}'.`)
  const operand = operandOf(path, what)
  const { type } = valuesOf(operand, what)
  if (!isComparable(type)) {
    throw new ConfigError(
      `${what}: this package does not order values of type ${describe(type)}. AllowedSort.custom can.`
    )
  }
  return { name: publicPath(path), relations: path.relations, operand }
}

/** Looks up an item of `defaultSort`, which is the URL name of an allowed sort or a property of the entity. */
export function defaultOrder (
  item: string,
  sorts: ReadonlyMap<string, SortEntry>,
  model: EntityModel,
  numbers: RelatedNumbers
): DefaultTerm[] {
  const { name, descending } = readSignedName(item)
  const entry = sorts.get(name) ?? {
    targets: [sortTarget(name, model, `defaultSort '${item}'`, numbers)],
    descending: false,
  }
  return entry.targets.map((target) => ({ target, descending: descending ?? entry.descending }))
}
