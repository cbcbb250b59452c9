/** Rows that a resource's scope does not guard: those of other entities that a request can reach. */
import { Raw, isRaw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { includePath, relationsOf } from '../plan/index.ts'
import { filtersOfEntity } from './entity-filters.ts'
import type { Resource } from './resource.ts'

/** An entity whose rows a request can reach past the scope. */
export interface Unguarded {
  readonly entity: string
  /** How, as clients write it: `include=project`, `filter[project.name]`, `'project' in bodies`. */
  readonly paths: readonly string[]
  /** A MikroORM filter that would guard it. */
  readonly rule: string
}

/** A way to related rows, as clients write it. */
interface Way {
  readonly path: string
  readonly relations: readonly RelationProperty[]
}

/**
 * The entities that a resource with a scope leads to and that nothing guards. A scope holds for the rows of the resource
 * itself: not for rows of the same entity that are reached through a relation.
 *
 * @param writes whether the routes create or update records
 */
export async function unguardedBehind (em: EntityManager, { model, whitelist, writable }: Resource, writes: { readonly create: boolean, readonly update: boolean }): Promise<readonly Unguarded[]> {
  const ways: Way[] = []
  for (const entry of whitelist.includes.values()) ways.push({ path: `include=${entry.name}`, relations: includePath(entry) })
  for (const entry of whitelist.filters.values()) {
    // the alternatives of one filter may lead different ways, and each of its relations to one entity
    ways.push({ path: `filter[${entry.name}]`, relations: relationsOf(entry) })
  }
  for (const { name, targets } of whitelist.sorts.values()) ways.push({ path: `sort=${name}`, relations: targets.flatMap((target) => 'callback' in target ? [] : target.relations) })
  ways.push({ path: 'the default sort', relations: whitelist.defaultOrder.flatMap(({ target }) => 'callback' in target ? [] : target.relations) })
  const settable = new Set([...(writes.create && writable.create?.properties) || [], ...(writes.update && writable.update?.properties) || []])
  for (const property of settable) {
    if (property.kind === 'relation') ways.push({ path: `'${property.publicName}' in bodies`, relations: [property] })
  }
  const pathsByEntity = new Map<EntityModel, Set<string>>()
  for (const { path, relations } of ways) {
    for (const { target } of relations) pathsByEntity.set(target, (pathsByEntity.get(target) ?? new Set()).add(path))
  }
  const unguarded: Unguarded[] = []
  for (const [entity, paths] of pathsByEntity) {
    if (!await isGuardedByFilter(em, entity)) unguarded.push({ entity: entity.name, paths: [...paths], rule: sampleRule(entity, model) })
  }
  return unguarded
}

/** Whether a filter that is on by default may tell the rows of one request from those of another. */
async function isGuardedByFilter (em: EntityManager, { entity }: EntityModel): Promise<boolean> {
  const declared = filtersOfEntity(em, entity)
  if (declared.some((filter) => filter.default === true && tellsApart(filter.cond))) return true
  // MikroORM does not list the filters that addFilter has added: all others are switched off
  const others = Object.fromEntries(declared.map((filter) => [filter.name, false]))
  try {
    const where: unknown = await em.applyFilters(entity as never, undefined as never, others as never, 'read')
    return where !== undefined && tellsApart(where)
  } catch {
    // it has no parameters, or its callback does not find the request that it looks for
    return true
  }
}

/** Objects are the same for all requests, unless there is SQL in them; callbacks may look at the request. */
function tellsApart (cond: unknown): boolean {
  if (typeof cond === 'function' || isRaw(cond)) return true
  if (typeof cond !== 'object' || cond === null) return false
  return Raw.hasObjectFragments(cond) || Object.values(cond).some(tellsApart)
}

/** Names of properties that often say whose a row is. */
const OWNERS = /^(tenant|org|account|company|customer|client|workspace|team|owner|user|project)/i

function sampleRule (entity: EntityModel, root: EntityModel): string {
  const names = [...entity.properties.values()].filter(({ write }) => write.persisted).map(({ name }) => name).filter((name) => OWNERS.test(name))
  const property = names.find((name) => root.properties.has(name)) ?? names[0] ?? 'tenant'
  return `filters: { own: { name: 'own', cond: ({ ${property} }) => ({ ${property} }), default: true } }`
}
