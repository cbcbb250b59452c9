/** Keys in MikroORM's metadata: their columns, and the types of the values that these finally hold. */
import type { EntityMetadata, EntityProperty, Platform } from '@mikro-orm/core'
import { ConfigError } from '../base/errors.ts'
import { codecOf, isVerbatim } from './codec.ts'
import type { Join, KeyColumn, KeyPart, PrimaryKeyPart, Property } from './entity-model.ts'
import { valueTypeOf } from './column-types.ts'

function columnsOf (property: EntityProperty, platform: Platform): readonly KeyColumn[] {
  return Object.freeze(property.fieldNames.map((column, index) => {
    const type = valueTypeOf(property.columnTypes[index] ?? 'text', {
      runtimeType: scalarRuntimeType(property),
      items: property.items,
    })
    const final = finalProperty(property, column)
    return {
      column,
      type,
      codec: final && codecOf(final, type, platform),
      verbatim: isVerbatim(property) && final !== undefined && isVerbatim(final),
    }
  }))
}

/** The JavaScript type of a key. For a foreign key, it is the type of the property that is finally referred to. */
function scalarRuntimeType (property: EntityProperty): string | undefined {
  const [first] = property.targetMeta?.getPrimaryProps() ?? []
  return first === undefined ? property.runtimeType : scalarRuntimeType(first)
}

/** The parts of an entity's primary key. */
export function primaryKeyOf (
  meta: EntityMetadata,
  properties: ReadonlyMap<string, Property>,
  platform: Platform
): readonly PrimaryKeyPart[] {
  const parts = meta.getPrimaryProps().map((source) => ({
    property: properties.get(source.name) as PrimaryKeyPart['property'],
    columns: columnsOf(source as EntityProperty, platform),
  }))
  if (parts.length === 0) {
    throw new ConfigError(`The entity ${meta.className} can't be a resource: it has no primary key.`)
  }
  return Object.freeze(parts)
}

/** The foreign key of an owning relation. */
export function foreignKeyOf (
  source: EntityProperty,
  join: Join,
  targetMeta: EntityMetadata,
  platform: Platform
): readonly KeyPart[] {
  const targets = Object.values(targetMeta.properties) as EntityProperty[]
  return Object.freeze(join.columns.map((column, index) => {
    const targetColumn = join.targetColumns[index]!
    const target = targets.find((property) =>
      property.fieldNames?.includes(targetColumn) && property.embedded === undefined
    )
    const type = valueTypeOf(source.columnTypes[index] ?? 'text', {
      runtimeType: target && scalarRuntimeType(target),
      items: target?.items,
    })
    const referred = target && finalProperty(target, targetColumn)
    const shared = source.ownColumns?.includes(column) === false
    const verbatim = isVerbatim(source) && referred !== undefined && isVerbatim(referred)
    return {
      column,
      type,
      codec: referred && codecOf(referred, type, platform),
      verbatim,
      publicName: memberNameOf(target, targetColumn),
      shared,
    }
  }))
}

/**
 * The name of a column in the object of a composite key: `row`. A relation to another composite key has several
 * columns, such as `hall.house` and `hall.number`.
 */
function memberNameOf (property: EntityProperty | undefined, column: string): string {
  if (property === undefined) return column
  const name = property.serializedName ?? property.name
  return property.fieldNames.length === 1 ? name : `${name}.${memberNameOf(...referredBy(property, column))}`
}

/** The scalar property behind a column of a key. A key may be a relation to an entity whose key is also one. */
function finalProperty (property: EntityProperty, column: string): EntityProperty | undefined {
  if (property.referencedColumnNames?.[property.fieldNames.indexOf(column)] === undefined) return property
  const [next, referred] = referredBy(property, column)
  return next && finalProperty(next, referred)
}

/** The property and the column of the related entity that a column of a foreign key refers to. */
function referredBy (property: EntityProperty, column: string): [EntityProperty | undefined, string] {
  const referred = property.referencedColumnNames[property.fieldNames.indexOf(column)]!
  const next = (property.targetMeta?.props as EntityProperty[] | undefined)?.find(({ fieldNames, persist }) =>
    persist !== false && fieldNames?.includes(referred)
  )
  return [next, referred]
}
