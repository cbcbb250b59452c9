/** Owned children: to-many relations whose other side is a foreign key that each related row must have. */
import type { RelationProperty } from './entity-model.ts'

/**
 * The side of a to-many relation that has the foreign key, as a relation of the related rows. `undefined` if there is
 * no such key, as for a many-to-many relation, or if rows can do without one.
 */
export function owningSide ({ many, join, target }: RelationProperty): RelationProperty | undefined {
  if (!many || join.kind !== 'inverse') return undefined
  const owner = [...target.properties.values()].find((property): property is RelationProperty =>
    property.kind === 'relation' && property.join.kind === 'owner' && !property.many &&
    property.join.columns.length === join.targetColumns.length &&
    property.join.columns.every((column, index) => column === join.targetColumns[index])
  )
  return owner?.nullable === false ? owner : undefined
}
