/** Which events a write has to raise: those that the entity or the application listens to, not MikroORM itself. */
import { EventManager, EventType, type EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { contextOf, isDeletionHandler } from '../../borrowed/mikro-orm.ts'

/** Whether a hook of the entity or a subscriber of the application listens to one of these events. */
export function isHeard (em: EntityManager, meta: EntityMetadata, types: readonly EventType[]): boolean {
  // in a transaction, the event manager of the transaction's EntityManager, whichever EntityManager was passed
  const events = contextOf(em).getEventManager()
  return types.some((type) =>
    events.hasListeners(type, meta) && (type !== EventType.afterFlush || isHeardByOthers(events, meta))
  )
}

/** Whether a subscriber other than MikroORM's own transactions listens to the end of a flush. */
function isHeardByOthers (events: EventManager, meta: EntityMetadata): boolean {
  const subscribers = [...events.getSubscribers()]
  const others = subscribers.filter((subscriber) => !isDeletionHandler(subscriber))
  return others.length === subscribers.length || new EventManager(others).hasListeners(EventType.afterFlush, meta)
}
