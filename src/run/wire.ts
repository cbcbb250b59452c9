/**
 * Values whose JavaScript side matters: custom types and serializers make their wire form from what the database has
 * written, record by record.
 */
import type { Property } from '../model/index.ts'
import type { Selection } from '../plan/index.ts'

/** A record in JSON. */
export type JsonRecord = Record<string, unknown>

/** Changes a record into its wire form, in place. */
export type ToWire = (record: JsonRecord) => void

/** The conversion of a selection's records, or `undefined` when they already are as they should be. */
export function toWireOf (selection: Selection): ToWire | undefined {
  const steps = [...selection.properties.map(propertyStep), ...selection.includes.map(({ relation, selection }) => nested(relation.publicName, toWireOf(selection)))]
  const needed = steps.filter((step) => step !== undefined)
  if (needed.length === 0) return undefined
  return (record) => {
    for (const step of needed) step(record)
  }
}

function propertyStep (property: Property): ToWire | undefined {
  if (property.kind === 'embedded') {
    const members = [...property.properties.values()].filter((member) => !member.hidden)
    const steps = members.map(propertyStep).filter((step) => step !== undefined)
    return nested(property.publicName, steps.length === 0 ? undefined : (record) => { for (const step of steps) step(record) })
  }
  if (property.kind === 'relation' || property.codec === undefined) return undefined
  const { publicName, codec } = property
  return (record) => { record[publicName] = codec.toWire(record[publicName]) }
}

/** Applies a conversion to what a record holds under a name: a record, several, or none. */
function nested (name: string, convert: ToWire | undefined): ToWire | undefined {
  if (convert === undefined) return undefined
  return (record) => {
    const value = record[name]
    if (Array.isArray(value)) value.forEach(convert)
    else if (value !== null && value !== undefined) convert(value as JsonRecord)
  }
}
