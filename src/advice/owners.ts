/** Guesses which properties say whose a row is, such as `tenant`, since the server cannot know what `rows` compares. */
import type { Role, Rule } from '../access/index.ts'
import { columnsOf, type EntityModel, type Property } from '../model/index.ts'

/** Whether a rule has `rows`, and they are not `{}`, which means all rows. */
export const limitsRows = ({ rows }: Rule): boolean =>
  typeof rows === 'function' || (rows !== undefined && Object.keys(rows).length > 0)

/** The properties that may say whose a row is: to-one references, and columns that can hold the key of an owner. */
export function ownersIn ({ properties, primaryKey, uuid, version }: EntityModel): readonly Property[] {
  const others = new Set<Property | undefined>([...primaryKey.map(({ property }) => property), uuid, version])
  return [...properties.values()].filter((property) =>
    property.write.persisted && !others.has(property) && isId(property)
  )
}

function isId (property: Property): boolean {
  if (property.kind === 'relation') return !property.many
  return property.kind === 'scalar' && ['integer', 'bigint', 'uuid'].includes(property.type.kind)
}

/** The columns that may say whose a row is, by quoted names of tables. */
export type OwnerColumns = ReadonlyMap<string, readonly string[]>

/**
 * The owners' columns of tables whose rows are limited: by all rules of roles except `true`, or by a scope.
 *
 * @param scoped the entities of resources with a scope
 */
export function ownerColumns (roles: readonly Role[], scoped: readonly EntityModel[]): OwnerColumns {
  const limited = new Set(scoped)
  for (const model of roles.flatMap(({ entities }) => [...entities.values()])) {
    const rules = roles.map((role) => role.ruleOf(model.name)).filter((rule) => rule?.unlimited === false)
    if (rules.length > 0 && rules.every((rule) => limitsRows(rule!))) limited.add(model)
  }
  return new Map([...limited].map((model) => [model.table, ownersIn(model).flatMap(columnsOf)]))
}
