/**
 * Converts the data of a write, a body that its schema has accepted, to values of columns. The rules of the schema are
 * the conversions of this file, so no value is refused here.
 */
import { ConfigError } from '../base/errors.ts'
import { madeOnce } from '../base/made-once.ts'
import {
  embeddedToStored, fromJson, keyFromJson, type Converted, type EmbeddedProperty, type KeyPart, type Property,
  type RelationProperty, type ScalarProperty, type SqlValue,
} from '../model/index.ts'
import type { Elsewhere, Named, OwnedChildren } from './body-rules.ts'
import type { ChildrenData, DataColumn, RecordData, ReferenceData, RelationKeys } from './record-data.ts'
import { namesForServer } from './writable.ts'

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

declare const kChecked: unique symbol

/** Data of a write that the schema of its body has accepted (`Body.accepts` in `src/schema/body.ts`). */
export type Checked = Readonly<Record<string, unknown>> & { readonly [kChecked]: true }

/** The names that the data of a record may use. */
export interface DataNames {
  readonly byName: ReadonlyMap<string, Named>
  readonly children: ReadonlyMap<string, OwnedChildren>
  readonly elsewhere?: Elsewhere
}

/**
 * Converts the data of one record.
 *
 * @param latest the columns of the record before, which this one shares if it has the same
 */
export function convertData (
  data: Checked,
  { byName, children }: DataNames,
  by: 'client' | 'server',
  latest: readonly DataColumn[] = []
): RecordData {
  const conversion = new Conversion(by, latest)
  conversion.convert(data, byName)
  if (children.size > 0) conversion.convertChildren(data, children)
  return conversion.result()
}

/** The names that the data of a child may use. The application may set all properties with columns. */
function childNames (
  { relation: { target } }: OwnedChildren,
  rules: DataNames | undefined,
  by: 'client' | 'server'
): DataNames {
  return { byName: by === 'server' ? namesForServer(target) : rules?.byName ?? NO_NAMES, children: NO_NAMES }
}

const NO_NAMES: ReadonlyMap<string, any> = new Map() // any: it is empty

/** Most rows refer to nothing. Rows of a list stay in memory until all of them are written. */
const NONE: readonly never[] = []

class Conversion {
  readonly #by: 'client' | 'server'
  readonly #latest: readonly DataColumn[]
  /** The columns, as soon as they differ from the latest ones. */
  #columns: DataColumn[] | undefined
  readonly #values: SqlValue[]
  #count = 0
  #references: readonly ReferenceData[] = NONE
  #links: readonly RelationKeys[] = NONE
  readonly #properties: Record<string, unknown> = {}
  #children: readonly ChildrenData[] | undefined

  constructor (by: 'client' | 'server', latest: readonly DataColumn[]) {
    this.#by = by
    this.#latest = latest
    // an array that grows keeps spare places in memory, as long as the rows of a list live
    this.#values = new Array<SqlValue>(latest.length)
  }

