/** Conditions that are the same for all requests: the `where` of relations, includes and aggregates. */
import { madeOnce } from '../base/made-once.ts'
import type { EntityModel } from '../model/index.ts'
import { fail } from './condition-error.ts'
import { readCondition } from './read-condition.ts'
import type { Where } from './where-tree.ts'

/**
 * Reads a condition of the configuration, and caches its tree.
 *
 * @param where the condition, or a list of alternatives, which is MikroORM's form for collections
 * @throws {ConditionError} for anything that is not certainly a condition
 */
export const readConstant = (where: object, model: EntityModel): Where => readerFor(model)(where)

const readerFor = madeOnce((model: EntityModel) =>
  madeOnce((where: object): Where => Array.isArray(where) ? oneOf(where, model) : readCondition(where, model))
)

function oneOf (alternatives: readonly unknown[], model: EntityModel): Where {
  const members = alternatives.map((alternative) => readCondition(alternative, model))
  if (members.length === 0) fail('', 'a list without conditions is not a condition')
  return members.length === 1
    ? members[0]!
    : Object.freeze([Object.freeze({ kind: 'or' as const, members: Object.freeze(members) })])
}
