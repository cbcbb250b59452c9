/** The schemas and parameters of a resource that roles limit: for all roles together, or for one of them. */
import type { TSchema } from '@sinclair/typebox'
import type { Offer } from '../../catalogue/index.ts'
import { BODY_NAMES, sharingRoute, takesBodies, type BodyName } from '../../config/index.ts'
import type { EntityModel } from '../../model/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { offerOf } from '../routes/routed-resource.ts'
import type { RoleResource } from '../routes/roles.ts'
import { namedSchemas, type NamedSchemas } from './named.ts'
import type { SchemaNames } from './schema-names.ts'
import { parametersOf } from './parameters.ts'

/** The documentation of a resource that roles limit. */
export interface DocumentedRoles {
  /** The names of the roles that may use an operation. If there are none, its documentation is left out. */
  readonly rolesOf: (operation: CrudOperation) => readonly string[]
  /** Whether the documentation names roles, because it is for all of them. */
  readonly namesRoles: boolean
  /** The parameters of an operation's query string. */
  readonly parametersOf: (operation: CrudOperation, examples: boolean) => Record<string, TSchema>
  /** The model whose keys the paths of the document contain. */
  readonly model: EntityModel
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
    model: only === undefined ? base.model : shown[0]?.offer.model ?? base.model,
    rolesOf: (operation) => having(operation).map(({ role }) => role),
    namesRoles: only === undefined,
    parametersOf: (operation, examples) => {
      const own = having(operation).map(({ role, offer }) => ({
        role,
        parameters: parametersOf(operation, offer, examples),
      }))
      if (only !== undefined) return own[0]?.parameters ?? {}
      return Object.fromEntries(
        Object.entries(parametersOf(operation, base, examples)).flatMap(([name, schema]) => {
          const roles = own.filter(({ parameters }) => name in parameters).map(({ role }) => role)
          if (roles.length === 0) return []
          return [[name, roles.length < own.length ? { ...schema, 'x-roles': roles } : schema]]
        })
      )
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
      return { ...all, shared: shared.map((schema) => sharedOf(schema, named, all)) }
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

/** The merged schema of a shared one. A shared page refers to its records by name. */
function sharedOf (schema: TSchema, named: NamedSchemas, merged: NamedSchemas): TSchema {
  const member = MEMBERS.find((member) => member !== 'page' && named[member]?.$id === schema.$id)
  return member === undefined ? schema : merged[member]!
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

/**
 * Compares the schemas of roles with the schema without limits. A property that not all roles have gets their names as
 * `x-roles`. A property that no role has is left out.
 */
function mergeRoles (schema: unknown, schemas: readonly RoleSchema[]): unknown {
  if (!isSchema(schema)) return schema
  const { properties, required, items, anyOf } = schema
  const inside = (key: string): RoleSchema[] =>
    schemas.flatMap(({ role, schema }) => isSchema(schema) && key in schema ? [{ role, schema: schema[key] }] : [])
  const result: Record<string | symbol, unknown> = { ...schema }
  if (isSchema(properties)) {
    const merged = mergedProperties(properties, inside('properties'), schemas.length)
    result['properties'] = merged
    if (Array.isArray(required)) {
      result['required'] = required.filter((name: string) => name in merged && !('x-roles' in merged[name]!))
    }
  }
  if (isSchema(items)) result['items'] = mergeRoles(items, inside('items'))
  if (Array.isArray(anyOf)) {
    result['anyOf'] = anyOf.map((item: unknown, index) =>
      mergeRoles(item, inside('anyOf').map(({ role, schema }) => ({ role, schema: (schema as unknown[])[index] })))
    )
  }
  return result
}

/** @param all the number of roles that have the object */
function mergedProperties (
  properties: Schema,
  schemas: readonly RoleSchema[],
  all: number
): Record<string, Record<string, unknown>> {
  const result: Record<string, Record<string, unknown>> = {}
  for (const [name, property] of Object.entries(properties)) {
    const having = schemas.flatMap(({ role, schema }) => {
      const own = (schema as Schema)[name]
      return own === undefined ? [] : [{ role, schema: own }]
    })
    if (having.length === 0) continue
    result[name] = {
      ...mergeRoles(property, having) as object,
      ...(having.length < all && { 'x-roles': having.map(({ role }) => role) }),
    }
  }
  return result
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
