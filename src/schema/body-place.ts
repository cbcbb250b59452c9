/** Places in a body: how errors point to them, and name them in sentences. */
import type { TSchema } from '@sinclair/typebox'
import { escapedName, segmentsOf } from '../base/error-list.ts'
import { bodyPartOf } from './part.ts'

/** A place in a body. */
export interface BodyPlace {
  /** JSON pointer in errors. */
  readonly pointer: string
  /** Name in sentences: `address.street`, `items[0]`. */
  readonly name: string
  /** The last part of the name. */
  readonly own: string
  /** JSON pointer into the schema. */
  readonly schemaPath: string
}

/** A member of the object at a place. */
export const memberPlace = (at: BodyPlace, name: string): BodyPlace => ({
  pointer: `${at.pointer}/${escapedName(name)}`,
  name: at.name === '' ? name : `${at.name}.${name}`,
  own: name,
  schemaPath: `${at.schemaPath}/properties/${escapedName(name)}`,
})

/** An item of a list. Keys in a list have the name of the list. */
export const itemPlace = (at: BodyPlace, index: string, isKey: boolean): BodyPlace => ({
  pointer: `${at.pointer}/${index}`,
  name: isKey ? at.name : `${at.name}[${index}]`,
  own: index,
  schemaPath: `${at.schemaPath}/items`,
})

/**
 * The place to which a path leads, and the embedded object whose member it is.
 *
 * @param path a JSON pointer into the value of a property
 * @param top the place of the property
 */
export function placeAt (
  path: string,
  property: TSchema,
  top: BodyPlace
): { readonly at: BodyPlace, readonly object?: BodyPlace } {
  let [at, schema, object]: [BodyPlace, TSchema | undefined, BodyPlace?] = [top, property]
  for (const segment of segmentsOf(path)) {
    const within: TSchema = bodyPartOf(schema!) === undefined ? schema!['anyOf'][0] : schema
    const isList = within['items'] !== undefined
    object = isList ? undefined : at
    at = isList ? itemPlace(at, segment, bodyPartOf(within)?.kind === 'links') : memberPlace(at, segment)
    schema = isList ? within['items'] : within['properties'][segment]
  }
  return { at, ...(object && { object }) }
}