  result (): RecordData {
    const count = this.#count
    if (this.#values.length > count) this.#values.length = count
    const row: RecordData = {
      columns: this.#columns ?? (this.#latest.length === count ? this.#latest : this.#latest.slice(0, count)),
      values: this.#values,
      references: this.#references,
      links: this.#links,
      properties: this.#properties,
    }
    return this.#children === undefined ? row : { ...row, children: this.#children }
  }

  convert (data: Checked, byName: ReadonlyMap<string, Named>): void {
    for (const name of Object.keys(data)) {
      const value = data[name]
      const known = byName.get(name)
      if (value === undefined || known === undefined || !known.writable) continue
      const { property } = known
      if (known.bound) {
        this.#addColumn(property as ScalarProperty, (property as ScalarProperty).column, value as SqlValue)
        this.#properties[property.name] = value
      } else if (property.kind === 'scalar') this.#addScalar(property, value, this.#properties)
      else if (property.kind === 'embedded') this.#addEmbedded(property, value, this.#properties)
      else if (property.many) this.#addLinks(property, value)
      else this.#addReference(property, value)
    }
  }

  convertChildren (data: Checked, children: ReadonlyMap<string, OwnedChildren>): void {
    for (const [name, owned] of children) {
      const value = data[name]
      if (value !== undefined) this.#children = [...this.#children ?? [], this.#childrenOf(owned, value)]
    }
  }

  #childrenOf (owned: OwnedChildren, value: unknown): ChildrenData {
    const lists = (owned.isNew ? { add: value } : value) as { readonly [List in 'add' | 'update' | 'remove']?: unknown }
    const { key, relation } = owned
    const { add = [], update = [], remove = [] } = lists as Readonly<Record<string, readonly unknown[] | undefined>>
    const [ofNew, ofChanges] = [childNames(owned, owned.create, this.#by), childNames(owned, owned.update, this.#by)]
    return {
      owned,
      add: add.map((child) => convertData(child as Checked, ofNew, this.#by)),
      update: update.map((child) => {
        const rest: Record<string, unknown> = { ...child as Checked }
        for (const { publicName } of key) delete rest[publicName]
        return { key: keyOf(relation, key, child, true), row: convertData(rest as Checked, ofChanges, this.#by) }
      }),
      remove: remove.map((child) => keyOf(relation, key, child)),
      order: Object.keys(lists).filter((list) => list === 'add' || list === 'update'),
    }
  }

  #addScalar (property: ScalarProperty, value: unknown, into: Record<string, unknown>): void {
    if (value === null) {
      this.#addColumn(property, property.column, value)
      into[property.name] = null
      return
    }
    const converted = certain(scalarValue(property, value), property)
    this.#addColumn(property, property.column, converted.value, converted.raw)
    into[property.name] = property.hydrate === undefined
      ? value
      : property.hydrate(value, converted.raw ? value as SqlValue : converted.value)
  }

  #addEmbedded (embedded: EmbeddedProperty, value: unknown, into: Record<string, unknown>): void {
    const own: Record<string, unknown> = {}
    into[embedded.name] = value === null ? null : own
    for (const [key, member] of membersByName[this.#by](embedded.properties)) {
      const given = (value as Readonly<Record<string, unknown>> | null)?.[key]
      if (given === undefined && (member.hidden || (value !== null && member.write.generated))) continue
      // an embedded object is replaced as a whole, so that a missing member is null
      const part = given ?? null
      if (member.kind === 'scalar') this.#addScalar(member, part, own)
      else if (member.kind === 'embedded') this.#addEmbedded(member, part, own)
    }
  }

  #addReference (relation: RelationProperty, value: unknown): void {
    const key = value === null ? relation.key.map(() => null) : keyOf(relation, relation.key, value)
    for (const [index, { column, shared }] of relation.key.entries()) {
      if (value !== null || !shared) this.#addColumn(relation, column, key[index]!)
    }
    if (value !== null) this.#references = [...this.#references, { relation, key }]
    this.#properties[relation.name] = value === null || key.length === 1 ? key[0] : key
  }

  #addLinks (relation: RelationProperty, value: unknown): void {
    const keys = new Map<string, readonly SqlValue[]>()
    const parts = keyParts(relation)
    for (const item of value as readonly unknown[]) {
      const key = keyOf(relation, parts, item)
      keys.set(JSON.stringify(key), key)
    }
    this.#links = [...this.#links, { relation, keys: [...keys.values()] }]
    this.#properties[relation.name] = [...keys.values()].map((key) => key.length === 1 ? key[0] : key)
  }

  /** Adds a value. If the application uses both names of a property in the same data, the last value is used. */
  #addColumn (property: DataColumn['property'], column: string, value: SqlValue, raw?: true): void {
    const index = this.#by === 'server' ? this.#placeOf(property, column) : this.#count
    if (index === this.#count) this.#count++
    this.#values[index] = value
    const known = (this.#columns ?? this.#latest)[index]
    if (known?.property === property && known.column === column && known.raw === raw) return
    this.#columns ??= this.#latest.slice(0, this.#count)
    this.#columns[index] = raw ? { property, column, raw } : { property, column }
  }

  #placeOf (property: DataColumn['property'], column: string): number {
    const columns = this.#columns ?? this.#latest
    for (let index = 0; index < this.#count; index++) {
      if (columns[index]!.property === property && columns[index]!.column === column) return index
    }
    return this.#count
  }
}

/**
 * The key of a related record: one value, or the members of an object.
 *
 * @param named whether the parts of the key are members of the value. Default: if there are several
 */
function keyOf (
  relation: RelationProperty,
  parts: readonly KeyPart[],
  value: unknown,
  named = parts.length > 1
): readonly SqlValue[] {
  return parts.map((part) => {
    const given = named ? (value as Record<string, unknown>)[part.publicName] : value
    return certain(keyFromJson(given, part), relation).value
  })
}

/** A conversion that the check has made before. Only a custom type can give another answer the second time. */
function certain (converted: Converted, { name }: Property): Extract<Converted, { ok: true }> {
  if (converted.ok) return converted
  throw new ConfigError(`The type of '${name}' refuses a value that it has accepted before.`)
}

type Members = EmbeddedProperty['properties']

/**
 * The members of an embedded object by the names that data uses. Clients use public names. The application can also set
 * hidden members, by their property names.
 */
export const membersByName = { client: madeOnce(shownMembers), server: madeOnce(allMembers) }

function shownMembers (members: Members): ReadonlyMap<string, Property> {
  const shown = [...members.values()].filter(({ write, hidden }) => write.persisted && !hidden)
  return new Map(shown.map((member) => [member.publicName, member]))
}

function allMembers (members: Members): ReadonlyMap<string, Property> {
  const hidden = [...members.values()].filter(({ write, hidden }) => write.persisted && hidden)
  return new Map([...hidden.map((member) => [member.name, member] as const), ...shownMembers(members)])
}
