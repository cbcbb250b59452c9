/** Embedded objects that are stored as JSON in one column: between the column, the entity class and the wire. */
import type { Property, ScalarProperty } from './entity-model.ts'
import { isExactNumber } from './exact-json.ts'

export type EmbeddedJson = NonNullable<ScalarProperty['embedded']>

type Member = Exclude<Property, { kind: 'relation' }>
type NameOf = (member: Member) => string

const stored: NameOf = ({ column }) => column
/** A hidden member goes by its own name, where the application sets it. */
const exposed: NameOf = ({ hidden, name, publicName }) => hidden ? name : publicName
const own: NameOf = ({ name }) => name

/** Whether the wire form is something else than what the column has: members are hidden, renamed or converted. */
export function needsWireForm ({ properties }: EmbeddedJson): boolean {
  return [...properties.values()].some((member) =>
    member.kind === 'relation' || member.hidden || member.column !== member.publicName ||
    (member.kind === 'scalar'
      ? member.codec !== undefined || (member.embedded !== undefined && needsWireForm(member.embedded))
      : needsWireForm({ list: false, properties: member.properties }))
  )
}

/** What the column has, as records show it: without what is hidden. */
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

/** Whether objects have members that clients don't see, at any depth, outside of lists. */
export function holdsHidden (members: Members): boolean {
  return [...members.values()].some((member) => member.hidden || holdsHidden(membersOf(member) ?? NO_MEMBERS))
}

/** Whether a value has lists of objects with members that clients don't see: which item is which, a new list doesn't say. */
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

/** What a body has, as the column stores it. It has been checked: every value can be converted. */
export function embeddedToStored (value: unknown, embedded: EmbeddedJson): unknown {
  return translate(value, embedded, exposed, stored, true, (member, part) => {
    const converted = part === null ? undefined : member.codec?.fromJson?.(part)
    return converted?.ok ? converted.value : part
  })
}

/** What a body has, as the entity class names it. */
export function embeddedToEntity (value: unknown, embedded: EmbeddedJson): unknown {
  return translate(value, embedded, exposed, own, true, (_, part) => part)
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
