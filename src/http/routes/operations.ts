/** Decides which operations a resource offers: those in the options, if the entity and the CRUD class support them. */
import { CREATING, factsOf, isMany, takesBodies } from '../../config/index.ts'
import { isOwnMethod, type CrudBase } from '../../crud/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { tellsClass, type EntityModel, type Property } from '../../model/index.ts'
import type { Resource } from '../../resource/index.ts'
import { canNarrow } from '../../plan/index.ts'
import { closedBody, missingHook } from '../../write/index.ts'
import { DEFAULT_OPERATIONS, type CrudOperation, type CrudRoutesOptions } from '../route-options.ts'

/**
 * The operations of a resource. Without the option `operations`, those that the entity does not support or that
 * `writable` does not allow are left out.
 *
 * @param byRole whether roles limit what requests may do. Then what a body must set is checked for each role.
 * @throws {ConfigError} for an operation in the options that the entity does not support or that `writable` does not
 *   allow, and for a create in which a required property cannot be set
 */
export function offeredOperations (
  what: string,
  resource: Resource,
  { crud, operations, scope, requireIfMatch }: CrudRoutesOptions,
  byRole: boolean
): readonly CrudOperation[] {
  const { model, writable } = resource
  const possible = (operations ?? DEFAULT_OPERATIONS).filter((operation) => {
    const missing = missingFor(operation, resource)
    if (missing !== undefined && operations !== undefined) {
      throw new ConfigError(`${what}: '${operation}' needs ${missing}.`)
    }
    const hook = missingHook(crud, operation)
    if (hook !== undefined) throw new ConfigError(`${what}: ${hook}.`)
    return missing === undefined
  })
  const offered = possible.filter((operation) => {
    const closed = factsOf(operation).bodies.find((body) => writable[body] === undefined)
    if (closed === undefined) return true
    if (operations !== undefined || !writable.declared) {
      throw new ConfigError(`${what}: ${closedBody(operation, closed, model.name, writable)}.`)
    }
    return false
  })
  if (requireIfMatch === true) checkIfMatch(what, offered)
  const byKey = offered.find((operation) => factsOf(operation).query === 'key')
  if (byKey !== undefined) {
    checkUpsertKeys(what, byKey, resource, scope === undefined && !byRole && !isOwnMethod(crud, byKey))
  }
  if (scope === undefined && !byRole) checkFilled(what, offered, resource, crud)
  if (!byRole) checkChildrenFilled(what, offered, resource)
  return offered
}

/** @throws {ConfigError} for an operation that changes several records, of which If-Match cannot name the versions */
function checkIfMatch (what: string, offered: readonly CrudOperation[]): void {
  const unversioned = offered.filter((operation) => {
    const { changes, records } = factsOf(operation)
    return records !== 'one' && changes.some((change) => change !== 'insert')
  })
  if (unversioned.length === 0) return
  const names = unversioned.map((operation) => `'${operation}'`).join(' and ')
  const [subject, object] = unversioned.length > 1 ? ['write', 'them'] : ['writes', 'it']
  throw new ConfigError(
    `${what}: ${names} ${subject} several records, whose versions If-Match does not name, so that 'requireIfMatch' ` +
      `does not go with ${object}. Leave one of them out, or offer ${object} as another resource of the entity.`
  )
}

/** @param complete whether bodies must give all properties of a key, because nothing else fills them in */
function checkUpsertKeys (
  what: string,
  operation: CrudOperation,
  { model, writable, upsertKeys }: Resource,
  complete: boolean
): void {
  if (upsertKeys.length === 0) {
    throw new ConfigError(
      `${what}: '${operation}' needs "upsertKeys", the keys by which requests may find a record of ${model.name}: ` +
        `add the option to the CrudBase, as in upsertKeys: ['isbn'], or leave '${operation}' out of the operations.`
    )
  }
  const closed = upsertKeys.flatMap(({ properties }) => properties).find((part) =>
    !writable.create!.properties.has(part) && !tellsClass(part, model)
  )
  if (closed === undefined || !complete) return
  throw new ConfigError(
    `${what}: '${operation}' needs a key that bodies may set, and "writable" of ${model.name} has no ` +
      `'${closed.name}' for new records: ${
        closed.write.writable ? `add it, ${waysWithoutKey(operation)}` : closed.write.closed!
      }.`
  )
}

