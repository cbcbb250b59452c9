/** Combines conditions that lead through the same relations. */
import type { RelationProperty } from '../../model/index.ts'
import { operatorFormOf } from '../../operators/index.ts'
import type { Condition } from '../condition-types.ts'

/** Conditions that must all hold. All conditions on the same relation path must hold for the same related row. */
export class ConditionTree {
  readonly conditions: Condition[] = []
  #related: Map<RelationProperty, ConditionTree> | undefined

  /** @param depth the number of relations that lead to this tree */
  add (relations: readonly RelationProperty[], condition: Condition, depth = 0): void {
    const relation = relations[depth]
    if (relation === undefined) {
      this.conditions.push(condition)
      return
    }
    const related = this.#related ??= new Map()
    let tree = related.get(relation)
    if (tree === undefined) {
      related.set(relation, tree = new ConditionTree())
      this.conditions.push({ kind: 'related', relation, conditions: tree.conditions })
    }
    tree.add(relations, condition, depth + 1)
  }
}

/** A condition on a record that these relations lead to. */
interface Branch {
  readonly relations: readonly RelationProperty[]
  readonly condition: Condition
}

/** Combines conditions of which at least one must hold. */
export const anyOf = (alternatives: readonly Branch[]): Condition => either(alternatives.map(behindRelations))

const behindRelations = ({ relations, condition }: Branch): Condition =>
  relations.reduceRight<Condition>((inner, relation) => ({ kind: 'related', relation, conditions: [inner] }), condition)

/**
 * Combines conditions of which at least one must hold. Those behind the same relation share one sub-query: there is a
 * related row for one of them, or for another, if there is one for which at least one of them holds.
 */
export function either (alternatives: readonly Condition[]): Condition {
  const all = alternatives.flatMap((one) => one.kind === 'any' ? one.conditions : [one])
  const conditions: Condition[] = all.filter(({ kind }) => kind !== 'related')
  const behind = all.filter((condition) => condition.kind === 'related')
  for (const [relation, related] of Map.groupBy(behind, ({ relation }) => relation)) {
    conditions.push(
      related.length === 1
        ? related[0]!
        : { kind: 'related', relation, conditions: [either(related.map(({ conditions }) => together(conditions)))] }
    )
  }
  return conditions.length === 1 ? conditions[0]! : { kind: 'any', conditions }
}

/** One condition for several that must all hold. */
export const together = (conditions: readonly Condition[]): Condition =>
  conditions.length === 1 ? conditions[0]! : { kind: 'all', conditions }

/**
 * Combines the negations among conditions that must all hold, as far as they are about related rows: no row may match
 * one of them if none may match any.
 */
export function withOneNegation (conditions: readonly Condition[]): readonly Condition[] {
  const negated = conditions.filter((condition) => condition.kind === 'unless' && leadsAway(condition.conditions))
  if (negated.length < 2) return conditions
  const inner = negated.map((condition) => together((condition as NegatedCondition).conditions))
  return [
    ...conditions.filter((condition) => !negated.includes(condition)),
    { kind: 'unless', conditions: [either(inner)] },
  ]
}

type NegatedCondition = Extract<Condition, { readonly kind: 'unless' }>

const leadsAway = (conditions: readonly Condition[]): boolean =>
  conditions.length === 1 && conditions[0]!.kind === 'related'

/** What may be expensive in conditions: sub-queries, and patterns, for which few texts have an index. */
export function costOf (conditions: readonly Condition[]): { readonly subQueries: number, readonly patterns: number } {
  let [subQueries, patterns] = [0, 0]
  for (const condition of conditions) {
    if (condition.kind === 'related' || ('operand' in condition && condition.operand.kind === 'number')) subQueries++
    if (isPattern(condition)) patterns++
    if ('conditions' in condition) {
      const inner = costOf(condition.conditions)
      subQueries += inner.subQueries
      patterns += inner.patterns
    }
  }
  return { subQueries, patterns }
}

function isPattern (condition: Condition): boolean {
  if (condition.kind !== 'compare' || !('type' in condition.operand)) return false
  return operatorFormOf(condition.operator, condition.operand.type).index === 'trigrams'
}
