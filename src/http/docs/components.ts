/**
 * The named schemas of a document. @fastify/swagger calls shared schemas `def-0`, `def-1` and so on, unless the
 * application has configured names. These functions give the schemas of resources and of errors their own names, and
 * replace names that OpenAPI does not allow.
 */
import { DocumentedError, ErrorSchema } from '../error-schema.ts'

/** The parts of an OpenAPI document that contain schemas. */
export interface OpenApi {
  readonly openapi?: string
  paths?: object
  readonly security?: readonly object[]
  components?: { readonly schemas?: Record<string, unknown> }
}

const PATH = '#/components/schemas/'
const ANONYMOUS = /^def-\d+$/
/** Characters that names of components cannot have (OpenAPI 3.1, section 4.8.7). */
const INVALID = /[^a-zA-Z0-9._-]+/g

const named = new WeakMap<object, ReadonlyMap<string, string>>()

/**
 * Names the schemas of resources in a document, once for each document.
 *
 * @param names the ids of the schemas, which are also their titles
 * @returns the names of components by id
 */
export function nameComponents (document: OpenApi, names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const known = named.get(document)
  if (known !== undefined) return known
  const components = new Map<string, string>()
  const moved = new Map<string, string>()
  const schemas = document.components?.schemas ?? {}
  const byTitle = new Map(
    Object.entries(schemas).map(([key, schema]) => [(schema as { readonly title?: unknown }).title, key])
  )
  for (const id of [ErrorSchema.$id!, ...names]) {
    const key = byTitle.get(id)
    if (key === undefined) continue
    const shown = id === ErrorSchema.$id ? DocumentedError.title! : id
    const valid = key.replace(INVALID, '-')
    const name = (ANONYMOUS.test(key) || valid !== key) && !(shown in schemas) ? shown : valid
    components.set(id, name)
    if (name !== key) moved.set(key, name)
  }
  for (const [key, schema] of Object.entries(schemas)) {
    delete schemas[key]
    schemas[moved.get(key) ?? key] = schema
  }
  const error = components.get(ErrorSchema.$id!)
  if (error !== undefined) schemas[error] = DocumentedError
  if (moved.size > 0) keepReferences(document, moved)
  named.set(document, components)
  return components
}

/**
 * Keeps the references of a document up to date. @fastify/swagger uses the first names for routes of the application
 * that it adds later, and tells nobody when the document is complete. So what was added is changed when it is read.
 */
function keepReferences (document: OpenApi, moved: ReadonlyMap<string, string>): void {
  const seen = new WeakSet<object>()
  const update = (part: object = {}): void => {
    // operations of paths, schemas of components
    for (const member of Object.values(part).flatMap((item: object) => Object.values(item))) {
      if (typeof member !== 'object' || member === null || seen.has(member)) continue
      replaceReferences(member, moved)
      seen.add(member)
    }
  }
  for (const name of ['paths', 'components'] as const) {
    let part: object | undefined = document[name]
    Object.defineProperty(document, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        update(part)
        return part
      },
      set: (other: object) => {
        part = other
      },
    })
  }
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
