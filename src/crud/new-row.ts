/** The data of a write, completed: what the scope says, and MikroORM's `onCreate` and `onUpdate`. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { OutOfScopeError } from '../errors.ts'
import { fromJson, type EntityModel, type Property } from '../model/index.ts'
import { readData, type RecordData } from '../plan/index.ts'
import { toBody, type ScopeRules } from './scope.ts'

/** A record's data as a client sent it, or what a hook made of it. */
export type Data = Readonly<Record<string, unknown>>

/** The values that a scope fills in, by the names that data goes by. */
export function scopeData ({ equalities }: ScopeRules): Data {
  return Object.fromEntries([...equalities].map(([property, value]) => {
    // what MikroORM reads as null, such as a header that wasn't sent
    if (value === undefined || value === null) {
      if (!property.nullable) throw new OutOfScopeError()
      return [nameOf(property), null]
    }
    return [nameOf(property), toBody(property, value)]
  }))
}

/** The name that data goes by: a hidden property has none but its own. */
function nameOf (property: Property): string {
  return property.hidden ? property.name : property.publicName
}

/**
 * Refuses data that says something else than the scope.
 *
 * @throws {OutOfScopeError} when a row with these values would lie outside
 */
export function checkScopeData (row: RecordData, scope: ScopeRules, model: EntityModel): void {
  const expected = new Map(readData(scopeData(scope), model, { by: 'server', requireAll: false }).columns.map(({ column, value }) => [column, value]))
  for (const { column, value } of row.columns) {
    if (expected.has(column) && expected.get(column) !== value) throw new OutOfScopeError()
  }
}

/** A new row with what `onCreate` has for the properties that nobody gave, or gave as null. */
export function withOnCreate (row: RecordData, model: EntityModel, em: EntityManager): RecordData {
  return complete(row, model, (property) => row.properties[property.name] == null ? property.write.onCreate : undefined, em)
}

/** Changes of a row with those that `onUpdate` makes by itself, whatever was given. */
export function withOnUpdate (row: RecordData, model: EntityModel, em: EntityManager): RecordData {
  return complete(row, model, (property) => property.write.onUpdate, em)
}

function complete (row: RecordData, model: EntityModel, hookOf: (property: Property) => ((data: object, em: unknown) => unknown) | undefined, em: EntityManager): RecordData {
  const columns = new Map(row.columns.map((data) => [data.column, data]))
  for (const property of model.properties.values()) {
    const hook = hookOf(property)
    // those of relations and embedded objects are the unit of work's
    if (hook === undefined || property.kind !== 'scalar') continue
    const value = hook(row.properties, em)
    if (value === undefined) continue
    const converted = value === null ? { ok: true, value: null } as const : property.codec?.fromJson?.(value) ?? fromJson(toBody(property, value), property.type)
    // the entity's own value: what its column can't hold is the database's to refuse
    columns.set(property.column, { property, column: property.column, value: converted.ok ? converted.value : String(value) })
  }
  return { columns: [...columns.values()], references: row.references, links: row.links, properties: row.properties }
}
