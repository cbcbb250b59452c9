/** The tables, columns and keys that the entities of an ORM need in the database. */
import type { EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import { keyColumnNames, type EntityModel, type Models, type Property, type ValueType } from '../model/index.ts'
import { modelsOf } from '../resource/index.ts'

export interface ExpectedTable {
  readonly entity: string
  /** Its quoted name, with the schema if it has one. */
  readonly table: string
  /** Empty for an entity that cannot be a resource. */
  readonly columns: readonly ExpectedColumn[]
  /** The columns of each key by which single records are found: the primary key, and `uuid` if it can replace it. */
  readonly keys: readonly (readonly string[])[]
}

export interface ExpectedColumn {
  /** Unquoted name. */
  readonly column: string
  /** The property, with its entity: `Order.address.city`. */
  readonly property: string
  /** Absent if a type of the application converts the values, so that any column may hold them. */
  readonly type: ValueType | undefined
}

/** The tables of all entities of an ORM, pivot tables included. Entities that share a table are one item. */
export function expectedTables (em: EntityManager): readonly ExpectedTable[] {
  const models = modelsOf(em)
  const tables = new Map<string, ExpectedTable>()
  for (const meta of em.getMetadata().getAll().values()) {
    if (!hasTable(meta)) continue
    const own = expectedOf(meta, models)
    const { entity, table, columns, keys } = tables.get(own.table) ?? { ...own, columns: [], keys: [] }
    tables.set(own.table, {
      entity,
      table,
      columns: [...columns, ...own.columns.filter((column) => !columns.some((other) => isSame(column, other)))],
      keys: [...keys, ...own.keys],
    })
  }
  return [...tables.values()]
}

/** Whether rows of an entity are in a table or view of the database. */
const hasTable = ({ abstract, embeddable, virtual, root }: EntityMetadata): boolean =>
  embeddable !== true && virtual !== true && (abstract !== true || root.inheritanceType === 'sti')

function expectedOf (meta: EntityMetadata, models: Models): ExpectedTable {
  const entity = meta.root.inheritanceType === 'sti' ? meta.root.className : meta.className
  const model = modelOf(meta, models)
  if (model === undefined) return { entity, table: models.tableOf(meta), columns: [], keys: [] }
  const { table, discriminator, primaryKey, uuid } = model
  const columns = columnsIn(model.properties, model.name)
  if (discriminator !== undefined) {
    columns.push({ column: discriminator.column, property: `${model.name}'s discriminator`, type: undefined })
  }
  const keys = meta.pivotTable || primaryKey.length === 0 ? [] : [keyColumnNames(model)]
  if (uuid !== undefined) keys.push([uuid.column])
  return { entity, table, columns, keys }
}

/** The model of an entity, or `undefined` if it cannot be a resource. */
function modelOf ({ class: entity }: EntityMetadata, models: Models): EntityModel | undefined {
  try {
    return models.of(entity)
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

function columnsIn (properties: EntityModel['properties'], outer: string): ExpectedColumn[] {
  return [...properties.values()].flatMap((property) => columnsOf(property, `${outer}.${property.name}`))
}

function columnsOf (property: Property, name: string): ExpectedColumn[] {
  switch (property.kind) {
    case 'scalar':
      return property.formula === undefined ? [expectedColumn(property, name)] : []
    case 'embedded':
      return columnsIn(property.properties, name)
    case 'relation':
      return property.key.map((part) => expectedColumn(part, name))
  }
}

const expectedColumn = (
  { column, type, codec }: { readonly column: string, readonly type: ValueType, readonly codec?: unknown },
  property: string
): ExpectedColumn => ({ column, property, type: codec === undefined ? type : undefined })

/** Whether two properties need the same of a column. A subclass in the same table inherits properties. */
const isSame = (one: ExpectedColumn, other: ExpectedColumn): boolean =>
  one.column === other.column && one.type?.kind === other.type?.kind
