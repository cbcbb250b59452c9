/** The new values of columns in a write: bound one by one, or read from a list of rows as JSON. */
import {
  arrayLiteral, columnsBesideKey, holdsHidden, keyColumnNames, membersOf, type EntityModel, type Property,
} from '../model/index.ts'
import type { Assignment, NewColumn, Slot } from '../plan/index.ts'
import { bound } from './comparison.ts'
import { join, literal, name, sql, trusted, type Sql } from './fragment.ts'
import { nullRecord } from './null-record.ts'
import { sqlTypeOf } from './wire-types.ts'
import type { WriteContext } from './write-form.ts'
import type { InsertShape, UpdateShape } from './write-shape.ts'

/** The new values of columns, among them the next version. */
export function assignmentsSql (
  { model, assignments }: Pick<UpdateShape, 'model' | 'assignments'>,
  alias: string,
  context: WriteContext
): Sql {
  const set = ({ column, property, slot }: Assignment): Sql =>
    sql`${name(column)} = ${merged(property, column, sql`${slot}`, alias) ?? bound(property, slot)}`
  const changes = [...assignments.map(set), ...nextVersion(model, alias, context)]
  return join(orUnchanged(changes, model, alias))
}

/**
 * The assignments. An empty list becomes one that keeps the value of a column, so that the row is locked and its
 * triggers run. It prefers columns beside the key: PostgreSQL does not let a statement set a key that is `generated
 * always as identity`.
 */
export function orUnchanged (changes: readonly Sql[], model: EntityModel, alias: string): readonly Sql[] {
  if (changes.length > 0) return changes
  const column = columnsBesideKey(model)[0] ?? keyColumnNames(model)[0]!
  return [sql`${name(column)} = ${name(alias, column)}`]
}

/** The new value of an embedded object that has hidden members: they keep their values. */
export function merged (
  property: Assignment['property'],
  column: string,
  value: Sql,
  alias: string
): Sql | undefined {
  const members = property.kind === 'scalar' ? membersOf(property) : undefined
  return members !== undefined && holdsHidden(members)
    ? mergedJson(sql`${value}::jsonb`, sql`${name(alias, column)}::jsonb`, members)
    : undefined
}

type JsonMembers = ReadonlyMap<string, Property>

const EMPTY_OBJECT = trusted("'{}'::jsonb")

/** An object with one member. Updates of a distributed server refuse `jsonb_build_object`, which is not immutable. */
const objectOf = (key: Sql, value: Sql): Sql => sql`jsonb_set(${EMPTY_OBJECT}, array[${key}], ${value})`

/**
 * The new value with the hidden members of the old one. A value that is not an object, such as null, replaces the old
 * one.
 */
function mergedJson (value: Sql, old: Sql, members: JsonMembers): Sql {
  const inner = objectsWithHidden(members).map(([key, members]) => {
    const [part, before] = [sql`(${value} -> ${key})`, sql`(${old} -> ${key})`]
    return sql`case when jsonb_typeof(${part}) = 'object' then ${
      objectOf(key, mergedJson(part, before, members))
    } else ${EMPTY_OBJECT} end`
  })
  return sql`case when jsonb_typeof(${value}) = 'object' then ${
    join([withoutShown(old, members), value, ...inner], ' || ')
  } else ${value} end`
}

/** The old value without the members that clients see. */
function withoutShown (old: Sql, members: JsonMembers): Sql {
  const shown = literal(arrayLiteral([...members.values()].filter(({ hidden }) => !hidden).map(storedName)))
  const inner = objectsWithHidden(members).map(([key, members]) => {
    const part = withoutShown(sql`(${old} -> ${key})`, members)
    return sql`case when ${part} <> ${EMPTY_OBJECT} then ${objectOf(key, part)} else ${EMPTY_OBJECT} end`
  })
  return sql`case when jsonb_typeof(${old}) = 'object' then ${
    join([sql`(${old} - ${shown}::text[])`, ...inner], ' || ')
  } else ${EMPTY_OBJECT} end`
}

/** The nested objects that have hidden members, with their keys in JSON. */
function objectsWithHidden (members: JsonMembers): (readonly [key: Sql, members: JsonMembers])[] {
  return [...members.values()].flatMap((member) => {
    const inner = member.hidden ? undefined : membersOf(member)
    return inner !== undefined && holdsHidden(inner) ? [[literal(storedName(member)), inner] as const] : []
  })
}

const storedName = (member: Property): string => (member as Exclude<Property, { kind: 'relation' }>).column

/** The assignment of the next version, if rows have one. */
export function nextVersion ({ version }: EntityModel, alias: string, { dialect }: WriteContext): Sql[] {
  if (version === undefined) return []
  const next = dialect.nextVersion(version.type, name(alias, version.column))
  return [sql`${name(version.column)} = ${next}`]
}

/**
 * The rows of a recordset. The types of the table convert the values: the statement has one text and two values for any
 * number of rows.
 */
export function recordsetSql (model: EntityModel, { common, rows }: NonNullable<InsertShape['recordset']>): Sql {
  // the values that are the same in all rows are the defaults of each
  return sql`json_populate_recordset(json_populate_record(${nullRecord(model)}, ${common}::json), ${rows}::json)`
}

/** A value of a new row. */
export const newValue = ({ property }: NewColumn, slot: Slot): Sql =>
  property === undefined ? sql`${slot}` : bound(property, slot)

/** A value of a recordset. */
export function recordsetValue (property: NewColumn['property'], column: string, source: string): Sql {
  const value = name(source, column)
  return property?.kind === 'scalar' ? sqlTypeOf(property.type).fromRecordset(value) : value
}
