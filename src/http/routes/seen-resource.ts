/** A resource as its callers see it: all of them, or those with one role. Routes derive all that they need from it. */
import type { Actor } from '../../access/index.ts'
import { BODY_NAMES, CREATING, factsOf, formsOfBodies, type BodyName } from '../../config/index.ts'
import { isOwnMethod } from '../../crud/index.ts'
import { withNames, type Whitelist } from '../../plan/index.ts'
import type { Resource } from '../../resource/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { seenVersion, versionIsWhole } from './entity-tags.ts'
import { locationsOf } from './location.ts'
import { idempotencyOf, type Idempotency } from './idempotency.ts'
import { keyReader } from './path-key.ts'

export interface SeenResource {
  readonly resource: Resource
  /** That of the resource, with the names that these routes have for it. */
  readonly whitelist: Whitelist
  readonly options: CrudRoutesOptions
  /** The forms of bodies that the routes take. A role may use some of the routes. */
  readonly forms: { readonly [Name in BodyName]?: ReturnType<typeof formsOfBodies> }
  /** Whether bodies of new records must be complete, because nothing else fills in properties. */
  readonly complete: boolean
  /**
   * Whether the validation phase decides the rows of bodies, because after it no function of the application gets the
   * request, apart from hooks of the route.
   */
  readonly decides: { readonly [Operation in CrudOperation]?: boolean }
  /** Names that bodies may have and that are ignored. `undefined` if such names are refused. */
  readonly ignored: { readonly [Name in BodyName]?: readonly string[] | undefined }
  /** How requests with an idempotency key are answered, if the resource takes such keys. */
  readonly idempotency: Idempotency | undefined
  readonly readKey: ReturnType<typeof keyReader>
  readonly versionOf: ReturnType<typeof seenVersion>
  /** Whether the version of a record is the tag of a read without parameters, if reads have tags. */
  readonly versionIsWhole: boolean
  readonly locationOf: ReturnType<typeof locationsOf>
}

/** Returns the function that tells how callers see a resource. A server without roles has one view of it. */
export function seenResources (
  options: CrudRoutesOptions,
  { name, operations, bound }: {
    readonly name: string,
    readonly operations: readonly CrudOperation[],
    readonly bound: Resource,
  }
): (resource: Resource, actor: Actor | undefined) => SeenResource {
  const known = new WeakMap<Resource, SeenResource>()
  const completes = fillsNothing(options, operations)
  const ignores = options.readonlyProperties === 'ignore'
  const idempotency = idempotencyOf(options)
  // the first one is that of the CRUD class or the table, and the others those of all routes
  const [called] = bound.whitelist.names
  const names = new Set([called!, name])
  const forms = Object.fromEntries(BODY_NAMES.map((name) => [name, formsOfBodies(operations, name)]))
  return (resource, actor) => {
    let seen = known.get(resource)
    if (seen !== undefined) return seen
    const { model, writable } = resource
    const undisturbed = options.scope === undefined && actor === undefined && !ignores
    const complete = completes && actor?.role.ruleOf(model.name)?.rows === undefined
    known.set(
      resource,
      seen = {
        resource,
        whitelist: withNames(resource.whitelist, names),
        options,
        forms,
        complete,
        decides: Object.fromEntries(operations.map((operation) => {
          const { body, changes } = factsOf(operation)
          const isWhole = !changes.includes('insert') || complete
          const isFilled = body !== 'create' || writable.create?.unfilled.length === 0
          return [operation, undisturbed && isWhole && isFilled && !isOwnMethod(options.crud, operation)]
        })),
        ignored: ignores ? Object.fromEntries(BODY_NAMES.map((name) => [name, writable[name]?.readonly])) : {},
        idempotency,
        readKey: keyReader(model, operations),
        versionOf: seenVersion(model),
        versionIsWhole: options.conditional === true && versionIsWhole(model, bound.model, options.crud),
        locationOf: locationsOf(model, options.crud.afterRead !== undefined),
      }
    )
    return seen
  }
}

/**
 * Whether the bodies of new records must be complete. Otherwise, a scope, the hook `beforeCreate` or a method of the
 * application fills in properties, and the operation checks what is missing after that.
 */
export function fillsNothing (
  { crud, scope }: CrudRoutesOptions,
  operations: readonly CrudOperation[]
): boolean {
  return scope === undefined && crud.beforeCreate === undefined &&
    CREATING.every((operation) => !operations.includes(operation) || !isOwnMethod(crud, operation))
}
