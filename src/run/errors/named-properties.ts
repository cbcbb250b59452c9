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

/** Errors about a key: of a foreign key, of a unique constraint or index, of an exclusion constraint. */
const ABOUT_KEY: ReadonlySet<unknown> = new Set(['23503', '23505', '23P01'])
/** The columns and expressions of a key. The values that follow may look like columns themselves. */
const KEY = /^[^(]*\(((?:'[^']*'|"[^"]*"|[^'"])*?)\)=\(/
/** A text, a cast or a member of a composite value, which are no columns; or a name, with the bracket of a function. */
const PART_OF_KEY = /'[^']*'|(?:::|\.)(?:"[^"]*"|\w+)(?: [a-z]+)*|((?:"[^"]*")+|[\p{L}_][\p{L}\p{N}_$]*)(\()?/gu

/** The columns of the key that an error quotes, such as `email` of `Key (lower(email::text), "order")=(a, 1)`. */
function columnsOfKey ({ code, detail = '' }: ServerError): readonly string[] {
  const key = ABOUT_KEY.has(code) ? KEY.exec(detail)?.[1] ?? '' : ''
  return [...key.matchAll(PART_OF_KEY)]
    .filter(([, name, call]) => name !== undefined && call === undefined)
    .map(([, name]) => name!.replace(/^"|"$/g, '').replaceAll('""', '"'))
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
