/**
 * Values whose JavaScript side matters: custom types and serializers make their wire form from what the database has
 * written, record by record.
 */
import { embeddedToWire, needsWireForm, type Property, type RelationProperty } from '../model/index.ts'
import type { Aggregate, Selection } from '../plan/index.ts'

/** A record in JSON. */
export type JsonRecord = Record<string, unknown>

/** Changes a record into its wire form, in place. */
export type ToWire = (record: JsonRecord) => void

/** The conversion of a selection's records, or `undefined` when they already are as they should be. */
export function toWireOf (selection: Selection): ToWire | undefined {
  const steps = [
    ...selection.properties.map(propertyStep),
    ...selection.includes.map(({ relation, selection }) => nested(relation.publicName, toWireOf(selection))),
    ...selection.aggregates.map(aggregateStep),
  ]
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
    return nested(
      property.publicName,
      steps.length === 0
        ? undefined
        : (record) => {
            for (const step of steps) step(record)
          }
    )
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

/** The least and the greatest of values that a codec writes are such values. */
function aggregateStep ({ name, property }: Aggregate): ToWire | undefined {
  const codec = property?.codec
  return codec && ((record) => {
    record[name] = record[name] === null ? null : codec.toWire(record[name])
  })
}

/** A foreign key has the wire form of the key that it refers to. */
function keyStep ({ publicName, key }: RelationProperty): ToWire | undefined {
  if (key.every(({ codec }) => codec === undefined)) return undefined
  // no key, and no value of its type: a serializer is for keys
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

/** Applies a conversion to what a record holds under a name: a record, several, or none. */
function nested (name: string, convert: ToWire | undefined): ToWire | undefined {
  if (convert === undefined) return undefined
  return (record) => {
    const value = record[name]
    if (Array.isArray(value)) value.forEach(convert)
    else if (value !== null && value !== undefined) convert(value as JsonRecord)
  }
}
