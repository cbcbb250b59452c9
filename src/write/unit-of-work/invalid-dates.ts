/** Moments that a `Date` cannot hold, such as `infinity`, in entities that MikroORM has loaded. */
import { ReferenceKind, type EntityMetadata, type EntityProperty } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { loadedValues } from '../../borrowed/mikro-orm.ts'
import { isObject } from '../../base/is-object.ts'

type AnyObject = Record<string, unknown>

/**
 * Removes invalid dates from loaded entities, and from the values that MikroORM keeps to find changes. An invalid date
 * equals nothing, not even itself, so that a flush would write its column, which cannot store it. If the date is in
 * neither of the two, the flush does not write the column.
 *
 * @param em that of the write, which has loaded all of its entities itself
 */
export function leaveInvalidDates (em: EntityManager): void {
  for (const entity of [...em.getUnitOfWork().getIdentityMap()] as AnyObject[]) {
    const loaded = loadedValues(entity)
    if (loaded === undefined) continue
    for (const property of (em.getMetadata(entity.constructor as never) as EntityMetadata).comparableProps) {
      // members of embedded objects are reached through the object
      if (property.embedded === undefined) leave(entity, property.name, property, loaded, property.name)
    }
  }
}

/**
 * @param name the name of the value in its object
 * @param key the name of what it was, in the values that were loaded
 */
function leave (object: AnyObject, name: string, property: EntityProperty, loaded: AnyObject, key: string): void {
  const value = object[name]
  if (isInvalidDate(value)) {
    object[name] = undefined
    delete loaded[key]
  } else if (property.kind === ReferenceKind.EMBEDDED && isObject(value)) {
    // objects in JSON were loaded as objects, and those in columns beside the others
    const isJson = property.object === true || property.array === true
    const [objects, before] = [Array.isArray(value) ? value : [value], isJson ? loaded[key] : loaded]
    for (const [index, item] of objects.entries()) {
      const inner: unknown = Array.isArray(before) ? before[index] : before
      if (!isObject(item) || !isObject(inner)) continue
      for (const [name, member] of Object.entries(property.embeddedProps)) {
        leave(item, name, member, inner, isJson ? name : member.name)
      }
    }
  }
}

const isInvalidDate = (value: unknown): boolean => value instanceof Date && Number.isNaN(value.getTime())
