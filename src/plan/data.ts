/**
 * Converts the data of a write, a valid body with public names, to values of columns. `src/schema/read-data.ts` checks
 * the data first. Its rules for values are the conversions of this file.
 */
import { RequestValidationError } from '../base/errors.ts'
import { escapedName } from '../base/error-list.ts'
import {
  embeddedToStored,
  fromJson,
  isObject,
  keyFromJson,
  type Converted,
  type EmbeddedProperty,
  type KeyPart,
  type Property,
  type RelationProperty,
  type ScalarProperty,
  type SqlValue,
} from '../model/index.ts'
import type { Named } from './writable.ts'

/** The values of a record. Its properties are looked up, and their values are converted. */
export interface RecordData {
  /** The columns of scalars and of the keys of to-one relations, in the order of the data. */
  readonly columns: readonly ColumnData[]
  /** The keys of the records that to-one relations will refer to. */
  readonly references: readonly ReferenceData[]
  /** The keys of the records that many-to-many relations will refer to, instead of the present ones. */
  readonly links: readonly LinksData[]
  /** The same values by property name, as JavaScript values, for MikroORM's unit of work. */
  readonly properties: Readonly<Record<string, unknown>>
}

export interface ColumnData {
  readonly property: ScalarProperty | RelationProperty
  readonly column: string
  readonly value: SqlValue
  /** Whether a custom type makes SQL of the value, so that only MikroORM can write it. `value` is null. */
  readonly raw?: true
}

export interface ReferenceData {
  readonly relation: RelationProperty
  /** The parts of the key, in the order of `relation.join.targetColumns`. */
  readonly key: readonly SqlValue[]
}

export interface LinksData {
  readonly relation: RelationProperty
  readonly keys: ReadonlyArray<readonly SqlValue[]>
}

/** The JSON of a body that is not null as a value to bind. It is also the check of the value. */
export function scalarValue ({ codec, embedded, type }: ScalarProperty, value: unknown): Converted {
  return codec?.fromJson?.(value) ??
    fromJson(embedded === undefined ? value : embeddedToStored(value, embedded), type)
}

/** The parts of the key by which data refers to a related record. */
export function keyParts ({ key, target, many }: RelationProperty): readonly KeyPart[] {
  return many
    ? target.primaryKey.flatMap(({ property, columns }) =>
      columns.map((column) => ({ ...column, publicName: property.publicName }))
    )
    : key
}

/**
 * Converts the data of one record, which must be valid.
 *
 * @param byName the properties by the names that the data may use
 * @param pointer the prefix of the pointers in errors, e.g. `/1` in a batch
 * @throws {RequestValidationError} for a value that its property cannot hold. Only values that JSON does not have, and
 *   custom types that change their mind, can pass the check of the schema and end here.
 */
export function convertData (
  data: Readonly<Record<string, unknown>>,
  byName: ReadonlyMap<string, Named>,
  by: 'client' | 'server',
  pointer = ''
): RecordData {
  const conversion = new Conversion(by, pointer)
  conversion.convert(data, byName)
  return conversion
}

class Conversion implements RecordData {
  readonly columns: ColumnData[] = []
  readonly references: ReferenceData[] = []
  readonly links: LinksData[] = []
  readonly properties: Record<string, unknown> = {}
  readonly #by: 'client' | 'server'
  readonly #pointer: string

  constructor (by: 'client' | 'server', pointer: string) {
    this.#by = by
    this.#pointer = pointer
  }

