/**
 * Converts the data of a write, the JSON of a body with public names, to values of columns. One pass finds all errors
 * of a record. A property that may not be written is refused by name.
 */
import { ErrorList } from '../error-list.ts'
import { ConfigError, RequestValidationError, type ErrorItem } from '../errors.ts'
import { escapedName } from '../json-pointer.ts'
import {
  embeddedToStored,
  fromJson,
  isObject,
  keyFromJson,
  type Converted,
  type EmbeddedProperty,
  type EntityModel,
  type Property,
  type RelationProperty,
  type ScalarProperty,
  type SqlValue,
} from '../model/index.ts'
import { ALLOWED_LIMIT, didYouMean, listed, nearest } from '../suggest.ts'
import { cited } from './refusal.ts'
import { namesForServer, type BodyRules } from './writable.ts'

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

export interface DataOptions {
  /** The rules of a body, or `server` for data of the application, which may set everything that has a column. */
  readonly by: BodyRules | 'server'
  /** Given if the data is the complete new record. The rules say which properties it must have. */
  readonly complete?: BodyRules
  /** Looks for errors of the record as a whole. */
  readonly check?: (record: RecordData) => readonly ErrorItem[]
  /** The prefix of all pointers in errors, e.g. `/1` in a batch. */
  readonly pointer?: string
}

/**
 * Reads the data of one record.
 *
 * @throws {RequestValidationError} with an item for each property that is unknown, not writable or missing, or has a
 *   value that its column cannot hold
 * @throws {ConfigError} if a new record lacks a value that no client may write
 */
export function readData (data: unknown, model: EntityModel, options: DataOptions): RecordData {
  const reader = new Reader(model, options)
  reader.read(data)
  if (options.check !== undefined) { for (const item of options.check(reader)) reader.errors.add(() => item) }
  if (reader.errors.count > 0) throw new RequestValidationError(reader.errors.items, reader.errors)
  const unfilled = options.complete?.unfilled.find((property) => !reader.given.has(property))
  if (unfilled !== undefined) throw unfilledError(unfilled, model)
  return reader
}

/** Names the property only in the cause, for the log, because clients cannot fix this and may not know the property. */
function unfilledError (property: Property, model: EntityModel): ConfigError {
  const cause = new ConfigError(
    `${model.name}.${property.name} is required, no client may write it, and neither beforeCreate nor 'values' nor ` +
      'a scope has set it.'
  )
  return new ConfigError('The server lacks a value that new records need.', { cause })
}

class Reader implements RecordData {
  readonly columns: ColumnData[] = []
  readonly references: ReferenceData[] = []
  readonly links: LinksData[] = []
  readonly properties: Record<string, unknown> = {}
  readonly errors: ErrorList<ErrorItem>
  readonly given = new Set<Property>()
  readonly #model: EntityModel
  readonly #options: DataOptions

  constructor (model: EntityModel, options: DataOptions, errors = new ErrorList<ErrorItem>()) {
    this.#model = model
    this.#options = options
    this.errors = errors
  }

  read (data: unknown): void {
    if (!isObject(data)) {
      this.#refuse('', 'A record must be an object.')
      return
    }
    const { by, complete } = this.#options
    const byName = by === 'server' ? namesForServer(this.#model) : by.byName
    for (const name of Object.keys(data)) {
      const known = byName.get(name)
      if (known === undefined || !known.writable) {
        this.#refuseName(name, known?.property)
        continue
      }
      const value = data[name]
      if (value === undefined) continue
      this.given.add(known.property)
      this.#readProperty(known.property, known.pointer, name, value)
    }
    if (complete === undefined) return
    for (const { property, pointer } of complete.required) {
      if (!this.given.has(property)) this.#refuse(pointer, `The property '${property.publicName}' is required.`)
    }
  }

  /**
   * Refuses a property that may not be written. Unknown and hidden properties have the same message. The message for a
   * property that reads show says that it cannot be written.
   */
  #refuseName (name: string, property: Property | undefined): void {
    this.errors.add(() => this.#unwritable(name, property))
  }

  #unwritable (name: string, property: Property | undefined): ErrorItem {
    const { by } = this.#options
    const writable = [...by === 'server' ? this.#model.properties.values() : by.properties].filter((property) =>
      property.write.writable
    ).map((property) => property.publicName)
    const near = nearest(name, writable)
    const suggestion = near === name ? undefined : near
    const shown = cited(name)
    const sentence = property === undefined || property.hidden
      ? `There is no property '${shown}' to write`
      : `The property '${shown}' cannot be written`
    return {
      source: { pointer: `${this.#options.pointer ?? ''}/${escapedName(shown)}` },
      code: CODE,
      detail: didYouMean(sentence, suggestion),
      allowed: listed(writable),
      ...(suggestion !== undefined && { suggestion }),
    }
  }

