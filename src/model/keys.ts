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
      publicName: target?.serializedName ?? target?.name ?? targetColumn,
      shared,
    }
  }))
}

/** The scalar property behind a column of a key. A key may be a relation to an entity whose key is a relation, too. */
function finalProperty (property: EntityProperty, column: string): EntityProperty | undefined {
  const index = property.fieldNames.indexOf(column)
  const referred = property.referencedColumnNames?.[index]
  const next = referred === undefined
    ? undefined
    : (property.targetMeta?.props as EntityProperty[] | undefined)?.find(({ fieldNames, persist }) =>
        persist !== false && fieldNames?.includes(referred)
      )
  return referred === undefined ? property : next && finalProperty(next, referred)
}
