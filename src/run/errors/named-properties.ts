/** The properties that an error of the database is about, by their public names. Hidden ones are never named. */
import { escapedName } from '../../base/error-list.ts'
import { columnsOf, type EntityModel, type Property, type RelationProperty } from '../../model/index.ts'
import type { ServerError } from './driver-errors.ts'

/** A property that an error is about. */
export interface NamedProperty {
  /** Whether bodies may set it. */
  readonly writable: boolean
  readonly isRelation: boolean
  /** Its name in messages. The names of an embedded object and its member are joined by a point. */
  readonly name: string
  /** The pointer to it in its record. */
  readonly pointer: string
}

/** The names of properties in a sentence. */
export function quotedNames (named: readonly NamedProperty[]): string {
  const quoted = named.map(({ name }) => `'${name}'`)
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

/**
 * The exposed properties of the columns that an error names, or is known to be about.
 *
 * @param about the columns of which each makes the error one about its property
 */
export function namedBy (
  error: ServerError,
  model: EntityModel,
  about: readonly string[] | undefined = error.column === undefined ? undefined : [error.column]
): readonly NamedProperty[] {
  const unquoted = new Set(about ?? columnsOfKey(error))
  const isNamed = (property: Property): boolean => {
    const own = columnsOf(property)
    // a constraint with a part of a composite foreign key, such as a tenant, is not about the relation
    return own.length > 0 && own.every((one) => unquoted.has(one))
  }
  const isAbout = (property: Property): boolean =>
    columnsOf(property).some((one) => unquoted.has(one) && (property.kind !== 'relation' || !isShared(property, one)))
  const namedIn = (properties: EntityModel['properties'], outer: readonly string[]): readonly NamedProperty[] =>
    [...properties.values()].flatMap((property): readonly NamedProperty[] => {
      if (property.hidden) return []
      const names = [...outer, property.publicName]
      if (property.kind === 'embedded') return namedIn(property.properties, names)
      if (!isNamed(property) && (about === undefined || !isAbout(property))) return []
      const pointer = names.map((name) => `/${escapedName(name)}`).join('')
      const { kind, write: { writable } } = property
      return [{ isRelation: kind === 'relation', name: names.join('.'), pointer, writable }]
    })
  return namedIn(model.properties, [])
}

/** The columns of a foreign key. The values that follow may look like columns themselves. */
const FOREIGN_KEY = /^[^(]*\((.*?)\)=\(/
/** A name as the server writes it in an expression: what is not quoted has small letters. */
const NAME = String.raw`(?:(?:"[^"]*")+|[a-z_]\w*)`
/** The parts of the key of an index. Only columns and brackets are captured. */
const PART_OF_KEY = new RegExp(
  [
    String.raw`E?'[^']*'`,
    // a type, such as timestamp(3) without time zone; a member of a composite value; a collation
    String.raw`(?:::|\.|(?:COLLATE|RETURNING) )${NAME}(?: [a-z]+)*(?:\(\d[\d,-]*\)(?: [a-z]+)*)?`,
    // a part of a moment, such as year
    String.raw`(?<=EXTRACT\()\w+`,
    // a function, a schema, or the name of an argument
    String.raw`${NAME}(?=[(.]| =>)`,
    // a number or a keyword
    String.raw`[\dA-Z]\w*`,
    String.raw`(?<column>${NAME})`,
    String.raw`(?<bracket>[()])`,
  ].join('|'),
  'g'
)

/** The columns of the key that an error quotes: of a foreign key, or of a unique or an exclusion constraint. */
function columnsOfKey ({ code, detail = '' }: ServerError): readonly string[] {
  // the server quotes no columns of a foreign key
  if (code === '23503') return FOREIGN_KEY.exec(detail)?.[1]?.split(', ') ?? []
  return code === '23505' || code === '23P01' ? columnsOfIndex(detail.slice(detail.indexOf('('))) : []
}

/** The columns of the key before its values, such as `email` and `order` of `(lower(email::text), "order")=(a, 1)`. */
function columnsOfIndex (text: string): readonly string[] {
  const columns: string[] = []
  let depth = 0
  for (const { groups: { column, bracket } = {}, index } of text.matchAll(PART_OF_KEY)) {
    if (column !== undefined) columns.push(column.replace(/^"|"$/g, '').replaceAll('""', '"'))
    else if (bracket === '(') depth++
    else if (bracket === ')' && --depth === 0) return text.startsWith('=(', index + 1) ? columns : []
  }
  return []
}

const isShared = ({ key }: RelationProperty, column: string): boolean =>
  key.find((part) => part.column === column)?.shared === true

/**
 * The properties that the client can correct, if there are any: not those that the server fills in, such as a tenant.
 */
export function settable (named: readonly NamedProperty[]): readonly NamedProperty[] {
  const own = named.filter(({ writable }) => writable)
  return own.length > 0 ? own : named
}
