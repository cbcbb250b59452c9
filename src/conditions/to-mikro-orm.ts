/**
 * Converts trees back to conditions in MikroORM's query language, for conditions that only MikroORM can compile.
 * MikroORM itself would also match related rows that are deleted or filtered out. Each condition on related rows
 * therefore also requires that they are visible.
 */
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { closedIn, closedKey } from './closed-sql.ts'
import type { RelatedPart, Where, WherePart } from './where-tree.ts'

/** The condition for visible rows of an entity, in MikroORM's query language; `undefined` if all rows are visible. */
export type Visible = (model: EntityModel) => object | undefined

/**
 * Converts a tree to a condition in MikroORM's query language. Each part becomes an object with one key, and `$and`
 * holds these objects. As members of one object, parts that compare the same property could replace each other. Each
 * call returns separate objects, because MikroORM changes its arguments.
 *
 * @param visible the condition for visible related rows. Default: all are visible.
 * @example
 * const where = readCondition({ members: { user: 7 } }, team)
 * toMikroOrm(where, () => ({ deleted_at: null })) // { members: { $and: [{ user: 7 }, { deleted_at: null }] } }
 */
export function toMikroOrm (where: Where, visible: Visible = () => undefined): object {
  return allOf(where.flatMap((part) => conditionsOf(part, visible)))
}

/** The condition that all of some conditions hold. */
function allOf (conditions: readonly object[]): object {
  return conditions.length === 1 ? conditions[0]! : conditions.length === 0 ? {} : { $and: conditions }
}

/**
 * The condition that not all of some conditions hold. They stay in a group, even a single one: behind a relation,
 * MikroORM 7.2.1 compares the key of the outer row in place of that of the related row for `{ $not: { id: 7 } }`.
 */
const not = (conditions: readonly object[]): object => ({ $not: { $and: conditions } })

/** The conditions that a part stands for, each with one key. */
function conditionsOf (part: WherePart, visible: Visible): readonly object[] {
  switch (part.kind) {
    case 'and':
    case 'or':
      return [{ [`$${part.kind}`]: part.members.map((member) => toMikroOrm(member, visible)) }]
    case 'not':
      return [not(part.where.flatMap((member) => conditionsOf(member, visible)))]
    case 'compare': {
      const { property: { name }, comparisons, bare } = part
      if (bare) return [{ [name]: closedIn(comparisons[0]!.value) }]
      // one object, because all of them hold for the same related row
      return [{
        [name]: Object.fromEntries(comparisons.map(({ operator, value }) => [operator, closedIn(value, operator)])),
      }]
    }
    // the row itself contains the key, so no related row is read
    case 'key':
      return inside(part.relation, part.where, visible)
    case 'related':
      return [{ [part.relation.name]: related(part, visible) }]
    // MikroORM has no groups inside of embedded objects
    case 'embedded':
      return inside(part.property, part.where, visible)
    case 'sql':
      return [{ [closedKey(part.fragment)]: closedIn(part.value) }]
    case 'verbatim':
      return [{ [part.name]: closedIn(part.value) }]
  }
}

/** Conditions on members of a property of the row itself, each by itself. */
const inside = ({ name }: { readonly name: string }, where: Where, visible: Visible): readonly object[] =>
  where.flatMap((part) => conditionsOf(part, visible)).map((condition) => ({ [name]: condition }))

function related ({ relation, quantifier, where }: RelatedPart, visible: Visible): object {
  const condition = toMikroOrm(where, visible)
  if (quantifier === undefined) return onlyVisible(condition, relation, visible)
  // every visible row matches if no row is visible and does not match
  return quantifier === '$every'
    ? { $none: onlyVisible(not([condition]), relation, visible) }
    : { [quantifier]: onlyVisible(condition, relation, visible) }
}

function onlyVisible (condition: object, { target }: RelationProperty, visible: Visible): object {
  const seen = visible(target)
  const all = seen === undefined ? condition : allOf([condition, seen])
  // for a negation alone, MikroORM 7.2.1 joins the pivot table without the related rows
  return '$not' in all ? { $and: [all] } : all
}
