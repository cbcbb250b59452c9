/**
 * The application's own schema of a list's query string, for requests whose query is in the body. Their URL takes no
 * parameters of the list, so the schema neither describes nor requires them there.
 */
import { isObjectLiteral } from '../base/is-object.ts'
import { isFixedParameter } from '../query/index.ts'
import { referredBy, type SharedSchemas } from './declared-parameters.ts'

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
  const { $id, $ref, ...own } = schema as Readonly<Record<string, unknown>>
  const rest: Record<string, unknown> = { ...own }
  const { properties } = own
  if (isObjectLiteral(properties) && Object.keys(properties).some(isFixedParameter)) {
    rest['properties'] = Object.fromEntries(Object.entries(properties).filter(([name]) => !isFixedParameter(name)))
  }
  if (Array.isArray(own['required'])) rest['required'] = withoutNames(own['required'])
  for (const word of DEPENDENT) {
    const needs: unknown = own[word]
    if (isObjectLiteral(needs)) rest[word] = withoutNeeds(needs, (part) => without(part, root))
  }
  for (const word of COMBINED) {
    const parts: unknown = own[word]
    if (!Array.isArray(parts)) continue
    const kept = parts.map((part) => without(part, root))
    if (kept.some((part, index) => part !== parts[index])) rest[word] = kept
  }
  const allOf: unknown[] = []
  if (rest['oneOf'] !== own['oneOf']) {
    // more than one may match without the parameters that tell them apart
    allOf.push({ anyOf: rest['oneOf'] })
    delete rest['oneOf']
  }
  const referred = referredBy($ref, root, shared)
  const copy = referred && without(referred.schema, referred.root)
  const isReplaced = copy !== undefined && copy !== referred!.schema &&
    (referred!.root === root || !refersToItself(copy))
  if (isReplaced) allOf.push(copy)
  if (allOf.length > 0) rest['allOf'] = [...(rest['allOf'] ?? []) as readonly unknown[], ...allOf]
  else if (Object.entries(own).every(([word, value]) => rest[word] === value)) return schema
  if (isReplaced) return Object.keys(own).length === 0 ? copy : rest
  return { ...rest, ...$ref !== undefined && { $ref } }
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

/** Whether a schema refers to parts of the one that it was copied from. */
const refersToItself = (schema: unknown): boolean => JSON.stringify(schema).includes('"$ref":"#')
