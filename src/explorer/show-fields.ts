/** Describes the types of values and the properties of records. */
import {
  keyColumnNames, type EmbeddedProperty, type EntityModel, type KeyPart, type Property, type RelationProperty,
  type ScalarProperty, type ValueType,
} from '../model/index.ts'
import { valueSchema } from '../schema/index.ts'
import type { Description } from '../catalogue/index.ts'
import type { FieldDescription, Reference, ValueDescription } from './description.ts'

/** The resource that has the records of an entity, for this caller. */
export type ReferenceTo = (model: EntityModel) => Reference

/**
 * The properties that records show if a request does not select any.
 *
 * @param selectable the properties by the names with which they are selected
 * @param settable the properties that bodies may set
 */
export function showFields (
  model: EntityModel,
  selectable: ReadonlyMap<string, Property>,
  referenceTo: ReferenceTo,
  settable?: Description['settable']
): FieldDescription[] {
  const selected = new Map([...selectable].map(([name, property]) => [property, name]))
  const keys = new Set<Property>(model.primaryKey.map(({ property }) => property))
  return [...model.properties.values()].filter(isShown).map((property) => ({
    name: property.publicName,
    select: selected.get(property) ?? null,
    value: describeProperty(property),
    nullable: property.nullable,
    key: keys.has(property),
    create: settable?.create?.has(property) === true,
    update: settable?.update?.has(property) === true,
    reference: property.kind === 'relation' ? referenceOf(property, referenceTo) : null,
  }))
}

/**
 * The records whose keys are the values of a relation. `null` for a relation by another unique property, such as a
 * code: a path that ends with its value would lead to another record.
 */
export function referenceOf ({ join, target }: RelationProperty, referenceTo: ReferenceTo): Reference | null {
  const key = keyColumnNames(target)
  return join.targetColumns.every((column) => key.includes(column)) ? referenceTo(target) : null
}

/** Whether records show a property: relations without a key column are shown only as includes. */
const isShown = (property: Property): boolean =>
  !property.hidden && (property.kind !== 'relation' || property.join.kind === 'owner')

function describeProperty (property: Property): ValueDescription {
  switch (property.kind) {
    case 'scalar':
      return describeScalar(property)
    case 'embedded':
      return { type: 'object', json: 'object', members: describeMembers(property.properties) }
    case 'relation':
      return describeKey(property.key)
  }
}

/** The value of a property of one column. A custom type or a serializer decides the form in JSON. */
function describeScalar ({ type, codec, embedded }: ScalarProperty): ValueDescription {
  if (codec !== undefined) return CUSTOM
  if (embedded === undefined) return describeType(type)
  return { type: 'object', json: embedded.list ? 'array' : 'object', members: describeMembers(embedded.properties) }
}

/** A value of a custom type, whose form only the server knows. */
export const CUSTOM: ValueDescription = { type: 'custom', json: 'any' }

function describeMembers (properties: EmbeddedProperty['properties']): FieldDescription[] {
  return [...properties.values()].filter(({ hidden }) => !hidden).map((property) => ({
    name: property.publicName,
    select: null,
    value: describeProperty(property),
    nullable: property.nullable,
    key: false,
    create: property.write.writable,
    update: property.write.writable,
    reference: null,
  }))
}

/** The key of a related record. */
function describeKey (key: readonly KeyPart[]): ValueDescription {
  const [part, ...more] = key
  if (part !== undefined && more.length === 0) return describePart(part)
  return {
    type: 'object',
    json: 'object',
    members: key.map((part) => ({
      name: part.publicName,
      select: null,
      value: describePart(part),
      nullable: false,
      key: true,
      create: true,
      update: true,
      reference: null,
    })),
  }
}

const describePart = ({ type, codec }: KeyPart): ValueDescription => codec === undefined ? describeType(type) : CUSTOM

/** The values of a type. */
export function describeType (type: ValueType): ValueDescription {
  return { type: type.kind, json: jsonOf(type), ...valueLimits(type) }
}

function jsonOf (type: ValueType): ValueDescription['json'] {
  const { type: name } = valueSchema(type) as { readonly type?: string }
  switch (name) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'object':
    case 'array':
      return name
    default:
      return 'any'
  }
}

function valueLimits (type: ValueType): Partial<ValueDescription> {
  switch (type.kind) {
    case 'integer':
      return { minimum: type.min, maximum: type.max }
    case 'decimal':
      return {
        ...(type.precision !== undefined && { precision: type.precision }),
        ...(type.scale !== undefined && { scale: type.scale }),
      }
    case 'text':
      return type.maxLength === undefined ? {} : { maxLength: type.maxLength }
    case 'enum':
      return { items: type.items }
    case 'datetime':
      return { zoned: type.zoned }
    case 'array':
      return { element: describeType(type.element) }
    case 'range':
      return { element: describeType(type.end) }
    default:
      return {}
  }
}
