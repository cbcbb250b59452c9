/** Conditions that are the same for all requests: the `where` of relations, includes and aggregates. */
import type { EntityModel } from '../model/index.ts'
import { fail } from './condition-error.ts'
import { readCondition } from './read-condition.ts'
import type { Where } from './where-tree.ts'

const read = new WeakMap<EntityModel, WeakMap<object, Where>>()

/**
 * Reads a condition of the configuration, and caches its tree.
 *
 * @param where the condition, or a list of alternatives, which is MikroORM's form for collections
 * @throws {ConditionError} for anything that is not certainly a condition
 */
export function readConstant (where: object, model: EntityModel): Where {
  let known = read.get(model)
  if (known === undefined) read.set(model, known = new WeakMap())
  let tree = known.get(where)
  if (tree === undefined) {
    known.set(where, tree = Array.isArray(where) ? oneOf(where, model) : readCondition(where, model))
  }
  return tree
}

function oneOf (alternatives: readonly unknown[], model: EntityModel): Where {
  const members = alternatives.map((alternative) => readCondition(alternative, model))
  if (members.length === 0) fail('', 'a list without conditions is not a condition')
  return members.length === 1
    ? members[0]!
    : Object.freeze([Object.freeze({ kind: 'or' as const, members: Object.freeze(members) })])
}
