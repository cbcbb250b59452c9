/** Which writes have to go through MikroORM's unit of work: those in which it has a part that no statement can do. */
import { Collection, EventType, ReferenceKind, Type, type EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EntityModel } from '../../model/index.ts'
import type { RecordData } from '../../plan/index.ts'
import { sharedEmOf, type CrudSession } from '../../resource/index.ts'
import type { Write } from '../write.ts'
import { isHeard } from './subscribers.ts'

/** What is done to a record. */
export type WriteKind = 'create' | 'update' | 'delete'

export function needsUnitOfWork (
  write: Write<CrudSession>,
  kind: WriteKind,
  rows: readonly RecordData[] = []
): boolean {
  return reasonForUnitOfWork(write, kind, rows) !== undefined
}

/** Why a write has to go through the unit of work, if it has to, as the end of "because of". */
export function reasonForUnitOfWork (
  { session, model }: Write<CrudSession>,
  kind: WriteKind,
  rows: readonly RecordData[] = []
): string | undefined {
  const linked = rows.find(({ links }) => links.length > 0)?.links[0]
  return linked === undefined
    ? reasonOfEntity(sharedEmOf(session), model, kind)
    : `the links of '${linked.relation.publicName}'`
}

const FLUSH_EVENTS = [EventType.beforeFlush, EventType.onFlush, EventType.afterFlush] as const
const EVENTS = {
  create: [EventType.onInit, EventType.beforeCreate, EventType.afterCreate, ...FLUSH_EVENTS],
  update: [EventType.onInit, EventType.onLoad, EventType.beforeUpdate, EventType.afterUpdate, ...FLUSH_EVENTS],
  delete: [EventType.onInit, EventType.onLoad, EventType.beforeDelete, EventType.afterDelete, ...FLUSH_EVENTS],
} as const

/** Subscribers may come at any time, so this is asked for each write. */
function reasonOfEntity (em: EntityManager, { entity }: EntityModel, kind: WriteKind): string | undefined {
  const meta = em.getMetadata(entity as never) as EntityMetadata
  if (isHeard(em, meta, EVENTS[kind])) return 'its lifecycle hooks or a subscriber'
  if (kind === 'delete') return cascades(meta).length > 0 ? 'relations that are removed with it' : undefined
  if (needsEntity(meta, kind === 'create' ? 'onCreate' : 'onUpdate')) {
    return 'a property whose value is made of the entity'
  }
  return kind === 'create' && hasConstructor(meta) ? 'values that its class gives new entities' : undefined
}

const neededBy = { onCreate: new WeakMap<object, boolean>(), onUpdate: new WeakMap<object, boolean>() }

/** Whether a hook of a property looks at the entity, of which a statement has only what was given, or makes more than a column's value. */
function needsEntity (meta: EntityMetadata, hook: 'onCreate' | 'onUpdate'): boolean {
  let known = neededBy[hook].get(meta)
  if (known === undefined) {
    known = meta.props.some((property) =>
      property.kind === ReferenceKind.EMBEDDED
        ? hasDefaults(property.targetMeta!)
        : property.embedded === undefined && property[hook] !== undefined &&
          (property.kind !== ReferenceKind.SCALAR || property[hook].length > 0)
    )
    neededBy[hook].set(meta, known)
  }
  return known
}

/** Whether MikroORM completes embedded objects. */
function hasDefaults ({ props }: EntityMetadata): boolean {
  return props.some(({ onCreate, onUpdate, default: value, defaultRaw, targetMeta, kind }) =>
    onCreate !== undefined || onUpdate !== undefined || value !== undefined || defaultRaw !== undefined ||
    (kind === ReferenceKind.EMBEDDED && hasDefaults(targetMeta!))
  )
}

const constructors = new WeakMap<object, boolean>()

/** Whether the class gives new entities values of its own, which no column default knows. */
function hasConstructor (meta: EntityMetadata): boolean {
  let known = constructors.get(meta)
  if (known === undefined) constructors.set(meta, known = givesValues(meta))
  return known
}

function givesValues (meta: EntityMetadata): boolean {
  if (meta.class.length > 0) return true
  try {
    const instance = new (meta.class as new() => object)()
    return Object.values(instance).some((value) =>
      value !== undefined && !(value instanceof Collection) && !(value instanceof Type)
    )
  } catch {
    // a constructor that needs something: MikroORM knows how to call it
    return true
  }
}

/** Relations whose records go with one that is removed: MikroORM takes those that it has loaded. */
export function cascadesOf (em: EntityManager, { entity }: EntityModel): readonly string[] {
  return cascades(em.getMetadata(entity as never) as EntityMetadata)
}

function cascades (meta: EntityMetadata): readonly string[] {
  return meta.relations.filter(({ cascade, orphanRemoval }) =>
    orphanRemoval === true || cascade?.some((kind) => kind === 'remove' || kind === 'all')
  ).map(({ name }) => name)
}
