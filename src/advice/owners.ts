/** Guesses which properties say whose a row is, such as `tenant`, since the server cannot know what `rows` compares. */
import type { Role, Rule } from '../access/index.ts'
import { columnsOf, wireTypeOf, type EntityModel, type Property } from '../model/index.ts'

/** The properties that may say whose a row is: to-one references, and columns that can hold the key of an owner. */
export function ownersIn ({ properties, primaryKey, uuid, version }: EntityModel): readonly Property[] {
  const others = new Set<Property | undefined>([...primaryKey.map(({ property }) => property), uuid, version])
  return [...properties.values()].filter((property) =>
    property.write.persisted && !others.has(property) && isId(property)
  )
}

function isId (property: Property): boolean {
  if (property.kind === 'relation') return !property.many
  return property.kind === 'scalar' && wireTypeOf(property.type).usualKey === true
}

/** Common names of properties for the owner of a row. A row has the most rights of the first. */
const NAMES = 'tenant org account company customer client workspace team owner user project'.split(' ')

/** Whether a name is a common one for the owner of a row. */
export const isOwnersName = (name: string): boolean => rankOf(name) < NAMES.length

function rankOf (name: string): number {
  const rank = NAMES.findIndex((prefix) => name.toLowerCase().startsWith(prefix))
  return rank < 0 ? NAMES.length : rank
}

/** The columns of a table that may say whose a row is. */
interface Owners {
  readonly columns: readonly string[]
  /** The one that requests compare, if a constant or its name tells it. */
  readonly likely: string | undefined
  /** Whether some requests may compare another one. */
  readonly isGuess: boolean
}

/** The owners' columns by quoted names of tables. */
export type OwnerColumns = ReadonlyMap<string, Owners>

/**
 * The owners' columns of tables whose rows are limited: by all rules of roles except `true`, or by a scope.
 *
 * @param scoped the entities of resources with a scope
 */
export function ownerColumns (roles: readonly Role[], scoped: readonly EntityModel[]): OwnerColumns {
  const limited = new Map<EntityModel, readonly Rule[]>(scoped.map((model) => [model, []]))
  for (const model of roles.flatMap(({ entities }) => [...entities.values()])) {
    const rules = roles.flatMap((role) => role.ruleOf(model.name) ?? []).filter(({ unlimited }) => !unlimited)
    if (rules.length > 0 && rules.every(({ limitsRows }) => limitsRows)) limited.set(model, rules)
  }
  return new Map([...limited].map(([model, rules]) => [model.table, ownersOf(model, rules)]))
}

function ownersOf (model: EntityModel, rules: readonly Rule[]): Owners {
  const owners = ownersIn(model)
  const [named] = owners.filter(({ name }) => isOwnersName(name)).sort((one, other) =>
    rankOf(one.name) - rankOf(other.name)
  )
  // a condition that is known, and equates no column, leaves nothing to guess
  const isKnown = rules.length > 0 && rules.every(({ rows }) => typeof rows === 'object')
  const required: ReadonlyArray<readonly Property[]> = rules.map((rule) => [...rule.requiredBy(model).keys()])
  const [constant] = required.flat()
  const likely = constant ?? (isKnown ? undefined : named)
  const isGuess = rules.length === 0 || !required.every((properties) => properties.includes(likely!))
  return { columns: owners.flatMap(columnsOf), likely: likely && columnsOf(likely)[0], isGuess }
}