  #readProperty (property: Property, pointer: string, name: string, value: unknown): void {
    if (value === null && !property.nullable) this.#refuse(pointer, `'${name}' cannot be null.`)
    else if (property.kind === 'scalar') this.#readScalar(property, pointer, name, value)
    else if (property.kind === 'embedded') this.#readEmbedded(property, pointer, name, value, this.properties)
    else if (property.many) this.#readLinks(property, pointer, name, value)
    else this.#readReference(property, pointer, name, value)
  }

  #readScalar (
    property: ScalarProperty,
    pointer: string,
    name: string,
    value: unknown,
    into: Record<string, unknown> = this.properties
  ): void {
    if (
      value !== null && property.embedded !== undefined && !this.#checkEmbedded(property.embedded, pointer, name, value)
    ) return
    const converted: Converted = value === null
      ? { ok: true, value: null }
      : property.codec?.fromJson?.(value) ??
        fromJson(property.embedded === undefined ? value : embeddedToStored(value, property.embedded), property.type)
    if (!converted.ok) {
      this.#refuse(`${pointer}${converted.at ?? ''}`, `'${name}' must be ${converted.expected}.`, converted.allowed)
      return
    }
    this.#addColumn({ property, column: property.column, value: converted.value })
    into[property.name] = value === null || property.hydrate === undefined
      ? value
      : property.hydrate(value, converted.value)
  }

  /** Checks an embedded object that is stored as JSON, with the same rules as one that is stored in columns. */
  #checkEmbedded (
    { list, properties }: NonNullable<ScalarProperty['embedded']>,
    pointer: string,
    name: string,
    value: unknown
  ): boolean {
    if (list && !Array.isArray(value)) {
      this.#refuse(pointer, `'${name}' must be a list.`)
      return false
    }
    const before = this.errors.count
    const reader = new Reader(this.#model, this.#options, this.errors)
    for (const [index, item] of (list ? value as unknown[] : [value]).entries()) {
      const at = list ? `/${index}` : ''
      reader.#readMembers(properties, `${pointer}${at}`, list ? `${name}[${index}]` : name, item, {})
    }
    return this.errors.count === before
  }

  #readEmbedded (
    embedded: EmbeddedProperty,
    pointer: string,
    name: string,
    value: unknown,
    into: Record<string, unknown>
  ): void {
    const own: Record<string, unknown> = {}
    into[embedded.name] = value === null ? null : own
    this.#readMembers(embedded.properties, pointer, name, value, own)
  }

  #readMembers (
    properties: EmbeddedProperty['properties'],
    pointer: string,
    name: string,
    value: unknown,
    own: Record<string, unknown>
  ): void {
    if (value !== null && !isObject(value)) {
      this.#refuse(pointer, `'${name}' must be an object.`)
      return
    }
    const members = membersFor(this.#options.by === 'server' ? 'server' : 'client', properties)
    const allowed = [...members.values()].filter(({ hidden }) => !hidden).map(({ publicName }) => publicName).slice(
      0,
      ALLOWED_LIMIT
    )
    for (const unknown of Object.keys(value ?? {}).filter((key) => !members.has(key))) {
      this.#refuse(
        `${pointer}/${escapedName(cited(unknown))}`,
        `'${name}' has no property '${cited(unknown)}'.`,
        allowed
      )
    }
    for (const [key, member] of members) {
      const given = (value as Record<string, unknown> | null)?.[key]
      if (given === undefined && (member.hidden || (value !== null && member.write.generated))) continue
      // an embedded object is replaced as a whole, so that a missing member is null
      const part = given ?? null
      const path = `${pointer}/${escapedName(key)}`
      if (part === null && value !== null && !member.write.optional) this.#refuse(path, `'${name}.${key}' is required.`)
      else if (member.kind === 'scalar') this.#readScalar(member, path, `${name}.${key}`, part, own)
      else if (member.kind === 'embedded') this.#readEmbedded(member, path, `${name}.${key}`, part, own)
    }
  }

  #readReference (relation: RelationProperty, pointer: string, name: string, value: unknown): void {
    const key = value === null ? relation.key.map(() => null) : this.#readKey(relation, pointer, name, value)
    if (key === undefined) return
    for (const [index, { column, shared }] of relation.key.entries()) {
      if (value !== null || !shared) this.#addColumn({ property: relation, column, value: key[index]! })
    }
    if (value !== null) this.references.push({ relation, key })
    this.properties[relation.name] = value === null || key.length === 1 ? key[0] : key
  }

  #readLinks (relation: RelationProperty, pointer: string, name: string, value: unknown): void {
    if (!Array.isArray(value)) {
      this.#refuse(pointer, `'${name}' must be a list of ids.`)
      return
    }
    const keys = new Map<string, readonly SqlValue[]>()
    for (const [index, item] of value.entries()) {
      const key = this.#readKey(relation, `${pointer}/${index}`, name, item)
      if (key !== undefined) keys.set(JSON.stringify(key), key)
    }
    this.links.push({ relation, keys: [...keys.values()] })
    this.properties[relation.name] = [...keys.values()].map((key) => key.length === 1 ? key[0] : key)
  }

  /** Reads the key of a related record: a value, or an object if the key is composite. */
  #readKey (
    { key: own, target, many }: RelationProperty,
    pointer: string,
    name: string,
    value: unknown
  ): readonly SqlValue[] | undefined {
    const parts = many
      ? target.primaryKey.flatMap(({ property, columns }) =>
        columns.map((column) => ({ ...column, publicName: property.publicName }))
      )
      : own
    const composite = parts.length > 1
    if (composite && !isObject(value)) {
      this.#refuse(
        pointer,
        `'${name}' refers to records by an object with ${parts.map((part) => `'${part.publicName}'`).join(', ')}.`
      )
      return undefined
    }
    const unknown = composite
      ? Object.keys(value as object).find((key) => !parts.some((part) => part.publicName === key))
      : undefined
    if (unknown !== undefined) {
      this.#refuse(
        pointer,
        `'${name}' refers to records by an object with only ${parts.map((part) => `'${part.publicName}'`).join(', ')}.`
      )
      return undefined
    }
    const values: SqlValue[] = []
    for (const part of parts) {
      const given = composite ? (value as Record<string, unknown>)[part.publicName] : value
      const converted = keyFromJson(given, part)
      if (!converted.ok) {
        this.#refuse(pointer, `'${name}' must refer to a record by its id: ${converted.expected}.`)
        return undefined
      }
      values.push(converted.value)
    }
    return values
  }

  /** Adds a value. If the application uses both names of a property in the same data, the last value is used. */
  #addColumn (data: ColumnData): void {
    const other = this.#options.by === 'server'
      ? this.columns.findIndex(({ property, column }) => property === data.property && column === data.column)
      : -1
    if (other < 0) this.columns.push(data)
    else this.columns[other] = data
  }

  #refuse (pointer: string, detail: string, allowed?: readonly string[]): void {
    this.errors.add(() => ({
      source: { pointer: `${this.#options.pointer ?? ''}${pointer}` },
      code: CODE,
      detail,
      ...(allowed !== undefined && { allowed }),
    }))
  }
}

const CODE = 'FST_ERR_VALIDATION'

type Members = EmbeddedProperty['properties']

const membersByName = {
  client: new WeakMap<Members, ReadonlyMap<string, Property>>(),
  server: new WeakMap<Members, ReadonlyMap<string, Property>>(),
}

/**
 * The members of an embedded object by the names that data uses. Clients use public names. The application can also set
 * hidden members, by their property names.
 */
function membersFor (by: 'client' | 'server', properties: Members): ReadonlyMap<string, Property> {
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
