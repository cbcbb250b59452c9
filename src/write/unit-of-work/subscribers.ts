/** Whose events a write has to raise: those of the entity and of the application, not those that MikroORM listens to itself. */
import { EventManager, EventType, TransactionManager, type EntityMetadata, type EventSubscriber } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'

/** Whether the entity's hooks or a subscriber of the application have a part in one of these events. */
export function isHeard (em: EntityManager, meta: EntityMetadata, types: readonly EventType[]): boolean {
  // in a transaction the function's, whichever EntityManager it was asked on
  const events = (em.getContext(false) as EntityManager).getEventManager()
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

/**
 * Whether a subscriber is the one that MikroORM registers in each transaction: it makes the EntityManager outside forget
 * the entities that a flush has removed, and a statement removes none. Each is an object of its own, so its code tells.
 */
function isDeletionHandler (subscriber: EventSubscriber): boolean {
  const { afterFlush } = subscriber
  return afterFlush !== undefined && Object.keys(subscriber).length === 1 && String(afterFlush) === deletionHandler()
}

let code: string | undefined

/** The code of MikroORM's handler; empty where it registers none, so that whoever listens counts. */
function deletionHandler (): string {
  if (code !== undefined) return code
  let handler: EventSubscriber | undefined
  const fork = {
    getEventManager: () => ({
      registerSubscriber: (subscriber: EventSubscriber) => {
        handler = subscriber
      },
    }),
  }
  const manager = new TransactionManager({} as never) as unknown as {
    registerDeletionHandler?(fork: object, parent: object): void,
  }
  manager.registerDeletionHandler?.(fork, {})
  code = handler?.afterFlush === undefined ? '' : String(handler.afterFlush)
  return code
}
