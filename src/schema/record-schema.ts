/** The JSON Schema of a record as it leaves. */
import { Type, type TObject, type TSchema } from '@sinclair/typebox'
import type { EmbeddedProperty, EntityModel, Property, RelationProperty, ScalarProperty } from '../model/index.ts'
import type { Aggregate } from '../plan/index.ts'
import { nodeOf, type IncludeLevel } from './include-tree.ts'
import { nullable } from './nullable.ts'
import { valueSchema } from './wire-types.ts'

export interface RecordOptions {
  /** What a client may include. Default: any relation, of which nothing is known. */
  readonly includes?: IncludeLevel
  /** Every property is there: nothing can be left out by `fields`. Default: false. */
  readonly complete?: boolean
}

/** Schema of a record as reads return it. An included relation takes the place of its key. */
export function recordSchema (model: EntityModel, { includes, complete = false }: RecordOptions = {}): TObject {
  const properties: Record<string, TSchema> = {}
  for (const property of model.properties.values()) {
    if (property.hidden) continue
    if (property.kind !== 'relation') {
      properties[property.publicName] = complete
        ? valueOf(property)
        : Type.Optional(valueOf(property))
    } else {
      const schema = relationSchema(property, includes)
      if (schema !== undefined) {
        properties[property.publicName] = complete && isColumn(property)
          ? schema
          : Type.Optional(schema)
      }
    }
  }
  for (const aggregate of includes?.aggregates ?? []) {
    properties[aggregate.name] = Type.Optional(aggregateSchema(aggregate))
  }
  return Type.Object(properties, { title: model.name })
}

/** How many there are and whether there are any is known of none, too; their sum, least, greatest and mean are null. */
function aggregateSchema ({ function: fn, property, type }: Aggregate): TSchema {
  if (fn === 'count') return Type.Integer({ minimum: 0 })
  return nullable(property?.codec === undefined ? valueSchema(type) : Type.Unknown(), fn !== 'exists')
}

/** Whether a relation is always there, at least as a key. */
const isColumn = ({ join }: RelationProperty): boolean => join.kind === 'owner'

function valueOf (property: ScalarProperty | EmbeddedProperty): TSchema {
  return nullable(
    property.kind === 'scalar' ? scalarSchema(property) : membersSchema(property.properties),
    property.nullable
  )
}

function scalarSchema ({ type, codec, embedded }: ScalarProperty): TSchema {
  // what a custom type or a serializer makes of it
  if (codec !== undefined) return Type.Unknown()
  if (embedded === undefined) return valueSchema(type)
  const members = membersSchema(embedded.properties)
  return embedded.list ? Type.Array(members) : members
}

/** Of an embedded object; inside JSON nothing has to be there. */
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

/** A relation is the records it includes, or where it holds one, its key; `undefined` when it is neither. */
function relationSchema (relation: RelationProperty, includes: IncludeLevel | undefined): TSchema | undefined {
  const record = includedSchema(relation, includes)
  if (relation.many) return record && Type.Array(record)
  const shown = [...keySchema(relation), ...(record === undefined ? [] : [record])]
  if (shown.length === 0) return undefined
  // a soft-deleted record is null even where the key is required
  return shown.length === 1 && record === undefined
    ? nullable(shown[0]!, relation.nullable)
    : Type.Union([...shown, Type.Null()])
}

function includedSchema (relation: RelationProperty, includes: IncludeLevel | undefined): TSchema | undefined {
  if (includes === undefined) return Type.Object({}, { title: relation.target.name, additionalProperties: true })
  const node = nodeOf(relation, includes)
  return node && recordSchema(relation.target, { includes: node, complete: node.entry.fields.size === 0 })
}

function keySchema ({ key }: RelationProperty): TSchema[] {
  const [part, ...more] = key
  if (part === undefined) return []
  return more.length === 0
    ? [valueSchema(part.type)]
    : [Type.Object(Object.fromEntries(key.map(({ publicName, type }) => [publicName, valueSchema(type)])))]
}
