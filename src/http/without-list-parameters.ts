/**
 * The application's own schema of a list's query string, for requests whose query is in the body. Their URL takes no
 * parameters of the list, so the schema neither describes nor requires them there.
 */
import { isObjectLiteral } from '../base/is-object.ts'
import { isFixedParameter } from '../query/index.ts'
import { idIn, referredBy, type SharedSchemas } from './declared-parameters.ts'

/** The words of schemas that are combined. */
const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const

/** The words for what a parameter requires beside it: the names of others, or a schema. */
const DEPENDENT = ['dependencies', 'dependentRequired', 'dependentSchemas'] as const

/**
 * Takes the parameters of lists out of a schema, and out of the schemas that it combines or refers to. A schema that
 * names none of them stays the same object, and so does one that is not JSON Schema.
 *
 * @param root the schema in which references without an id are looked up
 */
export function withoutListParameters (
  schema: unknown,
  shared: SharedSchemas,
  root: unknown = schema,
  around: readonly unknown[] = []
): unknown {
  if (!isObjectLiteral(schema) || around.includes(schema)) return schema
  const without = (part: unknown, root: unknown): unknown =>
    withoutListParameters(part, shared, root, [...around, schema])
  const { $ref, properties, required } = schema
  const rest = { ...schema }
  if (isObjectLiteral(properties) && Object.keys(properties).some(isFixedParameter)) {
    rest['properties'] = Object.fromEntries(Object.entries(properties).filter(([name]) => !isFixedParameter(name)))
  }
  if (Array.isArray(required)) rest['required'] = withoutNames(required)
  for (const word of DEPENDENT) {
    const needs = schema[word]
    if (isObjectLiteral(needs)) rest[word] = withoutNeeds(needs, (part) => without(part, root))
  }
  for (const word of COMBINED) {
    const parts = schema[word]
    if (!Array.isArray(parts)) continue
    const kept = parts.map((part) => without(part, root))
    if (kept.some((part, index) => part !== parts[index])) rest[word] = kept
  }
  const allOf: unknown[] = []
  if (rest['oneOf'] !== schema['oneOf']) {
    // more than one may match without the parameters that tell them apart
    allOf.push({ anyOf: rest['oneOf'] })
    delete rest['oneOf']
  }
  const referred = referredBy($ref, root, shared)
  const copy = referred && without(referred.schema, referred.root)
  if (copy !== undefined && copy !== referred!.schema) {
    const moved = referred!.root === root ? copy : movedFrom(idIn($ref as string), copy)
    if (Object.keys(schema).length === 1) return moved
    allOf.push(moved)
    delete rest['$ref']
  }
  if (allOf.length > 0) rest['allOf'] = [...(rest['allOf'] ?? []) as readonly unknown[], ...allOf]
  return Object.entries(schema).every(([word, value]) => rest[word] === value) ? schema : rest
}

/** A list of names without those of lists. It stays the same if it has none. */
const withoutNames = (names: readonly string[]): readonly string[] =>
  names.some(isFixedParameter) ? names.filter((name) => !isFixedParameter(name)) : names

/** What parameters require beside them, without the parameters of lists. It stays the same if it has none. */
function withoutNeeds (needs: object, without: (part: unknown) => unknown): object {
  const all = Object.entries(needs) as ReadonlyArray<[name: string, need: unknown]>
  const kept = all.filter(([name]) => !isFixedParameter(name)).map(([name, need]) =>
    [name, Array.isArray(need) ? withoutNames(need) : without(need)] as const
  )
  const isSame = kept.length === all.length && kept.every(([, need], index) => need === all[index]![1])
  return isSame ? needs : Object.fromEntries(kept)
}

/** A copy of a schema for another place. It has no ids, and what it refers to stays where it was. */
function movedFrom (id: string, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => movedFrom(id, part))
  if (!isObjectLiteral(schema)) return schema
  const { $id } = schema
  const from = typeof $id === 'string' ? idIn($id) || id : id
  const parts = Object.entries(schema).filter(([word, part]) => word !== '$id' || typeof part !== 'string')
  return Object.fromEntries(parts.map(([word, part]) =>
    [word, word === '$ref' && typeof part === 'string' ? absolute(part, from) : movedFrom(from, part)] as const
  ))
}

/** A reference in the schema with an id, as it is written in other schemas. */
function absolute (reference: string, id: string): string {
  if (URL.canParse(reference, id)) return new URL(reference, id).href
  return reference.startsWith('#') ? `${id}${reference}` : reference
}
