/**
 * Embedded objects that are stored as JSON in one column. They are converted between the column, the entity class and
 * the wire.
 */
import type { Property, ScalarProperty } from './entity-model.ts'
import { isExactNumber } from './exact-json.ts'
import { canonicalRange } from './types/range.ts'

/** The members of an object that is stored as JSON, or of each object of a list. */
export type EmbeddedJson = NonNullable<ScalarProperty['embedded']>

type Member = Exclude<Property, { kind: 'relation' }>
type NameOf = (member: Member) => string

const stored: NameOf = ({ column }) => column
/** The name in bodies and records. Only the application sets hidden members, under their own names. */
const exposed: NameOf = ({ hidden, name, publicName }) => hidden ? name : publicName
const own: NameOf = ({ name }) => name

/** Whether the wire form differs from the JSON in the column, because members are hidden, renamed or converted. */
export function needsWireForm ({ properties }: EmbeddedJson): boolean {
  return [...properties.values()].some((member) =>
    member.kind === 'relation' || member.hidden || member.column !== member.publicName ||
    (member.kind === 'scalar'
      ? member.codec !== undefined || (member.embedded !== undefined && needsWireForm(member.embedded))
      : needsWireForm({ list: false, properties: member.properties }))
  )
}

/** Converts the JSON of the column to its form in records, without hidden members. */
export function embeddedToWire (value: unknown, embedded: EmbeddedJson): unknown {
  return translate(
    value,
    embedded,
    stored,
    exposed,
    false,
    (member, part) => member.codec === undefined ? part : member.codec.toWire(part)
  )
}

type Members = EmbeddedJson['properties']

/** Whether objects have hidden members, at any depth, outside of lists. */
export function holdsHidden (members: Members): boolean {
  return [...members.values()].some((member) => member.hidden || holdsHidden(membersOf(member) ?? NO_MEMBERS))
}

/**
 * Whether a value has lists of objects with hidden members. A new list does not tell which item belongs to which old
 * one.
 */
export function listsHidden (property: Property): boolean {
  if (property.kind === 'scalar' && property.embedded?.list === true) {
    const { properties } = property.embedded
    return holdsHidden(properties) || [...properties.values()].some(listsHidden)
  }
  return [...(membersOf(property) ?? NO_MEMBERS).values()].some(listsHidden)
}

const NO_MEMBERS: Members = new Map()

/** The members of a property that is one object. */
export function membersOf (property: Property): Members | undefined {
  if (property.kind === 'embedded') return property.properties
  return property.kind === 'scalar' && property.embedded?.list === false ? property.embedded.properties : undefined
}

/** Converts the value of a body to the JSON of the column. The value has been validated: all parts can be converted. */
export function embeddedToStored (value: unknown, embedded: EmbeddedJson): unknown {
  return translate(value, embedded, exposed, stored, true, (member, part) => {
    const converted = part === null ? undefined : member.codec?.fromJson?.(part)
    return converted?.ok && !converted.raw ? converted.value : canonical(member, part)
  })
}

/** Converts the value of a body to the names of the entity class. */
export function embeddedToEntity (value: unknown, embedded: EmbeddedJson): unknown {
  return translate(value, embedded, exposed, own, true, canonical)
}

/** A range as a column would have it, because nothing normalizes it inside JSON. Other values stay unchanged. */
function canonical ({ codec, type }: ScalarProperty, value: unknown): unknown {
  return type.kind === 'range' && codec === undefined && typeof value === 'string' ? canonicalRange(value, type) : value
}

function translate (
  value: unknown,
  embedded: EmbeddedJson,
  from: NameOf,
  to: NameOf,
  hidden: boolean,
  convert: (member: ScalarProperty, value: unknown) => unknown
): unknown {
  if (embedded.list && Array.isArray(value)) {
    return value.map((item) => translate(item, { ...embedded, list: false }, from, to, hidden, convert))
  }
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  const result: Record<string, unknown> = {}
  for (const member of embedded.properties.values()) {
    if (member.kind === 'relation' || (member.hidden && !hidden) || !(from(member) in value)) continue
    const part = (value as Record<string, unknown>)[from(member)]
    const inner = member.kind === 'embedded' ? { list: false, properties: member.properties } : member.embedded
    result[to(member)] = inner !== undefined
      ? translate(part, inner, from, to, hidden, convert)
      : convert(member as ScalarProperty, part)
  }
  return result
}
