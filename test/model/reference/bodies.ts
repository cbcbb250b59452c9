/** The JSON of a body: what is wrong with it, and what a row would hold of it. */
import type { Entity, Property, Row, Value } from './description.ts'
import { isText, readValue, scaleOf, toInteger } from './values.ts'

/** What bodies may set, beside the description of the entity. */
export interface Writing {
  readonly entity: Entity
  /** Properties and relations that a new record's body may have, and that a change may. */
  readonly writable: { readonly create: readonly string[], readonly update: readonly string[] }
  /** Made by the database or the ORM: never written, and not required. */
  readonly generated: readonly string[]
  /** Types of the keys of related entities, by relation. */
  readonly keys: Readonly<Record<string, Property>>
}

export interface ReadBody {
  readonly values: Row
  /** Where the body is wrong. */
  readonly pointers: readonly string[]
}

/** Every property is read for itself; all that is wrong is found. A new record needs what can't be null. */
export function readBody (body: Row, operation: 'create' | 'update', writing: Writing, ownKey?: Row): ReadBody {
  const { entity, generated, keys } = writing
  const values: Record<string, Value> = {}
  const pointers: string[] = []
  for (const [name, json] of Object.entries(body)) {
    // the key may stand in the body of a change if it is the record's own
    if (ownKey && name in ownKey && ownKey[name] === json) continue
    const value = writing.writable[operation].includes(name) ? readProperty(json, name, entity, keys) : undefined
    if (value === undefined) pointers.push(`/${name}`)
    else values[name] = value
  }
  if (operation === 'create') {
    const required = [
      ...Object.keys(entity.properties).filter((name) => !entity.properties[name]!.nullable),
      ...Object.entries(entity.relations).flatMap(([name, relation]) =>
        relation.kind === 'one' && !relation.nullable ? name : []
      ),
    ]
    const missing = required.filter((name) => !generated.includes(name) && !(name in body))
    pointers.push(...missing.map((name) => `/${name}`))
  }
  return { values, pointers: pointers.sort() }
}

/** `undefined`: the property can't have such a value. */
function readProperty (json: Value, name: string, entity: Entity, keys: Writing['keys']): Value | undefined {
  const relation = entity.relations[name]
  if (relation?.kind === 'links') {
    const items = Array.isArray(json)
      ? json.map((item) => item === null ? undefined : readJson(item, keys[name]!))
      : [undefined]
    return items.includes(undefined) ? undefined : items
  }
  const property = relation ? keys[name]! : entity.properties[name]!
  const nullable = relation ? relation.kind === 'one' && relation.nullable : property.nullable
  return json === null ? nullable ? null : undefined : readJson(json, property)
}

/** JSON has types: nothing is converted from one into another. */
function readJson (json: Value, property: Property): Value | undefined {
  switch (property.type) {
    case 'integer':
      return Number.isInteger(json) && json >= -(2 ** 31) && json < 2 ** 31 ? json : undefined
    case 'float':
      return typeof json === 'number' ? json : undefined
    case 'boolean':
      return typeof json === 'boolean' ? json : undefined
    case 'json':
      return json
    case 'text':
      return typeof json === 'string' && isText(json) ? json : undefined
    default:
      return typeof json === 'string' ? stored(readValue(json, property), property) : undefined
  }
}

/** A decimal is stored with as many places as its column has, and never rounded. */
function stored (value: Value | undefined, { type, scale = 0 }: Property): Value | undefined {
  if (type !== 'decimal' || value === undefined) return value
  // more places are no loss if they are zeros
  const exact = value.replace(/(\.\d*?)0+$/, '$1')
  if (scaleOf(exact) > scale) return undefined
  const digits = toInteger(exact, scale).toString().replace('-', '').padStart(scale + 1, '0')
  return `${value.startsWith('-') && /[1-9]/.test(value) ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
