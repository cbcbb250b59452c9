/** Refuses, at start-up, entities and operations that a distributed server cannot serve. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { filtersOfEntity } from '../resource/index.ts'
import { distributionOf, tableIn } from '../run/index.ts'
import { reasonOfEntity } from './unit-of-work/reason.ts'

/**
 * Refuses a resource whose table is distributed by a column.
 *
 * @param what the resource, as the subject of a sentence
 * @param creates whether it creates records
 * @throws {ConfigError} for a unique constraint without the distribution column, and for records that cannot be created
 */
export function checkDistributed (what: string, em: EntityManager, model: EntityModel, creates: boolean): void {
  const distribution = distributionOf(em)
  const table = distribution && tableIn(distribution, model.table)
  if (table?.kind !== 'distributed') return
  const { column } = table
  for (const { columns } of model.uniques) {
    if (columns.includes(column)) continue
    throw new ConfigError(
      `${what}: ${model.table} is distributed by "${column}", so it cannot have a unique constraint on ${
        columns.map((name) => `"${name}"`).join(', ')
      } alone. Add the property of "${column}" to it, or make the table a reference table.`
    )
  }
  if (
    !creates || !model.primaryKey.some(({ property: { write } }) => write.generated && write.onCreate === undefined)
  ) {
    return
  }
  const reason = reasonOfEntity(em, model, 'create')
  if (reason !== undefined) {
    throw new ConfigError(
      `${what}: to create ${model.name} takes MikroORM's unit of work, because of ${reason}, and the database makes ` +
        `its keys. ${model.table} is distributed, and MikroORM would give new rows the keys of other rows: make the ` +
        'key with onCreate, as in p.uuid().primary().onCreate(() => randomUUID()).'
    )
  }
  const counted = model.primaryKey.some(({ property, columns: [part] }) =>
    property.write.generated && property.write.onCreate === undefined && part?.type.kind === 'integer'
  )
  const guarded = guardedReference(em, model)
  if (counted && guarded !== undefined) {
    throw new ConfigError(
      `${what}: the database counts the keys of ${model.name} as integers. ${model.table} is distributed, and cannot ` +
        `count while it checks whether the record of '${guarded.name}' is hidden: make the key a bigint or a uuid.`
    )
  }
}

/** A relation whose records may be hidden although their rows exist. */
function guardedReference (em: EntityManager, { properties }: EntityModel): RelationProperty | undefined {
  return [...properties.values()].find((property): property is RelationProperty =>
    property.kind === 'relation' && property.join.kind === 'owner' &&
    (property.target.deletedAt !== undefined || filtersOfEntity(em, property.target.entity).length > 0)
  )
}
