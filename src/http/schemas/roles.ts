/** The schemas and parameters of a resource that roles limit: for all roles together, or for one of them. */
import type { TSchema } from '@sinclair/typebox'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { documentedResource } from '../routes/resource.ts'
import type { RoleResource } from '../routes/roles.ts'
import { mergeRoles } from './merge-roles.ts'
import { namedSchemas, type NamedSchemas } from './named.ts'
import type { SchemaNames } from './names.ts'
import { parametersOf } from './operation.ts'
import type { DocumentedResource } from './resource.ts'

/** The documentation of a resource that roles limit. */
export interface DocumentedRoles {
  /** The names of the roles that may use an operation. If there are none, its documentation is left out. */
  readonly rolesOf: (operation: CrudOperation) => readonly string[]
  /** Whether the documentation names roles, because it is for all of them. */
  readonly namesRoles: boolean
  /** The parameters of an operation's query string. */
  readonly parametersOf: (operation: CrudOperation, examples: boolean) => Record<string, TSchema>
  /** Completes the named schemas of the resource without limits. Those that no role uses are not shared. */
  readonly named: (named: NamedSchemas, names: SchemaNames) => NamedSchemas
}

const MEMBERS = ['record', 'written', 'page', 'create', 'update'] as const

/** @param only the name of the only role to document. Default: all. */
export function documentedRoles (
  base: DocumentedResource,
  resources: readonly RoleResource[],
  options: CrudRoutesOptions,
  only: string | undefined
): DocumentedRoles {
  const shown = resources.filter(({ role }) => only === undefined || role.name === only).map((resource) => ({
    role: resource.role.name,
    operations: resource.operations,
    documented: documentedFor(resource, options),
  }))
  const having = (operation: CrudOperation) => shown.filter(({ operations }) => offers(operations, operation))
  return {
    rolesOf: (operation) => having(operation).map(({ role }) => role),
    namesRoles: only === undefined,
    parametersOf: (operation, examples) => {
      const own = having(operation).map(({ role, documented }) => ({
        role,
        schema: { properties: parametersOf(operation, documented, examples) },
      }))
      const [first] = own
      if (only !== undefined) return first?.schema.properties ?? {}
      const all = { properties: parametersOf(operation, base, examples) }
      return (mergeRoles(all, own) as typeof all).properties
    },
    named: (named, names) => {
      const own = shown.map(({ role, operations, documented }) => ({
        role,
        operations,
        schemas: namedSchemas(documented, names),
      }))
      if (only !== undefined) return own[0]?.schemas ?? { ...named, shared: [] }
      const merged: Record<string, TSchema | undefined> = {}
      for (const member of MEMBERS) {
        const schemas = own
          .filter(({ operations }) => (member !== 'create' && member !== 'update') || offers(operations, member))
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

/** The merged schema of a shared one. A shared page refers to its records by name. */
function sharedOf (schema: TSchema, named: NamedSchemas, merged: NamedSchemas): TSchema {
  const member = MEMBERS.find((member) => member !== 'page' && named[member]?.$id === schema.$id)
  return member === undefined ? schema : merged[member]!
}

/** The resource of a role. The rows of the role fill in properties that a body must otherwise contain. */
export function documentedFor (resource: RoleResource, options: CrudRoutesOptions): DocumentedResource {
  const documented = documentedResource(resource, options)
  return resource.limited ? { ...documented, complete: false } : documented
}

/** Whether a role may use a route. That of create is also that of createMany. */
function offers (operations: readonly CrudOperation[], operation: CrudOperation): boolean {
  return operations.includes(operation) || (operation === 'create' && operations.includes('createMany'))
}
