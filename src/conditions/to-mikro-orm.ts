/**
 * Converts trees back to conditions in MikroORM's query language, for conditions that only MikroORM can compile.
 * MikroORM itself would also match related rows that are deleted or filtered out. Each condition on related rows
 * therefore also requires that they are visible.
 */
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { copyOf } from './plain-object.ts'
import type { RelatedPart, Where, WherePart } from './tree.ts'

/** The condition for visible rows of an entity, in MikroORM's query language; `undefined` if all rows are visible. */
export type Visible = (model: EntityModel) => object | undefined

/**
 * A condition in MikroORM's query language. Each use gets a separate object, because MikroORM changes its arguments.
 */
type Written = Record<string | symbol, unknown>

/**
 * Converts a tree to a condition in MikroORM's query language.
 *
 * @param visible the condition for visible related rows. Default: all are visible.
 * @example
 * const where = readCondition({ members: { user: 7 } }, team)
 * toMikroOrm(where, () => ({ deleted_at: null })) // { members: { $and: [{ user: 7 }, { deleted_at: null }] } }
 */
export function toMikroOrm (where: Where, visible: Visible = () => undefined): object {
  const written: Written = {}
  const more: object[] = []
  for (const part of where) {
    const [key, value] = entryOf(part, visible)
    if (!Object.hasOwn(written, key)) written[key] = value
    else if (!addOperators(written[key] as object, value as object)) more.push({ [key]: value })
  }
  if (more.length > 0) written['$and'] = [...written['$and'] as object[] | undefined ?? [], ...more]
  return written
}

/** Adds operators to those that a relation already has. Returns false if one of them is already present. */
function addOperators (present: object, operators: object): boolean {
  if (Object.keys(operators).some((operator) => Object.hasOwn(present, operator))) return false
  Object.assign(present, operators)
  return true
}

function entryOf (part: WherePart, visible: Visible): readonly [key: string | symbol, value: unknown] {
  switch (part.kind) {
    case 'and':
    case 'or':
      return [`$${part.kind}`, part.members.map((member) => toMikroOrm(member, visible))]
    case 'not':
      return ['$not', toMikroOrm(part.member, visible)]
    case 'compare': {
      const { property: { name }, comparisons, bare } = part
      return [
        name,
        bare
          ? copyOf(comparisons[0]!.value)
          : Object.fromEntries(comparisons.map(({ operator, value }) => [operator, copyOf(value)])),
      ]
    }
    // the row itself contains the key, so no related row is read
    case 'key':
      return [part.relation.name, toMikroOrm(part.where)]
    case 'related':
      return [part.relation.name, related(part, visible)]
    case 'embedded':
      return [part.property.name, toMikroOrm(part.where, visible)]
    case 'sql':
      return [part.fragment, copyOf(part.value)]
    case 'verbatim':
      return [part.name, copyOf(part.value)]
  }
}

function related ({ relation, quantifier, where }: RelatedPart, visible: Visible): object {
  const condition = toMikroOrm(where, visible)
  if (quantifier === undefined) return onlyVisible(condition, relation, visible)
  // every visible row matches if no row is visible and does not match
  return quantifier === '$every'
    ? { $none: onlyVisible({ $not: condition }, relation, visible) }
    : { [quantifier]: onlyVisible(condition, relation, visible) }
}

function onlyVisible (condition: object, { target }: RelationProperty, visible: Visible): object {
  const seen = visible(target)
  return seen === undefined ? condition : { $and: [condition, seen] }
}
