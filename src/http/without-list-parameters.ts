/**
 * The application's own schema of a list's query string, for requests whose query is in the body. Their URL takes no
 * parameters of the list, so the schema neither describes nor requires them there.
 */
import { isObjectLiteral } from '../base/is-object.ts'
import { isFixedParameter } from '../query/index.ts'
import { referredBy, type SharedSchemas } from './declared-parameters.ts'

/** The words of schemas that are combined. */
const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const

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
  const changed: Record<string, unknown> = {}
  const { properties, required } = own
  if (isObjectLiteral(properties) && Object.keys(properties).some(isFixedParameter)) {
    changed['properties'] = Object.fromEntries(Object.entries(properties).filter(([name]) => !isFixedParameter(name)))
  }
  if (Array.isArray(required) && required.some(isFixedParameter)) {
    changed['required'] = required.filter((name: string) => !isFixedParameter(name))
  }
  for (const word of COMBINED) {
    const parts: unknown = own[word]
    if (!Array.isArray(parts)) continue
    const rest = parts.map((part) => without(part, root))
    if (rest.some((part, index) => part !== parts[index])) changed[word] = rest
  }
  const referred = referredBy($ref, root, shared)
  const copy = referred && without(referred.schema, referred.root)
  if (copy === undefined || copy === referred!.schema || (referred!.root !== root && refersToItself(copy))) {
    return Object.keys(changed).length === 0 ? schema : { ...own, ...$ref !== undefined && { $ref }, ...changed }
  }
  if (Object.keys(own).length === 0) return copy
  const all = (changed['allOf'] ?? own['allOf'] ?? []) as readonly unknown[]
  return { ...own, ...changed, allOf: [...all, copy] }
}

/** Whether a schema refers to parts of the one that it was copied from. */
const refersToItself = (schema: unknown): boolean => JSON.stringify(schema).includes('"$ref":"#')
