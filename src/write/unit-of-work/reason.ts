/** Decides which writes need MikroORM's unit of work, because a statement alone would not give the same result. */
import { Collection, EventManager, EventType, ReferenceKind, Type, type EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { madeOnce } from '../../base/made-once.ts'
import type { EntityModel } from '../../model/index.ts'
import type { RecordData } from '../../plan/index.ts'
import { requirePromises, sharedEmOf } from '../../resource/index.ts'
import type { Write } from '../write.ts'
import { contextOf, isDeletionHandler } from '../../borrowed/mikro-orm.ts'

type WriteKind = 'create' | 'update' | 'delete'

/**
 * Whether a write needs the unit of work.
 *
 * @throws {ConfigError} if it does, and its session is synchronous: MikroORM's unit of work takes promises
 */
export function needsUnitOfWork (
  write: Write,
  kind: WriteKind,
  rows: readonly RecordData[] = []
): boolean {
  const reason = reasonForUnitOfWork(write, kind, rows)
  if (reason === undefined) return false
  requirePromises(write.session, `To ${kind} ${write.model.name} takes MikroORM's unit of work, because of ${reason}`)
  return true
}

/** Why a write needs the unit of work, as the end of "because of", or `undefined` if it does not. */
function reasonForUnitOfWork (
  { session, model }: Write,
  kind: WriteKind,
  rows: readonly RecordData[]
): string | undefined {
  let latest: RecordData['columns'] | undefined
  for (const { columns } of rows) {
    if (columns === latest) continue
    latest = columns
    for (const { raw, property } of columns) {
      if (raw) return `the SQL that its type makes of '${property.publicName}'`
    }
  }
  return reasonOfEntity(sharedEmOf(session), model, kind)
}

const FLUSH_EVENTS = [EventType.beforeFlush, EventType.onFlush, EventType.afterFlush] as const
const EVENTS = {
  create: [EventType.onInit, EventType.beforeCreate, EventType.afterCreate, ...FLUSH_EVENTS],
  update: [EventType.onInit, EventType.onLoad, EventType.beforeUpdate, EventType.afterUpdate, ...FLUSH_EVENTS],
  delete: [EventType.onInit, EventType.onLoad, EventType.beforeDelete, EventType.afterDelete, ...FLUSH_EVENTS],
} as const

/** Subscribers can be added at any time, so this runs for each write. */
export function reasonOfEntity (em: EntityManager, { entity }: EntityModel, kind: WriteKind): string | undefined {
  const meta = em.getMetadata(entity as never) as EntityMetadata
  if (isHeard(em, meta, EVENTS[kind])) return 'its lifecycle hooks or a subscriber'
  if (kind === 'delete') return cascades(meta).length > 0 ? 'relations that are removed with it' : undefined
  if (needsEntity(meta)[kind]) return 'a property whose value is made of the entity'
  return kind === 'create' && givesValues(meta) ? 'values that its class gives new entities' : undefined
}

/**
 * Whether the hooks of properties read the entity, of which a statement has only the given values, or set more than the
 * value of one column.
 */
const needsEntity = madeOnce(({ props }: EntityMetadata) => {
  const has = (hook: 'onCreate' | 'onUpdate'): boolean =>
    props.some((property) =>
      property.kind === ReferenceKind.EMBEDDED
        ? hasDefaults(property.targetMeta!)
        : property.embedded === undefined && property[hook] !== undefined &&
          (property.kind !== ReferenceKind.SCALAR || property[hook].length > 0)
    )
  return { create: has('onCreate'), update: has('onUpdate') }
})

/** Whether MikroORM sets members of embedded objects. */
function hasDefaults ({ props }: EntityMetadata): boolean {
  return props.some(({ onCreate, onUpdate, default: value, defaultRaw, targetMeta, kind }) =>
    onCreate !== undefined || onUpdate !== undefined || value !== undefined || defaultRaw !== undefined ||
    (kind === ReferenceKind.EMBEDDED && hasDefaults(targetMeta!))
  )
}

/** Whether the class sets values of new entities, which the defaults of columns may not match. */
const givesValues = madeOnce((meta: EntityMetadata): boolean => {
  if (meta.class.length > 0) return true
  try {
    const instance = new (meta.class as new() => object)()
    return Object.values(instance).some((value) =>
      value !== undefined && !(value instanceof Collection) && !(value instanceof Type)
    )
  } catch {
    // the constructor needs arguments or other state: leave the call to MikroORM
    return true
  }
})

/** Relations whose records are removed with the entity, if MikroORM has loaded them. */
export function cascadesOf (em: EntityManager, { entity }: EntityModel): readonly string[] {
  return cascades(em.getMetadata(entity as never) as EntityMetadata)
}

const cascades = madeOnce(({ relations }: EntityMetadata): readonly string[] =>
  relations.filter(({ cascade, orphanRemoval }) =>
    orphanRemoval === true || cascade?.some((kind) => kind === 'remove' || kind === 'all')
  ).map(({ name }) => name)
)

/** Whether a hook of the entity or a subscriber of the application listens to one of these events. */
function isHeard (em: EntityManager, meta: EntityMetadata, types: readonly EventType[]): boolean {
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
