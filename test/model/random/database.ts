/** The entities of the random tests for MikroORM, and their rows in its tables. */
import { defineEntity, p } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Entity, Property, Tables } from '../reference/description.ts'
import { entities, SCALE } from './graph.ts'

const classes = new Map<string, any>()

/** Columns have the names of their properties. */
function column (property: Property, name: string, key: boolean): any {
  const made = typed(property).fieldName(name)
  if (key) return made.primary()
  const nullable = property.nullable ? made.nullable() : made
  return property.hidden ? nullable.hidden() : nullable
}

/** Texts have the collation "C", so that their order and case do not depend on the database of the tests. */
function typed ({ type, members }: Property): any {
  switch (type) {
    case 'integer':
      return p.integer()
    case 'bigint':
      return p.bigint('string')
    case 'decimal':
      return p.decimal().precision(20).scale(SCALE)
    case 'float':
      return p.double()
    case 'boolean':
      return p.boolean()
    case 'text':
      return p.text().collation('C')
    case 'enum':
      return p.enum(members!)
    case 'uuid':
      return p.uuid()
    case 'date':
      return p.date()
    case 'datetime':
      return p.datetime(3)
    case 'json':
      return p.json()
  }
}

function define (entity: Entity): any {
  const properties: Record<string, any> = {}
  for (const [name, property] of Object.entries(entity.properties)) {
    properties[name] = column(property, name, entity.key.includes(name))
  }
  for (const [name, relation] of Object.entries(entity.relations)) {
    properties[name] = () => {
      const target = classes.get(relation.target)
      if (relation.kind === 'many') return p.oneToMany(target).mappedBy(relation.by)
      if (relation.kind === 'one') {
        const made = p.manyToOne(target).joinColumn(name)
        const nullable = relation.nullable ? made.nullable() : made
        return relation.indexed ? nullable.index() : nullable
      }
      const inverse = entityNames(relation.table)[1 - relation.side]!
      return relation.side === 0
        ? p.manyToMany(target).owner().pivotTable(relation.table).joinColumn('source').inverseJoinColumn('target')
          .inversedBy(inverse)
        : p.manyToMany(target).mappedBy(inverse)
    }
  }
  return defineEntity({ name: entity.name, tableName: tableName(entity.name), properties })
}

/** The names of the two relations that use a table of links. */
function entityNames (table: string): string[] {
  const names: string[] = []
  for (const { relations } of Object.values(entities)) {
    for (const [name, relation] of Object.entries(relations)) {
      if (relation.kind === 'links' && relation.table === table) names[relation.side] = name
    }
  }
  return names
}

export const tableName = (entity: string): string => `${entity.toLowerCase()}s`

for (const entity of Object.values(entities)) classes.set(entity.name, define(entity))

/** MikroORM's entities, by name. */
export const models: ReadonlyMap<string, any> = classes

/** Replaces all rows by these, in one statement for each table. */
export async function store (orm: MikroORM, { rows, links }: Tables): Promise<void> {
  const run = (sql: string, values: unknown[] = []): Promise<unknown> => orm.em.getConnection().execute(sql, values)
  const names = [...Object.keys(entities).map(tableName), ...Object.keys(links)]
  await run(`truncate ${names.join()}`)
  // parents come before their children
  for (const entity of ['Author', 'Publisher', 'Tag', 'Book', 'Copy']) {
    const table = tableName(entity)
    await run(`insert into ${table} select * from json_populate_recordset(null::${table}, ?)`, [
      JSON.stringify(rows[entity]),
    ])
  }
  for (const [table, pairs] of Object.entries(links)) {
    const objects = pairs.map(([source, target]) => ({ source, target }))
    await run(`insert into ${table} select * from json_populate_recordset(null::${table}, ?)`, [
      JSON.stringify(objects),
    ])
  }
}
