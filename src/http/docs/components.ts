/**
 * The named schemas of a document. @fastify/swagger calls shared schemas `def-0`, `def-1` and so on, unless the
 * application has configured names. These functions give the schemas of resources their own names.
 */
import { DocumentedError, ErrorSchema } from '../error-schema.ts'

/** The parts of an OpenAPI document that contain schemas. */
export interface OpenApi {
  readonly openapi?: string
  readonly paths?: object
  readonly security?: readonly object[]
  readonly components?: { readonly schemas?: Record<string, unknown> }
}

const PATH = '#/components/schemas/'
const ANONYMOUS = /^def-\d+$/

const named = new WeakMap<object, ReadonlyMap<string, string>>()

/**
 * Names the schemas of resources in a document, once for each document.
 *
 * @param names the ids of the schemas, which are also their titles
 * @param references the ids of schemas that routes of the application refer to
 * @returns the names of components by id
 */
export function nameComponents (
  document: OpenApi,
  names: ReadonlySet<string>,
  references: ReadonlySet<string>
): ReadonlyMap<string, string> {
  const known = named.get(document)
  if (known !== undefined) return known
  const components = new Map<string, string>()
  const moved = new Map<string, string>()
  const schemas = document.components?.schemas ?? {}
  const wanted = [[ErrorSchema.title!, ErrorSchema.$id!] as const, ...[...names].map((id) => [id, id] as const)]
  const byTitle = new Map(
    Object.entries(schemas).map(([key, schema]) => [(schema as { readonly title?: unknown }).title, key])
  )
  for (const [title, id] of wanted) {
    const key = byTitle.get(title)
    if (key === undefined) continue
    const name = ANONYMOUS.test(key) && !(title in schemas) ? title : key
    components.set(id, name)
    if (name !== key) moved.set(key, name)
  }
  const referred = new Set([...references].map((id) => components.get(id)).filter((name) => name !== undefined))
  rename(document, schemas, moved, referred)
  const error = components.get(ErrorSchema.$id!)
  if (error !== undefined) schemas[error] = DocumentedError
  named.set(document, components)
  return components
}

function rename (
  document: OpenApi,
  schemas: Record<string, unknown>,
  moved: ReadonlyMap<string, string>,
  referred: ReadonlySet<string>
): void {
  const entries = Object.entries(schemas)
  for (const [key] of entries) delete schemas[key]
  for (const [key, schema] of entries) {
    const name = moved.get(key)
    schemas[name ?? key] = schema
    // @fastify/swagger uses the first name for routes of the application that come later
    if (name !== undefined && referred.has(name)) schemas[key] = { $ref: `${PATH}${name}` }
  }
  for (const part of [schemas, document.paths]) replaceReferences(part, moved)
}

function replaceReferences (node: unknown, moved: ReadonlyMap<string, string>): void {
  if (typeof node !== 'object' || node === null) return
  const { $ref } = node as { readonly $ref?: unknown }
  const name = typeof $ref === 'string' && $ref.startsWith(PATH) ? moved.get($ref.slice(PATH.length)) : undefined
  if (name !== undefined) Object.assign(node, { $ref: `${PATH}${name}` })
  for (const value of Object.values(node)) replaceReferences(value, moved)
}

/** Keywords whose values are no schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])

/**
 * A copy of a schema that refers to the components of a document.
 *
 * @param names the ids of the schemas of resources, which the copy does not have
 */
export function withReferences (
  schema: unknown,
  components: ReadonlyMap<string, string>,
  names: ReadonlySet<string>
): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withReferences(item, components, names))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, $ref } = schema as { readonly $id?: unknown, readonly $ref?: unknown }
  const name = components.get(idOf($id ?? $ref))
  if (name !== undefined) return { ...ofResponse(schema), $ref: `${PATH}${name}` }
  return Object.fromEntries(
    Object.entries(schema).filter(([key, value]) => key !== '$id' || !names.has(value as string)).map((
      [key, value]
    ) => [
      key,
      DATA.has(key) ? value : withReferences(value, components, names),
    ])
  )
}

const idOf = (written: unknown): string => typeof written === 'string' ? written.replace(/#$/, '') : ''

/** The keywords of a response, which @fastify/swagger reads beside a reference. */
function ofResponse (schema: object): object {
  const { headers, description, 'x-response-description': sentence = description } = schema as Record<string, unknown>
  return { ...(headers !== undefined && { headers }), ...(sentence !== undefined && { description: sentence }) }
}

/** Adds the ids of the shared schemas that a schema refers to. */
export function addReferences (ids: Set<string>, schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const { $ref } = schema as { readonly $ref?: unknown }
  if (typeof $ref === 'string') ids.add(idOf($ref))
  for (const value of Object.values(schema)) addReferences(ids, value)
}
