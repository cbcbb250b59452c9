/** Leaves deleted related rows out of a condition. */
import type { EntityModel } from '../model/index.ts'
import type { RelatedPart, Where, WherePart } from './where-tree.ts'

/**
 * The same condition, except that related rows that are marked as deleted do not count in it.
 *
 * @example
 * aliveOnly(readCondition({ members: { user: 7 } }, team)) // { members: { user: 7, deleted_at: null } }
 */
export function aliveOnly (where: Where): Where {
  return where.every(isOfRow) ? where : Object.freeze(where.map(alivePart))
}

/** Whether a part is a condition on the row itself, without others inside. */
const isOfRow = ({ kind }: WherePart): boolean => kind === 'compare' || kind === 'key' || kind === 'verbatim'

function alivePart (part: WherePart): WherePart {
  switch (part.kind) {
    case 'and':
    case 'or':
      return { ...part, members: part.members.map(aliveOnly) }
    case 'not':
      return { ...part, member: aliveOnly(part.member) }
    case 'embedded':
      return { ...part, where: aliveOnly(part.where) }
    case 'related':
      return aliveRelated(part)
    case 'compare':
    case 'key':
    case 'sql':
    case 'verbatim':
      return part
  }
}

function aliveRelated (part: RelatedPart): RelatedPart {
  const [where, alive] = [aliveOnly(part.where), notDeleted(part.relation.target)]
  // "each row that is not deleted matches" is the same as "no row that is not deleted fails to match"
  return part.quantifier === '$every'
    ? { ...part, quantifier: '$none', where: [{ kind: 'not', member: where }, ...alive] }
    : { ...part, where: [...where, ...alive] }
}

function notDeleted ({ deletedAt }: EntityModel): Where {
  return deletedAt === undefined
    ? []
    : [{ kind: 'compare', property: deletedAt, comparisons: [{ operator: '$eq', value: null }], bare: true }]
}