  convert (data: Readonly<Record<string, unknown>>, byName: ReadonlyMap<string, Named>): void {
    for (const name of Object.keys(data)) {
      const value = data[name]
      const known = byName.get(name)
      if (value === undefined || known === undefined || !known.writable) continue
      const { property } = known
      if (known.bound) {
        this.#addColumn({
          property: property as ScalarProperty,
          column: (property as ScalarProperty).column,
          value: value as SqlValue,
        })
        this.properties[property.name] = value
      } else if (property.kind === 'scalar') this.#addScalar(property, name, value, this.properties)
      else if (property.kind === 'embedded') this.#addEmbedded(property, name, value, this.properties)
      else if (property.many) this.#addLinks(property, name, value)
      else this.#addReference(property, name, value)
    }
  }

  #addScalar (property: ScalarProperty, name: string, value: unknown, into: Record<string, unknown>): void {
    if (value === null) {
      this.#addColumn({ property, column: property.column, value })
      into[property.name] = null
      return
    }
    const converted = this.#certain(name, scalarValue(property, value))
    const data = { property, column: property.column, value: converted.value }
    this.#addColumn(converted.raw ? { ...data, raw: true } : data)
    into[property.name] = property.hydrate === undefined
      ? value
      : property.hydrate(value, converted.raw ? value as SqlValue : converted.value)
  }

  #addEmbedded (embedded: EmbeddedProperty, name: string, value: unknown, into: Record<string, unknown>): void {
    const own: Record<string, unknown> = {}
    into[embedded.name] = value === null ? null : own
    if (value !== null && !isObject(value)) throw unconvertible(`${this.#pointer}/${name}`, name, 'an object')
    for (const [key, member] of membersFor(this.#by, embedded.properties)) {
      const given = value?.[key]
      if (given === undefined && (member.hidden || (value !== null && member.write.generated))) continue
      // an embedded object is replaced as a whole, so that a missing member is null
      const part = given ?? null
      if (member.kind === 'scalar') this.#addScalar(member, `${name}.${key}`, part, own)
      else if (member.kind === 'embedded') this.#addEmbedded(member, `${name}.${key}`, part, own)
    }
  }

  #addReference (relation: RelationProperty, name: string, value: unknown): void {
    const key = value === null ? relation.key.map(() => null) : this.#keyOf(relation, name, value)
    for (const [index, { column, shared }] of relation.key.entries()) {
      if (value !== null || !shared) this.#addColumn({ property: relation, column, value: key[index]! })
    }
    if (value !== null) this.references.push({ relation, key })
    this.properties[relation.name] = value === null || key.length === 1 ? key[0] : key
  }

  #addLinks (relation: RelationProperty, name: string, value: unknown): void {
    const keys = new Map<string, readonly SqlValue[]>()
    for (const item of value as readonly unknown[]) {
      const key = this.#keyOf(relation, name, item)
      keys.set(JSON.stringify(key), key)
    }
    this.links.push({ relation, keys: [...keys.values()] })
    this.properties[relation.name] = [...keys.values()].map((key) => key.length === 1 ? key[0] : key)
  }

  /** The key of a related record: one value, or the members of an object if the key is composite. */
  #keyOf (relation: RelationProperty, name: string, value: unknown): readonly SqlValue[] {
    const parts = keyParts(relation)
    return parts.map((part) => {
      const given = parts.length > 1 ? (value as Record<string, unknown>)[part.publicName] : value
      return this.#certain(name, keyFromJson(given, part)).value
    })
  }

  /** Adds a value. If the application uses both names of a property in the same data, the last value is used. */
  #addColumn (data: ColumnData): void {
    const other = this.#by === 'server'
      ? this.columns.findIndex(({ property, column }) => property === data.property && column === data.column)
      : -1
    if (other < 0) this.columns.push(data)
    else this.columns[other] = data
  }

  #certain (name: string, converted: Converted): Converted & { ok: true } {
    if (converted.ok) return converted
    const place = name.split('.').map((part) => `/${escapedName(part)}`).join('')
    throw unconvertible(`${this.#pointer}${place}`, name, converted.expected)
  }
}

function unconvertible (pointer: string, name: string, expected: string): RequestValidationError {
  return new RequestValidationError([{
    source: { pointer },
    code: 'FST_ERR_VALIDATION',
    detail: `'${name}' must be ${expected}.`,
  }])
}

type Members = EmbeddedProperty['properties']

const membersByName = {
  client: new WeakMap<Members, ReadonlyMap<string, Property>>(),
  server: new WeakMap<Members, ReadonlyMap<string, Property>>(),
}

/**
 * The members of an embedded object by the names that data uses. Clients use public names. The application can also set
 * hidden members, by their property names.
 */
export function membersFor (by: 'client' | 'server', properties: Members): ReadonlyMap<string, Property> {
  let members = membersByName[by].get(properties)
  if (members === undefined) {
    const written = [...properties.values()].filter(({ write }) => write.persisted)
    const hidden = by === 'server' ? written.filter(({ hidden }) => hidden) : []
    members = new Map([
      ...hidden.map((member) => [member.name, member] as const),
      ...written.filter(({ hidden }) => !hidden).map((member) => [member.publicName, member] as const),
    ])
    membersByName[by].set(properties, members)
  }
  return members
}
