/** Describes a resource: everything that a caller may do with it. */
import { describeFilters } from '../catalogue/index.ts'
import {
  DEFAULT_MAX_BATCH,
  documentedFor,
  documentedResource,
  keySegments,
  STREAM_TYPES,
  type CrudOperation,
  type DocumentedResource,
  type KnownResource,
  type RoleResource,
} from '../http/index.ts'
import type { EntityModel } from '../model/index.ts'
import type { Whitelist } from '../plan/index.ts'
import { clientBody } from '../schema/index.ts'
import type { JsonSchema, Operations, ResourceDescription } from './description.ts'
import { showFilter } from './filters.ts'
import { describeIncludes, type ListOf } from './includes.ts'
import { describeLookup } from './lookup.ts'
import { describeDefaultSort, describeSorts } from './sorts.ts'
import { describeFields, type ReferenceTo } from './values.ts'

/** A resource as a caller may use it. */
export interface UsableResource {
  readonly known: KnownResource
  /** The resource of the caller's role, if roles limit what requests may do. */
  readonly role?: RoleResource | undefined
}

/** The other resources that the caller may use. */
export interface Others {
  readonly referenceTo: ReferenceTo
  readonly listOf: ListOf
}

export function describeResource ({ known, role }: UsableResource, others: Others): ResourceDescription {
  const { prefix, routed, options, sendsTimes } = known
  const { bound, operations } = role ?? routed
  const documented = role === undefined ? documentedResource(routed, options) : documentedFor(role, options)
  const { model, whitelist, config, writable } = bound
  const offers = operationsOf(operations, documented)
  const fields = describeFields({
    model,
    selectable: whitelist.fields,
    create: offers.create || offers.createMany ? writable.create?.properties : undefined,
    update: offers.update ? writable.update?.properties : undefined,
  }, others.referenceTo)
  const filters = describeFilters(whitelist)
  const sorts = describeSorts(whitelist, config)
  const defaultSort = describeDefaultSort(config, whitelist, sorts)
  return {
    path: prefix,
    name: routed.name,
    title: titleOf(routed.name),
    entity: model.name,
    operations: offers,
    key: keyOf(model),
    version: model.version?.hidden === false ? model.version.publicName : null,
    softDelete: softDeleteOf(whitelist),
    fields,
    includes: describeIncludes(whitelist, others.referenceTo, others.listOf),
    filters: filters.map((filter) => showFilter(filter, model, others.referenceTo)),
    sorts,
    defaultSort,
    paging: pagingOf(whitelist),
    downloads: options.stream === undefined || options.stream === false ? [] : STREAM_TYPES,
    lookup: offers.list ? describeLookup(model, filters, fields, sorts) : null,
    bodies: {
      create: offers.create || offers.createMany ? bodyOf('create', documented) : null,
      update: offers.update ? bodyOf('update', documented) : null,
    },
    serverTiming: sendsTimes,
  }
}

function operationsOf (
  operations: readonly CrudOperation[],
  { maxBatch = DEFAULT_MAX_BATCH, allowHardDelete, requireIfMatch, model }: DocumentedResource
): Operations {
  const has = (operation: CrudOperation): boolean => operations.includes(operation)
  return {
    list: has('list'),
    get: has('get'),
    create: has('create'),
    createMany: has('createMany'),
    update: has('update'),
    delete: has('delete'),
    restore: has('restore'),
    maxBatch,
    hardDelete: has('delete') && allowHardDelete === true && model.deletedAt !== undefined,
    requireIfMatch: requireIfMatch === true,
  }
}

/** `order_items` is `Order items`. */
function titleOf (name: string): string {
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])|[_-]+/g, ' ').trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

function keyOf (model: EntityModel): ResourceDescription['key'] {
  return keySegments(model).map(({ part: { property, columns }, inner }) => ({
    field: property.publicName,
    member: columns.length > 1 ? inner : null,
  }))
}

function softDeleteOf ({ model: { deletedAt }, filters }: Whitelist): ResourceDescription['softDelete'] {
  if (deletedAt === undefined) return null
  const trashed = [...filters.values()].find(({ kind }) => kind === 'trashed')
  return { field: deletedAt.hidden ? null : deletedAt.publicName, filter: trashed?.name ?? null }
}

function pagingOf ({ pagination, defaultOrder }: Whitelist): ResourceDescription['paging'] {
  const { defaultPerPage, maxPerPage, maxOffset, count } = pagination
  const cursor = defaultOrder.every(({ target }) => 'operand' in target)
  return { defaultPerPage, maxPerPage, maxOffset, count, cursor }
}

/** The schema that checks the bodies, as JSON. */
function bodyOf (operation: 'create' | 'update', documented: DocumentedResource): JsonSchema | null {
  const { model, writable, complete, readonlyProperties } = documented
  const rules = writable[operation]
  if (rules === undefined) return null
  const { schema } = clientBody(model, rules, {
    complete: operation === 'create' && complete,
    readonly: readonlyProperties === 'ignore',
  })
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}
