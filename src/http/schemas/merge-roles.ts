/**
 * Compares the schemas of roles with the schema without limits. A property that not all roles have gets their names as
 * `x-roles`. A property that no role has is left out.
 */

type Schema = Readonly<Record<string, unknown>>

/** A schema as one role knows it. */
export interface RoleSchema {
  readonly role: string
  readonly schema: unknown
}

/** Keywords whose value is a schema. */
const INNER = ['items', 'schema', 'additionalProperties', 'not'] as const
/** Keywords whose value is a list of alternatives. */
const LISTS = ['anyOf', 'oneOf', 'allOf'] as const
/** Keywords whose value has schemas by name that are not properties: responses by status and by media type. */
const MAPS = ['content'] as const

/** The schema with the roles of each property that not all roles have. */
export function mergeRoles (schema: unknown, schemas: readonly RoleSchema[]): unknown {
  if (!isSchema(schema)) return schema
  const result: Record<string | symbol, unknown> = { ...schema }
  const inside = (key: string): RoleSchema[] =>
    schemas.flatMap(({ role, schema }) => isSchema(schema) && key in schema ? [{ role, schema: schema[key] }] : [])
  if (isSchema(schema['properties'])) {
    const properties = mergedProperties(schema['properties'], inside('properties'), schemas.length)
    result['properties'] = properties
    if (Array.isArray(schema['required'])) {
      result['required'] = schema['required'].filter((name: string) =>
        name in properties && !('x-roles' in properties[name]!)
      )
    }
  }
  for (const key of INNER) if (isSchema(schema[key])) result[key] = mergeRoles(schema[key], inside(key))
  for (const key of LISTS) {
    const list = schema[key]
    if (!Array.isArray(list)) continue
    result[key] = list.map((item: unknown, index) =>
      mergeRoles(item, inside(key).map(({ role, schema }) => ({ role, schema: (schema as unknown[])[index] })))
    )
  }
  for (const key of MAPS) {
    const map = schema[key]
    if (isSchema(map)) result[key] = mergedMap(map, inside(key))
  }
  return result
}

/** Schemas by names that all roles have, such as the statuses of responses. */
function mergedMap (map: Schema, schemas: readonly RoleSchema[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(map).map(([name, schema]) => [
      name,
      mergeRoles(schema, schemas.map((own) => ({ role: own.role, schema: (own.schema as Schema)[name] }))),
    ])
  )
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
