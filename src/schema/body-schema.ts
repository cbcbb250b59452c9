/**
 * The JSON Schemas of bodies. They describe; what a body may hold is decided by `readData` (`src/plan/data.ts`), exactly,
 * where a validator that coerces and drops would change it. Whatever `readData` takes from a client is valid here.
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
  /** What the body may set. */
  readonly rules: BodyRules | undefined
  /** Also name what clients may only read: it is ignored. Default: false. */
  readonly readonly?: boolean
}

/** Schema of a new record: what has neither a default nor may be null is required. */
export function createSchema (model: EntityModel, options: BodyOptions): TSchema {
  return bodySchema(model, options, 'New')
}

/** Schema of a change: only what is given changes. */
export function updateSchema (model: EntityModel, options: BodyOptions): TSchema {
  return bodySchema(model, options, 'Changes of')
}

/** An operation without rules takes a body of nothing. */
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
  // a custom type takes whatever it takes
  if (codec?.fromJson !== undefined) return Type.Unknown()
  if (embedded === undefined) return inputSchema(type)
  const members = membersSchema(embedded.properties)
  return embedded.list ? Type.Array(members) : members
}

/** An embedded object is a value: what it doesn't say is null. */
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

/** The key of a related record: a value, or an object when it is composite. */
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

/** Whether a client is likely to have a value for it. */
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
