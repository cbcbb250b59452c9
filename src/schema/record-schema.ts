/** The JSON Schema of a record, and of the pages that records come in. */
import { Type, type TSchema } from '@sinclair/typebox'
import type { EntityModel, Property } from '../model/index.ts'
import { nullable, valueSchema } from './value-schema.ts'

/**
 * Schema of a record as reads return it. Nothing in it is required, since `fields` may select less, and an included
 * relation takes the place of its key.
 */
export function recordSchema (model: EntityModel): TSchema {
  const properties: Record<string, TSchema> = {}
  for (const property of model.properties.values()) {
    if (!property.hidden) properties[property.publicName] = Type.Optional(propertySchema(property))
  }
  return Type.Object(properties, { title: model.name })
}

function propertySchema (property: Property): TSchema {
  switch (property.kind) {
    case 'scalar': return property.codec === undefined ? nullable(valueSchema(property.type), property.nullable) : Type.Any()
    case 'embedded': return nullable(Type.Object(Object.fromEntries([...property.properties.values()]
      .filter((member) => !member.hidden).map((member) => [member.publicName, propertySchema(member)]))), property.nullable)
    case 'relation': return relationSchema(property)
  }
}

/** A relation is the records it includes, or where it holds one, its key. */
function relationSchema (relation: Extract<Property, { kind: 'relation' }>): TSchema {
  const record = Type.Object({}, { title: relation.target.name, additionalProperties: true })
  if (relation.many) return Type.Array(record)
  const [part, ...more] = relation.key
  const key = part === undefined ? [] : more.length > 0 ? [Type.Object(Object.fromEntries(relation.key.map((part) => [part.publicName, valueSchema(part.type)])))] : [valueSchema(part.type)]
  return Type.Union([...key, record, Type.Null()])
}

const Total = Type.Union([Type.Integer(), Type.Null()])

/** Schema of a list's answer, by page or by offset. */
export function listSchema (record: TSchema): TSchema {
  const items = Type.Array(record)
  const ends = { has_next: Type.Boolean(), has_prev: Type.Boolean() }
  return Type.Union([
    Type.Object({ items, total: Total, page: Type.Integer(), per_page: Type.Integer(), total_pages: Total, ...ends }),
    Type.Object({ items, total: Total, limit: Type.Integer(), offset: Type.Integer(), ...ends }),
  ])
}
