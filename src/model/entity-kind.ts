/** Whether an entity can be a resource, and whether its rows can be written. */
import type { EntityMetadata } from '@mikro-orm/core'
import { ConfigError } from '../base/errors.ts'

/**
 * @throws {ConfigError} when the rows of an entity are not in one table or view of the database; the message suggests a
 * solution
 */
export function checkHasTable ({ className, embeddable, virtual, inheritanceType }: EntityMetadata): void {
  const refuse = (why: string): never => {
    throw new ConfigError(`The entity ${className} can't be a resource: ${why}`)
  }
  if (embeddable) refuse('it is an embeddable, a part of the records of others.')
  if (virtual) {
    refuse(
      'it is a virtual entity, which has no table. With `view: true` beside its expression, and a primary key, ' +
        'it is a view in the database, and a read-only resource.'
    )
  }
  if (inheritanceType === 'tpt') {
    refuse(
      'with table-per-type inheritance its properties are in several tables. ' +
        'A view that joins them, mapped by a separate entity, can be a resource.'
    )
  }
}

/** The reason why rows of an entity are never written, as a clause; `undefined` if they can be written. */
export function readOnlyReason ({ view, readonly }: EntityMetadata): string | undefined {
  if (view) return 'it is a view'
  return readonly ? 'it is declared `readonly`' : undefined
}
