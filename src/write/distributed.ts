/** Refuses, at start-up, entities and operations that a distributed server cannot serve. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import { quotedName } from '../base/quoted-name.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { filtersOfEntity } from '../resource/index.ts'
import { distributedTable, type Distribution } from '../run/index.ts'
import { tableOfAnswers } from './stored-answers.ts'
import { reasonOfEntity } from './unit-of-work/reason.ts'

/** The operations of a resource that depend on how tables are distributed. */
interface ResourceWrites {
  /** Whether it creates records. */
  readonly creates: boolean
  /** Whether it keeps the answers of writes that clients may repeat. */
  readonly keepsAnswers: boolean
}

/**
 * Refuses a resource whose tables are distributed by a column.
 *
 * @param what the resource, as the subject of a sentence
 * @throws {ConfigError} for a unique constraint without the distribution column, for records that cannot be created,
 *   and for a distributed table of answers
 */
export function checkDistributed (
  what: string,
  distribution: Distribution,
  em: EntityManager,
  model: EntityModel,
  { creates, keepsAnswers }: ResourceWrites
): void {
  if (keepsAnswers) checkAnswers(what, distribution, tableOfAnswers(em))
  const table = distributedTable(distribution, model.table)
  if (table === undefined) return
  checkUniques(what, model, table.column)
  if (creates) checkKeys(what, em, model)
}

function checkAnswers (what: string, distribution: Distribution, table: string): void {
  if (distributedTable(distribution, table) === undefined) return
  throw new ConfigError(
    `${what}: 'idempotency' needs the table ${table} on one node: select undistribute_table('${table}') makes it a ` +
      'plain table of the coordinator. If clients also connect to other nodes, make it a reference table.'
  )
}

function checkUniques (what: string, model: EntityModel, column: string): void {
  for (const { columns } of model.uniques) {
    if (columns.includes(column)) continue
    throw new ConfigError(
      `${what}: ${model.table} is distributed by ${quotedName(column)}, so it cannot have a unique constraint on ${
        columns.map(quotedName).join(', ')
      } alone. Add the property of ${quotedName(column)} to it, or make the table a reference table.`
    )
  }
}

/** The keys of new records, if the database makes them. */
function checkKeys (what: string, em: EntityManager, model: EntityModel): void {
  if (!model.primaryKey.some(({ property: { write } }) => write.generated && write.onCreate === undefined)) return
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
