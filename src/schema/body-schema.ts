/**
 * The JSON Schemas of bodies. They only describe bodies: `readData` (`src/plan/data.ts`) decides exactly which bodies
 * are accepted, because a validator that coerces values and drops members would change them. The schemas accept
 * everything that `readData` accepts from a client.
 */
import { Type, type TSchema } from '@sinclair/typebox'
import {
  keyColumns,
  type EmbeddedProperty,
  type EntityModel,
  type Property,
  type RelationProperty,
  type ScalarProperty,
} from '../model/index.ts'
import type { BodyRules } from '../plan/index.ts'
import { nullable } from './nullable.ts'
import { exampleOf, inputSchema, isLikely } from './wire-types.ts'

export interface BodyOptions {
  /** The rules for the properties that the body may set. */
  readonly rules: BodyRules | undefined
  /** Also names read-only properties, which are ignored. Default: false. */
  readonly readonly?: boolean
}

/** Schema of a new record. Properties without a default that cannot be null are required. */
export function createSchema (model: EntityModel, options: BodyOptions): TSchema {
  return bodySchema(model, options, 'New')
}

/** Schema of a change. Properties that are not given stay unchanged. */
export function updateSchema (model: EntityModel, options: BodyOptions): TSchema {
  return bodySchema(model, options, 'Changes of')
}

/** Schema of a body. The body of an operation without rules has no properties. */
function bodySchema (model: EntityModel, { rules, readonly = false }: BodyOptions, title: string): TSchema {
  const needed = new Set(rules?.required.map(({ property }) => property))
  const properties: Record<string, TSchema> = {}
  const example: Record<string, unknown> = {}
  for (const property of model.properties.values()) {
    const { publicName, hidden } = property
    if (hidden) continue
    if (rules?.properties.has(property)) {
      const schema = propertySchema(property)
      const required = needed.has(property)
      properties[publicName] = required ? schema : Type.Optional(schema)
      if (required || (property.kind === 'scalar' && isPlain(property))) {
        example[publicName] = exampleOfProperty(property)
      }
    } else if (readonly) {
      properties[publicName] = Type.Optional(Type.Unknown({ readOnly: true, description: 'Ignored.' }))
    }
  }
  return Type.Object(properties, {
    title: `${title} ${model.name}`,
    additionalProperties: false,
    ...(Object.keys(example).length > 0 && { examples: [example] }),
  })
}

function propertySchema (property: Property): TSchema {
  switch (property.kind) {
    case 'scalar':
      return nullable(scalarSchema(property), property.nullable)
    case 'embedded':
      return nullable(membersSchema(property.properties), property.nullable)
    case 'relation':
      return property.many
        ? Type.Array(linkSchema(property))
        : nullable(referenceSchema(property.key), property.nullable)
  }
}

function scalarSchema ({ type, codec, embedded }: ScalarProperty): TSchema {
  // a custom type decides itself which values it accepts
  if (codec?.fromJson !== undefined) return Type.Unknown()
  if (embedded === undefined) return inputSchema(type)
  const members = membersSchema(embedded.properties)
  return embedded.list ? Type.Array(members) : members
}

/** Schema of an embedded object. An update replaces the whole object: members that are not given become null. */
function membersSchema (properties: EmbeddedProperty['properties']): TSchema {
  const members = [...properties.values()].filter(({ hidden, write }) => !hidden && write.persisted)
  return Type.Object(
    Object.fromEntries(members.map((member) => {
      const schema = member.kind === 'relation' ? Type.Unknown() : memberSchema(member)
      return [member.publicName, member.write.optional ? Type.Optional(nullable(schema, true)) : schema]
    })),
    { additionalProperties: false }
  )
}

const memberSchema = (member: ScalarProperty | EmbeddedProperty): TSchema =>
  member.kind === 'scalar' ? scalarSchema(member) : membersSchema(member.properties)

/** Schema of the key of a related record: a value, or an object for a composite key. */
function referenceSchema (parts: RelationProperty['key']): TSchema {
  const [part, ...more] = parts
  if (part !== undefined && more.length === 0) return inputSchema(part.type)
  return Type.Object(Object.fromEntries(parts.map(({ publicName, type }) => [publicName, inputSchema(type)])), {
    additionalProperties: false,
  })
}

const linkSchema = ({ target }: RelationProperty): TSchema =>
  referenceSchema(
    target.primaryKey.flatMap(({ property, columns }) =>
      columns.map((column) => ({ ...column, publicName: property.publicName }))
    )
  )

/** Whether clients are likely to set the property. */
const isPlain = ({ type, codec, embedded }: ScalarProperty): boolean =>
  codec === undefined && embedded === undefined && isLikely(type)

function exampleOfProperty (property: Property): unknown {
  if (property.kind === 'scalar') return exampleOf(property.type)
  if (property.kind === 'embedded') {
    return Object.fromEntries(
      [...property.properties.values()].filter(({ write }) => write.persisted && !write.optional).map((
        member
      ) => [member.publicName, exampleOfProperty(member)])
    )
  }
  const [part, ...more] = property.many
    ? keyColumns(property.target).map((column) => ({ ...column, publicName: '' }))
    : property.key
  const values = part === undefined
    ? 1
    : more.length === 0
      ? keyExample(part)
      : Object.fromEntries(property.key.map((part) => [part.publicName, keyExample(part)]))
  return property.many ? [values] : values
}

const keyExample = ({ type }: { readonly type: ScalarProperty['type'] }): unknown =>
  type.kind === 'integer' ? 1 : exampleOf(type)
