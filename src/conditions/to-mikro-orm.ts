/**
 * Trees back to conditions in MikroORM's words, for what only MikroORM can compile. MikroORM itself would also find
 * related rows that are deleted or filtered out: here each condition on related rows says, too, that they can be seen.
 */
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { copyOf } from './plain-object.ts'
import type { RelatedPart, Where, WherePart } from './tree.ts'

/** What makes rows of an entity visible, in MikroORM's words; `undefined` if all of them are. */
export type Visible = (model: EntityModel) => object | undefined

/** A condition in MikroORM's words: an object of its own for each use, since MikroORM changes what it is given. */
type Written = Record<string | symbol, unknown>

/**
 * The condition in MikroORM's words.
 *
 * @param visible what related rows have to be. Default: nothing.
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

/** Adds operators on a relation to others on it, where they are different ones. */
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
    // the row itself has the key: no related row is looked at
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
  if (quantifier === undefined) return guard(condition, relation, visible)
  // every visible one: there is none that is visible, and otherwise
  return quantifier === '$every'
    ? { $none: guard({ $not: condition }, relation, visible) }
    : { [quantifier]: guard(condition, relation, visible) }
}

function guard (condition: object, { target }: RelationProperty, visible: Visible): object {
  const seen = visible(target)
  return seen === undefined ? condition : { $and: [condition, seen] }
}
