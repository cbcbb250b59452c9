/**
 * Entities in MikroORM's unit of work, for writes that need lifecycle hooks, subscribers, cascades or constructors. The
 * result is that of a single statement, at several times the cost.
 */
import { Collection, LockMode, ReferenceKind, type EntityMetadata } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { isObject } from '../../base/is-object.ts'
import { wait, type Steps } from '../../base/steps.ts'
import { keyOfEntity } from '../../borrowed/mikro-orm.ts'
import { holdsHidden, membersOf, uuidOfId, type EntityModel, type Property } from '../../model/index.ts'
import type { Id, RecordData } from '../../plan/index.ts'
import { enterStage } from '../../run/index.ts'
import { writeInTransaction } from '../run-write.ts'
import type { Write } from '../write.ts'
import { leaveInvalidDates } from './invalid-dates.ts'

/** Does the work of a write in a transaction of MikroORM. Synchronous sessions have been refused before. */
export function throughEntities<Result> (
  write: Write,
  work: (inner: Write<EntityManager>) => Steps<Result>
): Steps<Result> {
  return writeInTransaction(write, (inner) => work(inner as Write<EntityManager>))
}

/** Times all work of MikroORM, including its statements, as running statements. */
export function * flushing<Result> (work: () => Promise<Result>): Steps<Result> {
  enterStage('run')
  const result = yield * wait(work())
  enterStage()
  return result
}

/**
 * Creates records without their links, and returns their keys as texts.
 *
 * @param made gets the new entities before they are stored
 */
export async function createEntities (
  em: EntityManager,
  model: EntityModel,
  rows: ReadonlyArray<RecordData['properties']>,
  made: object[]
): Promise<string[][]> {
  const entities = rows.map((properties) =>
    em.create(
      model.entity as never,
      Object.fromEntries(
        Object.entries(properties).filter(([name]) => !isMany(model.properties.get(name)))
      ) as never,
      { partial: true } as never
    )
  )
  made.push(...entities)
  em.persist(entities)
  await em.flush()
  return entities.map((entity) => keyTextsOf(entity, model))
}

/**
 * The entity with a key, or `null`.
 *
 * @param options.lock whether it is locked until the transaction ends. Default: `true`
 * @param options.populate relations to load with it
 */
export async function findEntity (
  em: EntityManager,
  model: EntityModel,
  id: Id,
  { lock = true, populate = [] }: { readonly lock?: boolean, readonly populate?: readonly string[] } = {}
): Promise<object | null> {
  const entity = await em.findOne<object>(model.entity as never, whereOf(model, id) as never, {
    ...lock && { lockMode: LockMode.PESSIMISTIC_WRITE },
    filters: false,
  })
  // after the lock: a distributed server cannot lock rows of a join
  if (entity !== null && populate.length > 0) {
    await em.populate(entity, populate as never, { filters: false, strategy: 'select-in' })
  }
  leaveInvalidDates(em)
  return entity
}

const isMany = (property: Property | undefined): boolean => property?.kind === 'relation' && property.many

/** Changes an entity, without its links. */
export async function assignEntity (
  em: EntityManager,
  entity: object,
  data: object,
  model: EntityModel
): Promise<void> {
  const { properties } = em.getMetadata(entity.constructor as never) as EntityMetadata
  for (const [name, value] of Object.entries(data)) {
    const property = model.properties.get(name)
    if (isMany(property)) continue
    // assigned directly: the values are converted already, and em.assign refuses converted values of custom types
    if (properties[name as never]?.['kind'] === ReferenceKind.SCALAR) (entity as Record<string, unknown>)[name] = value
    else {
      em.assign(
        entity,
        {
          [name]: withHidden(property, value, (entity as Record<string, unknown>)[name]),
        } as never,
        { mergeEmbeddedProperties: false }
      )
    }
  }
  await em.flush()
}

/** Puts the links that were written into the collections of an entity, where MikroORM finds no change to write. */
export function showLinks (em: EntityManager, entity: object, { links }: RecordData): void {
  for (const { relation: { name, target }, keys } of links) {
    const idOf = (key: readonly unknown[]) => (key.length === 1 ? key[0] : key) as never
    const linked = keys.map((key) => em.getReference(target.entity as never, idOf(key)))
    const collection = new Collection(entity, linked)
    ;(entity as Record<string, unknown>)[name] = collection
    collection.takeSnapshot()
  }
}

/** A new value of an embedded object, with the members of the old one that are hidden from clients. */
function withHidden (property: Property | undefined, value: unknown, old: unknown): unknown {
  const members = property && membersOf(property)
  if (members === undefined || !isAnyObject(old) || !holdsHidden(members)) return value
  if (isAnyObject(value)) return { ...value, ...hiddenMembers(members, value, old) }
  // null removes an object in JSON as a whole, but only the visible members of an object in columns
  const isInColumns = property?.kind === 'embedded'
  if (value !== undefined && !isInColumns) return value
  const kept = hiddenMembers(members, undefined, old)
  if (Object.keys(kept).length === 0) return value
  return isInColumns ? { ...Object.fromEntries([...members.values()].map(({ name }) => [name, null])), ...kept } : kept
}

/** The members of an old object that a new value gets: the hidden ones, and objects that have hidden members. */
function hiddenMembers (
  members: ReadonlyMap<string, Property>,
  value: Readonly<Record<string, unknown>> | undefined,
  old: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  for (const member of members.values()) {
    const before = old[member.name]
    const part = member.hidden ? before : withHidden(member, value?.[member.name], before)
    if (part !== undefined && part !== null) kept[member.name] = part
  }
  return kept
}

const isAnyObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Removes an entity, with those of its cascades. */
export async function removeEntity (em: EntityManager, entity: object): Promise<void> {
  em.remove(entity)
  await em.flush()
}

function whereOf (model: EntityModel, id: Id): object {
  const { primaryKey } = model
  if (typeof id === 'object') {
    return Object.fromEntries(primaryKey.map(({ property }) => [property.name, partOf(property, id[property.name])]))
  }
  return { [(uuidOfId(id, model) ?? primaryKey[0]!.property).name]: id }
}

/** A part of a key. MikroORM compares wrong columns for an object that has a composite key in it, so it gets a list. */
const partOf = (property: Property, value: unknown): unknown =>
  property.kind === 'relation' && isObject(value) ? property.key.map(({ publicName }) => value[publicName]) : value

/** The key of an entity as texts, column by column. */
export function keyTextsOf (entity: object, { primaryKey }: EntityModel): string[] {
  return primaryKey.flatMap(({ property }) => {
    const value = (entity as Record<string, unknown>)[property.name]
    if (property.kind === 'scalar') return [value instanceof Date ? value.toISOString() : String(value)]
    const key: unknown = keyOfEntity(value as object)
    return (Array.isArray(key) ? key : typeof key === 'object' && key !== null ? Object.values(key) : [key]).map(String)
  })
}
