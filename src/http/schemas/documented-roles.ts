/** The schemas and parameters of a resource that roles limit: for all roles together, or for one of them. */
import type { TSchema } from '@sinclair/typebox'
import { isObject } from '../../base/is-object.ts'
import type { Offer } from '../../catalogue/index.ts'
import { BODY_NAMES, sharingRoute, takesBodies, type BodyName } from '../../config/index.ts'
import { uuidBesideKey } from '../../model/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { offerOf } from '../routes/routed-resource.ts'
import type { RoleResource } from '../routes/roles.ts'
import { namedSchemas, type NamedSchemas } from './named.ts'
import { keyParams } from './operation.ts'
import type { SchemaNames } from './schema-names.ts'
import { parametersOf } from './parameters.ts'

/** The documentation of a resource that roles limit. */
export interface DocumentedRoles {
  /**
   * The resource without limits, but for versions that no role sees, and for operations that no role may use although
   * some may use their routes, such as the lists of `POST /`.
   */
  readonly offer: Offer
  /** The names of the roles that may use an operation. If there are none, its documentation is left out. */
  readonly rolesOf: (operation: CrudOperation) => readonly string[]
  /** Whether the documentation names roles, because it is for all of them. */
  readonly namesRoles: boolean
  /** The parameters of an operation's query string. */
  readonly parametersOf: (operation: CrudOperation, examples: boolean) => Record<string, TSchema>
  /** The schema of the key in an operation's path. It names a `uuid` if a role that may use the operation sees it. */
  readonly keyOf: (operation: CrudOperation) => TSchema
  /** Completes the named schemas of the resource without limits. Those that no role uses are not shared. */
  readonly named: (named: NamedSchemas, names: SchemaNames) => NamedSchemas
}

const MEMBERS = ['record', 'written', 'page', 'groups', 'query', 'filter', ...BODY_NAMES] as const

/** The members that only resources with an operation have. */
const OPERATION_OF: { readonly [Member in typeof MEMBERS[number]]?: CrudOperation } = {
  groups: 'aggregate',
  query: 'list',
  filter: 'list',
}

const isBody = (member: typeof MEMBERS[number]): member is BodyName => BODY_NAMES.includes(member as BodyName)

/** @param only the name of the only role to document. Default: all. */
export function documentedRoles (
  base: Offer,
  resources: readonly RoleResource[],
  options: CrudRoutesOptions,
  only: string | undefined
): DocumentedRoles {
  const shown = resources.filter(({ role }) => only === undefined || role.name === only).map((resource) => ({
    role: resource.role.name,
    operations: resource.operations,
    offer: offerOf(resource, options),
  }))
  const having = (operation: CrudOperation) => shown.filter(({ operations }) => offers(operations, operation))
  return {
    offer: {
      ...base,
      versions: shown.some(({ offer }) => offer.versions),
      operations: base.operations.filter((operation) =>
        having(operation).length === 0 || shown.some(({ operations }) => operations.includes(operation))
      ),
    },
    keyOf: (operation) => {
      const models = having(operation).map(({ offer }) => offer.model)
      return keyParams(models.find((model) => uuidBesideKey(model) !== undefined) ?? models[0] ?? base.model)
    },
    rolesOf: (operation) => having(operation).map(({ role }) => role),
    namesRoles: only === undefined,
    parametersOf: (operation, examples) => {
      const own = having(operation).map(({ role, offer }) => ({
        role,
        schema: parametersOf(operation, offer, examples),
      }))
      if (only !== undefined) return own[0]?.schema ?? {}
      return mergedProperties(parametersOf(operation, base, examples), own, own.length)
    },
    named: (named, names) => {
      const own = shown.map(({ role, operations, offer }) => ({
        role,
        operations,
        schemas: namedSchemas(offer, names),
      }))
      if (only !== undefined) return ofOnly(named, own[0]?.schemas)
      const merged: Record<string, TSchema | undefined> = {}
      for (const member of MEMBERS) {
        const schemas = own
          .filter(({ operations }) => {
            const needed = OPERATION_OF[member]
            if (needed !== undefined) return operations.includes(needed)
            return !isBody(member) || takesBodies(operations, member)
          })
          .map(({ role, schemas }) => ({ role, schema: schemas[member] }))
        merged[member] = named[member] && mergeRoles(named[member], schemas) as TSchema
      }
      const all = merged as unknown as NamedSchemas
      const used = new Set(own.flatMap(({ schemas }) => schemas.shared.map(({ $id }) => $id)))
      const shared = named.shared.filter(({ $id }) => used.has($id))
      return {
        ...all,
        shared: shared.map((schema) => {
          const member = MEMBERS.find((member) => member !== 'page' && named[member]?.$id === schema.$id)
          if (member !== undefined) return merged[member]!
          // a shared page refers to its records by name
          const pages = own.flatMap(({ role, schemas }) =>
            schemas.shared.flatMap((page) => page.$id === schema.$id ? [{ role, schema: page }] : [])
          )
          return mergeRoles(schema, pages) as TSchema
        }),
      }
    },
  }
}

