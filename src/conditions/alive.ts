/** Leaves related rows out of a condition that are deleted or filtered out. */
import type { EntityModel } from '../model/index.ts'
import { insideOf, type RelatedPart, type Where, type WherePart } from './where-tree.ts'

/** The condition that related rows of an entity must fulfil to count. */
type Counting = (model: EntityModel) => Where

/**
 * The same condition, except that related rows that are marked as deleted do not count in it.
 *
 * @example
 * aliveOnly(readCondition({ members: { user: 7 } }, team)) // { members: { user: 7, deleted_at: null } }
 */
export const aliveOnly = (where: Where): Where => withRelated(where, notDeleted)

/** The same condition, except that related rows that MikroORM's filters hide do not count in it. */
export const filteredOnly = (where: Where, filters: ReadonlyMap<EntityModel, Where>): Where =>
  withRelated(where, (model) => filters.get(model) ?? [])

function withRelated (where: Where, counting: Counting): Where {
  return where.every(isLeaf) ? where : Object.freeze(where.map((part) => countingPart(part, counting)))
}

const isLeaf = (part: WherePart): boolean => insideOf(part).length === 0

function countingPart (part: WherePart, counting: Counting): WherePart {
  if (part.kind === 'related') return countingRelated(part, counting)
  if ('members' in part) return { ...part, members: part.members.map((member) => withRelated(member, counting)) }
  return 'where' in part ? { ...part, where: withRelated(part.where, counting) } : part
}

function countingRelated (part: RelatedPart, counting: Counting): RelatedPart {
  const [where, counts] = [withRelated(part.where, counting), counting(part.relation.target)]
  if (counts.length === 0) return { ...part, where }
  // "each row that counts matches" is the same as "no row that counts fails to match"
  return part.quantifier === '$every'
    ? { ...part, quantifier: '$none', where: [{ kind: 'not', where }, ...counts] }
    : { ...part, where: [...where, ...counts] }
}

function notDeleted ({ deletedAt }: EntityModel): Where {
  return deletedAt === undefined
    ? []
    : [{ kind: 'compare', property: deletedAt, comparisons: [{ operator: '$eq', value: null }], bare: true }]
}
