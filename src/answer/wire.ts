/**
 * Makes the wire form of values that only JavaScript can convert. Custom types and serializers convert what the
 * database has written, record by record.
 */
import { embeddedToWire, needsWireForm, type Property, type RelationProperty } from '../model/index.ts'
import {
  codecOfOperand, type Aggregate, type AggregatePlan, type GroupTerm, type Operand, type Selection,
} from '../plan/index.ts'

/** A record in JSON. */
export type JsonRecord = Record<string, unknown>

/** Changes a record into its wire form, in place. */
export type ToWire = (record: JsonRecord) => void

/** The conversion of a selection's records; `undefined` if they need none. */
export function toWireOf (selection: Selection): ToWire | undefined {
  return inOrder([
    ...selection.properties.map(propertyStep),
    ...selection.includes.map(({ relation, selection }) => nested(relation.publicName, toWireOf(selection))),
    ...selection.aggregates.map(aggregateStep),
  ])
}

/** One conversion of several steps; `undefined` if none of them is needed. */
function inOrder (steps: readonly (ToWire | undefined)[]): ToWire | undefined {
  const needed = steps.filter((step) => step !== undefined)
  if (needed.length === 0) return undefined
  return (record) => {
    for (const step of needed) step(record)
  }
}

/** The conversion of the items of aggregates; `undefined` if they need none. */
export function toWireOfGroups ({ groups, numbers }: Pick<AggregatePlan, 'groups' | 'numbers'>): ToWire | undefined {
  const values = [...groups, ...numbers.filter(({ function: fn }) => fn === 'min' || fn === 'max')]
  return inOrder(values.map((term) => {
    const convert = toWireOfValue(term)
    const { key } = term
    return convert && ((record) => {
      record[key] = convert(record[key])
    })
  }))
}

/** The conversion of a value that is one of those of a property. It has the wire form that it has in records. */
export function toWireOfValue (
  { operand, period }: { readonly operand?: Operand, readonly period?: GroupTerm['period'] }
): ((value: unknown) => unknown) | undefined {
  const codec = period !== undefined || operand === undefined ? undefined : codecOfOperand(operand)
  return codec && ((value) => value === null ? null : codec.toWire(value))
}

function propertyStep (property: Property): ToWire | undefined {
  if (property.kind === 'embedded') {
    const members = [...property.properties.values()].filter((member) => !member.hidden)
    return nested(property.publicName, inOrder(members.map(propertyStep)))
  }
  if (property.kind === 'relation') return keyStep(property)
  const { embedded } = property
  if (embedded !== undefined && property.codec === undefined && needsWireForm(embedded)) {
    return (record) => {
      record[property.publicName] = embeddedToWire(record[property.publicName], embedded)
    }
  }
  if (property.codec === undefined) return undefined
  const { publicName, codec } = property
  return (record) => {
    record[publicName] = codec.toWire(record[publicName])
  }
}

/** A minimum or maximum has the wire form of its property. */
function aggregateStep ({ name, property }: Aggregate): ToWire | undefined {
  const codec = property?.codec
  return codec && ((record) => {
    record[name] = record[name] === null ? null : codec.toWire(record[name])
  })
}

/** A foreign key has the wire form of the key that it refers to. */
function keyStep ({ publicName, key }: RelationProperty): ToWire | undefined {
  if (key.every(({ codec }) => codec === undefined)) return undefined
  // serializers expect a key, and null is none
  if (key.length === 1) {
    return (record) => {
      record[publicName] = record[publicName] === null ? null : key[0]!.codec!.toWire(record[publicName])
    }
  }
  return nested(publicName, (parts) => {
    for (const part of key) {
      if (part.codec !== undefined) parts[part.publicName] = part.codec.toWire(parts[part.publicName])
    }
  })
}

/** Applies a conversion to the record or the list of records under a name, if there is one. */
function nested (name: string, convert: ToWire | undefined): ToWire | undefined {
  if (convert === undefined) return undefined
  return (record) => {
    const value = record[name]
    if (Array.isArray(value)) value.forEach(convert)
    else if (value !== null && value !== undefined) convert(value as JsonRecord)
  }
}