/** The changes by which no upsert uses a key, for messages. */
export const waysWithoutKey = (operation: CrudOperation): string =>
  `take the key out of "upsertKeys", or leave '${operation}' out of the operations`

/**
 * The requirement of an operation that an entity does not meet, as the end of a sentence, or `undefined`.
 */
function missingFor (
  operation: CrudOperation,
  { model: { name, deletedAt, abstract, readOnly }, whitelist }: Resource
): string | undefined {
  const { writes, bodies } = factsOf(operation)
  if (operation === 'aggregate' && whitelist.groups.size === 0 && whitelist.numbers.size === 0) {
    return "'allowedGroups' or 'allowedAggregates' in the whitelist, which name what requests may ask for"
  }
  if (!writes) return undefined
  if (readOnly !== undefined) return `an entity that is written, and ${name} is read-only: ${readOnly}`
  if (operation === 'restore') return deletedAt === undefined ? "an entity with 'deleted_at'" : undefined
  if (isMany(operation) && !canNarrow(whitelist)) {
    return "a filter in 'allowedFilters' that can leave out records"
  }
  return abstract && bodies.includes('create') ? 'an entity that is not abstract' : undefined
}

/** How the rules of a role affect the properties of new records. */
interface RoleFilling {
  /** Whether the rows of the role fill in a property. */
  readonly fills: (property: Property) => boolean
  /** The changes that let bodies of the role set a property, or let its rows fill it in, for messages. */
  readonly waysToFill: (property: Property) => readonly string[]
}

/**
 * Checks that required properties can be set. A hook or a method of the application may set them in code.
 *
 * @param role the rules of the role that the operations are for, if roles limit them
 */
export function checkFilled (
  what: string,
  offered: readonly CrudOperation[],
  { model, writable }: Resource,
  crud: CrudBase,
  role?: RoleFilling
): void {
  const property = writable.create?.unfilled.find((property) => role?.fills(property) !== true)
  const operation = CREATING.find((operation) => offered.includes(operation) && !isOwnMethod(crud, operation))
  if (property === undefined || operation === undefined || crud.beforeCreate !== undefined) return
  const ways = [
    ...role === undefined ? waysToOpen(property) : role.waysToFill(property),
    'give it a default',
    'fill it in beforeCreate',
    `or leave '${operation}' out of the ${role === undefined ? '' : "role's "}operations`,
  ]
  throw new ConfigError(
    `${what}: '${operation}' can't fill ${model.name}.${property.name}, which is required and which bodies may not ` +
      `set: ${ways.join(', ')}.`
  )
}

/**
 * Checks that required properties of new children can be set, unless the class of their parent may set them in code.
 *
 * @param fillsFor tells which properties of a child the rows of a role fill in: all, if it adds no such children
 * @throws {ConfigError} for a required property that nothing sets
 */
export function checkChildrenFilled (
  what: string,
  offered: readonly CrudOperation[],
  { model, writable, fills }: Resource,
  fillsFor: (child: EntityModel) => RoleFilling['fills'] = () => () => false
): void {
  for (const kind of ['create', 'update'] as const) {
    if (fills[kind] || !takesBodies(offered, kind)) continue
    for (const { relation: { name, target }, create } of writable[kind]?.children.values() ?? []) {
      const filled = fillsFor(target)
      const property = create?.unfilled.find((property) => !filled(property))
      if (property === undefined) continue
      const opened = waysToOpen(property).map(() => `add it to the list of '${name}' in "writable"`)
      const ways = [...opened, 'give it a default', `fill it in before${kind === 'create' ? 'Create' : 'Update'}`]
      throw new ConfigError(
        `${what}: new records of '${name}' of ${model.name} lack ${target.name}.${property.name}, which is required ` +
          `and which bodies may not set: ${ways.join(', ')}, or take '${name}' out of "writable".`
      )
    }
  }
}

/** The changes to the whitelist that let bodies set a property, for messages. */
export const waysToOpen = ({ write }: Property): readonly string[] => write.writable ? ['add it to "writable"'] : []
