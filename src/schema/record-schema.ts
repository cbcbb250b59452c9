/** The JSON Schema of a record in an answer. */
import * as Type from '@sinclair/typebox'
import type { TObject, TSchema } from '@sinclair/typebox'
import type { EmbeddedProperty, EntityModel, Property, RelationProperty, ScalarProperty } from '../model/index.ts'
import type { Aggregate } from '../plan/index.ts'
import { nodeOf, NOTHING_INCLUDED, type IncludeLevel } from './include-tree.ts'
import { nullable, valueSchema } from './value-schemas.ts'

interface RecordOptions {
  /** The includes that a client may request. */
  readonly includes: IncludeLevel
  /** Whether every property is present, because `fields` cannot leave any out. Default: false. */
  readonly complete?: boolean
  /** The relations whose children the answer of a write has. */
  readonly children?: ReadonlySet<RelationProperty>
}

/** Schema of a record as reads return it. An included relation replaces its key. */
export function recordSchema (model: EntityModel, { includes, complete = false, children }: RecordOptions): TObject {
  const properties: Record<string, TSchema> = {}
  for (const property of model.properties.values()) {
    if (property.hidden) continue
    if (property.kind !== 'relation') {
      properties[property.publicName] = complete
        ? valueOf(property)
        : Type.Optional(valueOf(property))
    } else {
      const schema = children?.has(property) ? childrenSchema(property) : relationSchema(property, includes)
      if (schema !== undefined) {
        properties[property.publicName] = complete && isColumn(property)
          ? schema
          : Type.Optional(schema)
      }
    }
  }
  for (const { aggregate } of includes.aggregates) {
    properties[aggregate.name] = Type.Optional(aggregateSchema(aggregate))
  }
  return Type.Object(properties, { title: model.name })
}

/** Schema of the children that a write has added or changed. */
const childrenSchema = ({ target }: RelationProperty): TSchema =>
  Type.Array(recordSchema(target, { includes: NOTHING_INCLUDED, complete: true }), {
    description: 'The records that the body has added or changed, in its order.',
  })

/**
 * Schema of an aggregate. Without related rows, `count` and `exists` still have a value, but the other functions return
 * null.
 */
function aggregateSchema ({ function: fn, property, type }: Aggregate): TSchema {
  if (fn === 'count') return Type.Integer({ minimum: 0 })
  return nullable(property?.codec === undefined ? valueSchema(type) : Type.Unknown(), fn !== 'exists')
}

/** Whether a relation is always present, at least as a key. */
const isColumn = ({ join }: RelationProperty): boolean => join.kind === 'owner'

function valueOf (property: ScalarProperty | EmbeddedProperty): TSchema {
  return nullable(
    property.kind === 'scalar' ? scalarSchema(property) : membersSchema(property.properties),
    property.nullable
  )
}

function scalarSchema ({ type, codec, embedded }: ScalarProperty): TSchema {
  // a custom type or a serializer decides the JSON
  if (codec !== undefined) return Type.Unknown()
  if (embedded === undefined) return valueSchema(type)
  const members = membersSchema(embedded.properties)
  return embedded.list ? Type.Array(members) : members
}

/** Schema of an embedded object. Members of stored JSON are not guaranteed to be present. */
function membersSchema (properties: ReadonlyMap<string, Property>): TSchema {
  const members = [...properties.values()].filter((member) =>
    !member.hidden && member.kind !== 'relation'
  ) as (ScalarProperty | EmbeddedProperty)[]
  return Type.Object(
    Object.fromEntries(
      members.map((member) => [member.publicName, Type.Optional(nullable(valueOf(member), member.write.optional))])
    )
  )
}

/**
 * Schema of a relation: its included records, or its key if it holds one. It is `undefined` if the relation shows
 * neither.
 */
function relationSchema (relation: RelationProperty, includes: IncludeLevel): TSchema | undefined {
  const node = nodeOf(relation, includes)
  const record = node && recordSchema(relation.target, { includes: node, complete: node.entry.fields.size === 0 })
  if (relation.many) return record && Type.Array(record)
  const shown = [...keySchema(relation), ...(record === undefined ? [] : [record])]
  if (shown.length === 0) return undefined
  // a soft-deleted record is null even if the key is required
  return shown.length === 1 && record === undefined
    ? nullable(shown[0]!, relation.nullable)
    : Type.Union([...shown, Type.Null()])
}

function keySchema ({ key }: RelationProperty): TSchema[] {
  const [part, ...more] = key
  if (part === undefined) return []
  return more.length === 0
    ? [valueSchema(part.type)]
    : [Type.Object(Object.fromEntries(key.map(({ publicName, type }) => [publicName, valueSchema(type)])))]
}
