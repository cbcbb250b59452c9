/** The parameters that a route's own schema declares. The application handles them, so they are not refused. */
import type { FastifyRequest } from 'fastify'
import { segmentsOf } from '../base/error-list.ts'
import { isObject } from '../base/is-object.ts'

export interface DeclaredParameters {
  /** The names of the declared parameters. */
  readonly names: ReadonlySet<string>
  /** Whether the schema also allows all other parameters, by `additionalProperties`. */
  readonly open: boolean
  /** Whether the schema has the name of a parameter, or a pattern that matches it. */
  readonly has: (name: string) => boolean
}

const declared = new WeakMap<object, DeclaredParameters>()
const generated = new WeakSet<object>()

/** Marks the generated schema of a query string: it declares no parameters of the application. */
export function markGenerated (schema: object): void {
  generated.add(schema)
}
const NONE: DeclaredParameters = { names: new Set(), open: false, has: () => false }

/** The parameters that the route's own schema declares. */
export function declaredParameters ({ routeOptions, server }: FastifyRequest): DeclaredParameters {
  const schema: unknown = routeOptions.schema?.querystring
  if (!isObject(schema) || generated.has(schema)) return NONE
  let parameters = declared.get(schema)
  if (parameters === undefined) {
    declared.set(
      schema,
      parameters = parametersOf(partsOf(schema, (id) => server.getSchema(id)))
    )
  }
  return parameters
}

function parametersOf (parts: readonly Schema[]): DeclaredParameters {
  const keysOf = (value: unknown): string[] => isObject(value) ? Object.keys(value) : []
  const names = new Set(parts.flatMap(({ properties }) => keysOf(properties)))
  // like in the validator: in Unicode mode, and not anchored (JSON Schema 2020-12, section 10.3.2.2)
  const patterns = parts.flatMap(({ patternProperties }) => keysOf(patternProperties)).map((pattern) =>
    new RegExp(pattern, 'u')
  )
  return {
    names,
    open: parts.some(({ additionalProperties }) => additionalProperties === true || isObject(additionalProperties)),
    has: (name) => names.has(name) || patterns.some((pattern) => pattern.test(name)),
  }
}

type Schema = Readonly<Record<string, unknown>>

/** Finds a schema that was added to the server by its id. */
export type SharedSchemas = (id: string) => unknown

/**
 * A JSON Schema and its parts: schemas that it refers to, and schemas in `allOf`, `anyOf` and `oneOf`.
 *
 * @param root the schema in which references without an id are looked up
 */
function partsOf (
  schema: object,
  shared: SharedSchemas,
  root: unknown = schema,
  seen = new Set<object>()
): Schema[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { $ref, allOf, anyOf, oneOf } = schema as Schema
  const referred = referredBy($ref, root, shared)
  return [
    schema as Schema,
    ...referred ? partsOf(referred.schema, shared, referred.root, seen) : [],
    ...[allOf, anyOf, oneOf].flat().filter(isObject).flatMap((part) => partsOf(part, shared, root, seen)),
  ]
}

/** The schema that a reference leads to, and the one in which its own references are looked up. */
export function referredBy (
  $ref: unknown,
  root: unknown,
  shared: SharedSchemas
): { readonly schema: object, readonly root: unknown } | undefined {
  if (typeof $ref !== 'string') return undefined
  const id = idIn($ref)
  const pointer = $ref.split('#')[1] ?? ''
  const other = id === '' || (isObject(root) && root['$id'] === id) ? root : shared(id)
  const schema = segmentsOf(pointer).reduce((at, name) => isObject(at) ? at[name] : undefined, other)
  return isObject(schema) ? { schema, root: other } : undefined
}

/** The id of the schema that a reference names, or an empty text. */
export const idIn = (reference: string): string => reference.split('#')[0]!
