/** The operations that a resource offers: those that the application asks for, if entity and CRUD class can do them. */
import { CrudBase } from '../../crud/index.ts'
import { ConfigError } from '../../errors.ts'
import type { EntityModel } from '../../model/index.ts'
import type { Resource } from '../../resource/index.ts'
import { closedBody } from '../../write/index.ts'
import { DEFAULT_OPERATIONS, type CrudOperation } from '../options.ts'
import type { CrudRoutesOptions } from './options.ts'

/**
 * The operations of a resource. Default ones that its entity cannot do, or that `writable` closes, are left out.
 *
 * @throws {ConfigError} for an operation that the application asks for and the entity cannot do, for bodies without
 *   `writable`, and for new records of which nothing fills a required property
 */
export function offeredOperations (
  what: string,
  resource: Resource,
  { crud, operations, scope }: CrudRoutesOptions
): readonly CrudOperation[] {
  const { model, writable } = resource
  const possible = (operations ?? DEFAULT_OPERATIONS).filter((operation) => {
    const missing = missingFor(operation, model)
    if (missing !== undefined && operations !== undefined) {
      throw new ConfigError(`${what}: '${operation}' needs ${missing}.`)
    }
    return missing === undefined
  })
  const offered = possible.filter((operation) => {
    const body = bodyOf(operation)
    if (body === undefined || writable[body] !== undefined) return true
    if (operations !== undefined || !writable.declared) {
      throw new ConfigError(`${what}: ${closedBody(operation, model.name, writable)}.`)
    }
    return false
  })
  for (const operation of ['create', 'createMany'] as const) {
    if (offered.includes(operation) && scope === undefined) checkFilled(what, operation, resource, crud)
  }
  return offered
}

const bodyOf = (operation: CrudOperation): 'create' | 'update' | undefined =>
  operation === 'createMany' ? 'create' : operation === 'create' || operation === 'update' ? operation : undefined

/**
 * The missing part of an entity that an operation needs, as the end of a sentence; `undefined` if nothing is missing.
 */
function missingFor (
  operation: CrudOperation,
  { name, deletedAt, abstract, readOnly }: EntityModel
): string | undefined {
  if (operation === 'list' || operation === 'get') return undefined
  if (readOnly !== undefined) return `an entity that is written, and ${name} is read-only: ${readOnly}`
  if (operation === 'restore') return deletedAt === undefined ? "an entity with 'deleted_at'" : undefined
  return abstract && (operation === 'create' || operation === 'createMany')
    ? 'an entity that is not abstract'
    : undefined
}

/** A hook, a method of the application's and a scope may fill whatever is required: without them, nothing does. */
function checkFilled (
  what: string,
  operation: 'create' | 'createMany',
  { model, writable }: Resource,
  crud: CrudBase
): void {
  const [property] = writable.create?.unfilled ?? []
  if (property === undefined || crud.beforeCreate !== undefined || crud[operation] !== CrudBase.prototype[operation]) {
    return
  }
  const ways = property.write.writable ? 'add it to "writable", ' : ''
  throw new ConfigError(
    `${what}: '${operation}' can't fill ${model.name}.${property.name}, which is required and which bodies may not set: ${ways}give it a default, fill it in beforeCreate, or leave '${operation}' out of the operations.`
  )
}