/**
 * The schemas of the only role. Routes that it may not use keep the schemas without limits, since other roles use them.
 * The document leaves these routes out.
 */
function ofOnly (named: NamedSchemas, own: NamedSchemas | undefined): NamedSchemas {
  const known = Object.entries(own ?? {}).filter(([, schema]) => schema !== undefined)
  return { ...named, shared: [], ...Object.fromEntries(known) }
}

/** Whether a role may use the route of an operation. */
const offers = (operations: readonly CrudOperation[], operation: CrudOperation): boolean =>
  sharingRoute(operations, operation).length > 0

type Schema = Readonly<Record<string, unknown>>

/** A schema as one role knows it. */
interface RoleSchema {
  readonly role: string
  readonly schema: unknown
}

/** Members that name properties. The result has those of one role, because the others may name what no role has. */
const NAMING = ['description', 'examples'] as const

/** The value that is the longest as JSON: that of the role that sees most. */
const longest = (values: readonly unknown[]): unknown =>
  values.toSorted((one, other) => JSON.stringify(other).length - JSON.stringify(one).length)[0]

/**
 * Compares the schemas of roles with the schema without limits. A property that not all roles have gets their names as
 * `x-roles`. A property, a name or a text that no role has is left out.
 */
function mergeRoles (schema: unknown, schemas: readonly RoleSchema[]): unknown {
  if (!isObject(schema)) return schema
  const { properties, required, items, anyOf } = schema
  const inside = (key: string): RoleSchema[] => membersOf(schemas, key)
  const result: Record<string | symbol, unknown> = { ...schema }
  const valuesOf = (key: string): unknown[] => inside(key).map(({ schema }) => schema)
  if (Array.isArray(schema['enum'])) {
    const known = new Set(valuesOf('enum').flat())
    if (known.size > 0) result['enum'] = schema['enum'].filter((value) => known.has(value))
  }
  for (const key of NAMING) if (key in schema) result[key] = longest(valuesOf(key)) ?? schema[key]
  if (isObject(properties)) {
    const merged = mergedProperties(properties, inside('properties'), schemas.length)
    result['properties'] = merged
    if (Array.isArray(required)) {
      result['required'] = required.filter((name: string) => name in merged && !('x-roles' in merged[name]!))
    }
  }
  if (isObject(items)) result['items'] = mergeRoles(items, inside('items'))
  if (Array.isArray(anyOf)) {
    result['anyOf'] = anyOf.map((item: unknown, index) =>
      mergeRoles(item, inside('anyOf').map(({ role, schema }) => ({ role, schema: (schema as unknown[])[index] })))
    )
  }
  return result
}

/** The member of the schemas of those roles that have it. */
const membersOf = (schemas: readonly RoleSchema[], key: string): RoleSchema[] =>
  schemas.flatMap(({ role, schema }) =>
    isObject(schema) && Object.hasOwn(schema, key) ? [{ role, schema: schema[key] }] : []
  )

/**
 * The properties, or parameters, that some of the roles have.
 *
 * @param all the number of roles that have the object
 */
function mergedProperties (
  properties: Schema,
  schemas: readonly RoleSchema[],
  all: number
): Record<string, TSchema> {
  const result: Record<string, TSchema> = {}
  for (const [name, property] of Object.entries(properties)) {
    const having = membersOf(schemas, name)
    if (having.length === 0) continue
    result[name] = {
      ...mergeRoles(property, having) as TSchema,
      ...(having.length < all && { 'x-roles': having.map(({ role }) => role) }),
    }
  }
  return result
}
