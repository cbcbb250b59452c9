/** Combines conditions that lead through the same relations. */
import type { RelationProperty } from '../../model/index.ts'
import type { Condition } from '../types.ts'

/** Conditions that must all hold. All conditions on the same relation path must hold for the same related row. */
export class ConditionTree {
  readonly conditions: Condition[] = []
  readonly #related = new Map<RelationProperty, ConditionTree>()

  add (relations: readonly RelationProperty[], condition: Condition): void {
    const [relation, ...rest] = relations
    if (relation === undefined) {
      this.conditions.push(condition)
      return
    }
    let tree = this.#related.get(relation)
    if (tree === undefined) {
      tree = new ConditionTree()
      this.#related.set(relation, tree)
      this.conditions.push({ kind: 'related', relation, conditions: tree.conditions })
    }
    tree.add(rest, condition)
  }
}

/** A condition on a record that these relations lead to. */
export interface Branch {
  readonly relations: readonly RelationProperty[]
  readonly condition: Condition
}

/** Combines conditions of which at least one must hold. Conditions behind the same relation share one sub-query. */
export function anyOf (alternatives: readonly Branch[]): Condition {
  const conditions: Condition[] = []
  const behind = new Map<RelationProperty, Branch[]>()
  for (const { relations, condition } of alternatives) {
    const [relation, ...rest] = relations
    if (relation === undefined) conditions.push(condition)
    else behind.set(relation, [...behind.get(relation) ?? [], { relations: rest, condition }])
  }
  for (const [relation, related] of behind) conditions.push({ kind: 'related', relation, conditions: [anyOf(related)] })
  return conditions.length === 1 ? conditions[0]! : { kind: 'any', conditions }
}
