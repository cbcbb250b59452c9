/** Whose events a write has to raise: those of the entity and of the application, not those that MikroORM listens to itself. */
import { EventManager, EventType, type EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { contextOf, isDeletionHandler } from '../../borrowed/mikro-orm.ts'

/** Whether the entity's hooks or a subscriber of the application have a part in one of these events. */
export function isHeard (em: EntityManager, meta: EntityMetadata, types: readonly EventType[]): boolean {
  // in a transaction the function's, whichever EntityManager it was asked on
  const events = contextOf(em).getEventManager()
  return types.some((type) =>
    events.hasListeners(type, meta) && (type !== EventType.afterFlush || isHeardByOthers(events, meta))
  )
}

/** Whether anybody but MikroORM's transactions waits for the end of a flush. */
function isHeardByOthers (events: EventManager, meta: EntityMetadata): boolean {
  const subscribers = [...events.getSubscribers()]
  const others = subscribers.filter((subscriber) => !isDeletionHandler(subscriber))
  return others.length === subscribers.length || new EventManager(others).hasListeners(EventType.afterFlush, meta)
}
