/**
 * Writes through MikroORM's unit of work: for entities whose lifecycle hooks, subscribers, cascades, constructors or
 * collections have a part in them. The same result as a single statement, at several times the cost.
 */
import { Collection, EventType, LockMode, ReferenceKind, Type, wrap, type EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { holdsHidden, isUuid, keyColumns, membersOf, type EntityModel, type Property } from '../../model/index.ts'
import type { Id, RecordData } from '../../plan/index.ts'
import { isHeard } from './subscribers.ts'

/** What is done to a record. */
export type WriteKind = 'create' | 'update' | 'delete'

const FLUSH_EVENTS = [EventType.beforeFlush, EventType.onFlush, EventType.afterFlush] as const
const EVENTS = {
  create: [EventType.onInit, EventType.beforeCreate, EventType.afterCreate, ...FLUSH_EVENTS],
  update: [EventType.onInit, EventType.onLoad, EventType.beforeUpdate, EventType.afterUpdate, ...FLUSH_EVENTS],
  delete: [EventType.onInit, EventType.onLoad, EventType.beforeDelete, EventType.afterDelete, ...FLUSH_EVENTS],
} as const

/** Why a write has to go through the unit of work, if it has to. Subscribers may come at any time, so it is asked each time. */
export function reasonForUnitOfWork (em: EntityManager, { entity }: EntityModel, kind: WriteKind): string | undefined {
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

/** Creates records; returns their keys as texts. */
export async function createEntities (
  em: EntityManager,
  model: EntityModel,
  rows: readonly RecordData[]
): Promise<string[][]> {
  const entities = rows.map((row) =>
    em.create(
      model.entity as never,
      Object.fromEntries(
        Object.entries(row.properties).map(([name, value]) => [name, linked(em, model.properties.get(name), value)])
      ) as never,
      { partial: true } as never
    )
  )
  em.persist(entities)
  await em.flush()
  return entities.map((entity) => keyOf(entity, model))
}

/** The entity with a key, locked until the transaction ends; or `null`. */
export async function findLocked (
  em: EntityManager,
  model: EntityModel,
  id: Id,
  populate: readonly string[] = []
): Promise<object | null> {
  return await em.findOne(model.entity as never, whereOf(model, id) as never, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    filters: false,
    populate: populate as never,
    strategy: 'select-in',
  })
}

export async function assignEntity (
  em: EntityManager,
  entity: object,
  data: object,
  model: EntityModel
): Promise<void> {
  const { properties } = em.getMetadata(entity.constructor as never) as EntityMetadata
  for (const [name, value] of Object.entries(data)) {
    const property = model.properties.get(name)
    // values are of their types already; em.assign takes those of custom types for wrong ones
    if (properties[name as never]?.['kind'] === ReferenceKind.SCALAR) (entity as Record<string, unknown>)[name] = value
    else {
      em.assign(
        entity,
        {
          [name]: withHidden(property, linked(em, property, value), (entity as Record<string, unknown>)[name]),
        } as never,
        { mergeEmbeddedProperties: false }
      )
    }
  }
  await em.flush()
}

/** Links as MikroORM takes them: it reads no composite keys in a list. */
function linked (em: EntityManager, property: Property | undefined, value: unknown): unknown {
  if (property?.kind !== 'relation' || !property.many || keyColumns(property.target).length === 1) return value
  return (value as unknown[]).map((key) => em.getReference(property.target.entity as never, key as never))
}

/** A new value of an embedded object with the members of the old one that clients don't see. */
function withHidden (property: Property | undefined, value: unknown, old: unknown): unknown {
  const members = property && membersOf(property)
  const isColumns = property?.kind === 'embedded'
  const isGiven = typeof value === 'object' && value !== null
  // null takes an object in JSON away, and of one in columns what clients see
  if (
    members === undefined || typeof old !== 'object' || old === null || !holdsHidden(members) ||
    !(isGiven || isColumns || value === undefined)
  ) return value
  const kept: Record<string, unknown> = {}
  for (const member of members.values()) {
    const before = (old as Record<string, unknown>)[member.name]
    const part = member.hidden
      ? before
      : withHidden(member, isGiven ? (value as Record<string, unknown>)[member.name] : undefined, before)
    if (part !== undefined && part !== null) kept[member.name] = part
  }
  if (isGiven) return { ...value, ...kept }
  if (Object.keys(kept).length === 0) return value
  return isColumns ? { ...Object.fromEntries([...members.values()].map(({ name }) => [name, null])), ...kept } : kept
}

export async function removeEntity (em: EntityManager, entity: object): Promise<void> {
  em.remove(entity)
  await em.flush()
}

function whereOf ({ uuid, primaryKey }: EntityModel, id: Id): object {
  if (typeof id === 'object') return id
  const [single] = primaryKey
  const byUuid = uuid !== undefined && single?.columns[0]?.type.kind !== 'uuid' && isUuid(String(id))
  return { [byUuid ? uuid.name : single!.property.name]: id }
}

/** The key of an entity as texts, column by column. */
function keyOf (entity: object, { primaryKey }: EntityModel): string[] {
  return primaryKey.flatMap(({ property }) => {
    const value = (entity as Record<string, unknown>)[property.name]
    if (property.kind === 'scalar') return [value instanceof Date ? value.toISOString() : String(value)]
    const key: unknown = wrap(value as object, true).getPrimaryKey()
    return (Array.isArray(key) ? key : typeof key === 'object' && key !== null ? Object.values(key) : [key]).map(String)
  })
}
