/** Looks up the properties that the options of an allowed include name. */
import { readSignedName, type AllowedInclude } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import type { RelationProperty } from '../../model/index.ts'
import type { OrderTerm } from '../condition-types.ts'
import type { IncludeRules } from '../plan-types.ts'
import { sortTarget } from './sorts.ts'

/** The rules of an include, or `undefined` if it shows all rows of the relation in the order of the relation. */
export function includeRules (
  { limit, sort, where }: AllowedInclude<string, string>,
  relation: RelationProperty,
  what: string
): IncludeRules | undefined {
  if (limit === undefined && sort === undefined && where === undefined) return undefined
  for (const [option, value] of [['limit', limit], ['sort', sort]] as const) {
    if (value !== undefined && !relation.many) {
      throw new ConfigError(`${what}: '${relation.name}' is a to-one relation; '${option}' is for to-many relations.`)
    }
  }
  return Object.freeze({
    limit,
    order: sort && Object.freeze(sort.map((item) => orderTerm(item, relation, what))),
    where,
  })
}

function orderTerm (item: string, relation: RelationProperty, what: string): OrderTerm {
  const { name, descending = false } = readSignedName(item)
  const { relations, operand } = sortTarget(name, relation.target, `${what}, sort '${item}'`)
  return { relations, operand, descending }
}
