/** The JSON of properties: values in the wire form of their types, embedded objects and keys. */
import type { EmbeddedProperty, EntityModel, KeyColumn, Property, ScalarProperty, ValueType } from '../model/index.ts'
import { join, literal, name, sql, trusted, type Sql } from './fragment.ts'
import { unlessTooLong } from './size.ts'
import { isLong, jsonValue } from './wire-types.ts'

/**
 * At most this many pairs of keys and values in one object. PostgreSQL limits the arguments of a function call (100 by
 * default).
 */
const MAX_PAIRS = 50

/** The column or formula behind a scalar property. */
export function column (property: ScalarProperty, alias: string): Sql {
  return property.formula === undefined
    ? name(alias, property.column)
    : sql`(${trusted(property.formula(name(alias).pieces[0] as string))})`
}

/**
 * The value of a property, in wire form.
 *
 * @param alias the alias of a table, or of an expression that has projected the property's columns (`propertyColumns`)
 * @param projected whether it is such an expression, in which a formula is a column like any other
 * @param longest at most this many bytes for a value: a mark replaces a longer one
 */
export function propertyJson (property: Property, alias: string, projected: boolean, longest: number | undefined): Sql {
  if (property.kind === 'scalar') {
    const value = projected ? name(alias, property.column) : column(property, alias)
    const json = valueJson(value, property.type, property.codec)
    return longest === undefined || !isLong(property.type) ? json : unlessTooLong(json, value, property, longest)
  }
  if (property.kind === 'relation') return keyJson(property.key, alias)
  const object = objectJson(
    visibleMembers(property).map((member) => [member.publicName, propertyJson(member, alias, projected, longest)])
  )
  if (!property.nullable) return object
  const absent = [...propertyColumns(property, alias)].map(([column, value]) =>
    sql`${projected ? name(alias, column) : value} is null`
  )
  return absent.length === 0 ? object : sql`case when ${join(absent, ' and ')} then null else ${object} end`
}

/**
 * A value in wire form, or as SQL of the application reads it. That SQL may be a constant, to which `coalesce` gives a
 * type.
 */
export function valueJson (value: Sql, type: ValueType, codec: ScalarProperty['codec']): Sql {
  if (codec?.read === undefined) return jsonValue(value, type)
  return sql`coalesce(${trusted(codec.read(value.pieces.join('')))}, null)`
}

/**
 * The columns that a property's value is made of, by name, with the expressions that read them from a table. Hidden
 * members of an embedded object are no part of it: they do not even decide whether it is null.
 */
export function propertyColumns (property: Property, alias: string): ReadonlyMap<string, Sql> {
  if (property.kind === 'scalar') return new Map([[property.column, column(property, alias)]])
  if (property.kind === 'relation') return new Map(property.key.map((part) => [part.column, name(alias, part.column)]))
  return new Map(visibleMembers(property).flatMap((member) => [...propertyColumns(member, alias)]))
}

const visibleMembers = ({ properties }: EmbeddedProperty): readonly Property[] =>
  [...properties.values()].filter((member) => !member.hidden)

/** A foreign key: its value, or an object when it is composite. */
function keyJson (key: readonly (KeyColumn & { readonly publicName: string })[], alias: string): Sql {
  const values = key.map((part) => jsonValue(name(alias, part.column), part.type))
  if (values.length === 1) return values[0]!
  const absent = join(key.map((part) => sql`${name(alias, part.column)} is null`), ' or ')
  return sql`case when ${absent} then null else ${
    objectJson(key.map((part, index) => [part.publicName, values[index]!]))
  } end`
}

/** A JSON object of any size. Large objects are joined from texts, because a call has a limit of arguments. */
export function objectJson (pairs: readonly (readonly [key: string, value: Sql])[]): Sql {
  const build = (some: typeof pairs) =>
    sql`json_build_object(${join(some.map(([key, value]) => sql`${literal(key)}, ${value}`))})`
  if (pairs.length <= MAX_PAIRS) return build(pairs)
  const chunks: Sql[] = []
  for (let start = 0; start < pairs.length; start += MAX_PAIRS) {
    chunks.push(sql`left(${build(pairs.slice(start, start + MAX_PAIRS))}::text, -1)`)
  }
  const [first, ...rest] = chunks
  return sql`(${join([first!, ...rest.map((chunk) => sql`substr(${chunk}, 2)`)], " || ',' || ")} || '}')::json`
}

/** The version of a row, as in its entity tag. */
export function versionText ({ version }: EntityModel, alias: string): Sql {
  return version === undefined || version.hidden
    ? trusted('null::text')
    : sql`(${jsonValue(column(version, alias), version.type)})::text`
}
