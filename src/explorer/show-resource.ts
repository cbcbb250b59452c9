/** A resource in the explorer's document: everything that a caller may do with it. */
import {
  bodySchema, describeOffer, exampleText, type DescribedChildren, type DescribedFilter, type DescribedInput,
  type Description, type Offer,
} from '../catalogue/index.ts'
import { BODY_NAMES, factsOf, OPERATIONS, removes, takesBodies, type BodyName } from '../config/index.ts'
import { keySegments, offerOf, type CrudOperation, type KnownResource, type RoleResource } from '../http/index.ts'
import type { EntityModel, Property } from '../model/index.ts'
import type { Whitelist } from '../plan/index.ts'
import type {
  Children, FilterDescription, JsonSchema, OperatorDescription, Operations, Paging, ResourceDescription,
} from './description.ts'
import { describeLookup } from './lookup.ts'
import { showFacets, showGroups, showNumbers } from './show-groups.ts'
import { CUSTOM, describeType, referenceOf, showFields, type ReferenceTo } from './show-fields.ts'
import { showIncludes, type Others } from './show-include.ts'

/** A resource as a caller may use it. */
export interface UsableResource {
  readonly known: KnownResource
  /** The resource of the caller's role, if roles limit what requests may do. */
  readonly role?: RoleResource | undefined
}

/** A resource as a caller may use it, and its description. */
export interface DescribedResource {
  readonly known: KnownResource
  readonly offer: Offer
  readonly description: Description
}

export function describeUsable ({ known, role }: UsableResource): DescribedResource {
  const offer = offerOf(role ?? known.routed, known.options)
  return { known, offer, description: describeOffer(offer) }
}

export function showResource ({ known, offer, description }: DescribedResource, others: Others): ResourceDescription {
  const { prefix, routed: { name }, sendsTimes } = known
  const { model, whitelist, streams } = offer
  const { filters, sorts, settable, pages } = description
  const groupPages = { ...description.groupPages, cursor: false }
  const operations = operationsOf(offer)
  const fields = showFields(model, description.fields, others.referenceTo, settable)
  return {
    path: prefix,
    name,
    title: titleOf(name),
    entity: model.name,
    operations,
    key: keyOf(model),
    version: offer.versions ? model.version!.publicName : null,
    softDelete: softDeleteOf(whitelist),
    fields,
    children: description.children.map((children) => showChildren(children, others.referenceTo)),
    includes: showIncludes(description.includes, model, others),
    filters: filters.map((filter) => showFilter(filter, model, others.referenceTo)),
    sorts,
    defaultSort: description.defaultSort.map(({ field, name, descending }) => ({ field, name, descending })),
    paging: showPaging(pages),
    combinesFilters: offer.combinesFilters,
    facets: showFacets(description, others.referenceTo),
    groups: showGroups(description, others.referenceTo),
    numbers: showNumbers(description),
    groupPaging: showPaging(groupPages),
    downloads: streams,
    lookup: operations.list ? describeLookup(model, filters, fields, sorts) : null,
    bodies: Object.fromEntries(
      BODY_NAMES.map((name) => [name, bodyOf(name, offer, description)])
    ) as ResourceDescription['bodies'],
    upsertKeys: offer.operations.some((operation) => factsOf(operation).query === 'key')
      ? offer.upsertKeys.map(({ properties }) => properties.map(({ publicName }) => publicName))
      : [],
    idempotency: offer.idempotency !== false,
    serverTiming: sendsTimes,
  }
}

const showPaging = ({ defaultPerPage, maxPerPage, maxOffset, count, cursor }: Description['pages']): Paging => ({
  defaultPerPage, maxPerPage, maxOffset, count, cursor,
})

function showChildren ({ relation, added, changed, key }: DescribedChildren, referenceTo: ReferenceTo): Children {
  const properties = new Set([...added.create ?? [], ...added.update ?? []])
  return {
    name: relation.publicName,
    entity: relation.target.name,
    fields: showFields(relation.target, NO_SELECTION, referenceTo, { create: properties, update: changed }),
    key,
  }
}

const NO_SELECTION: ReadonlyMap<string, Property> = new Map()

function operationsOf ({ operations, maxBatch, maxAffected, hardDelete, requireIfMatch, model }: Offer): Operations {
  return {
    ...Object.fromEntries(OPERATIONS.map((name) => [name, operations.includes(name)])) as Record<
      CrudOperation,
      boolean
    >,
    maxBatch,
    maxAffected,
    hardDelete: operations.some(removes) && hardDelete && model.deletedAt !== undefined,
    requireIfMatch,
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

/** The schema that checks the bodies, as JSON. It has the children that the caller may write. */
function bodyOf (operation: BodyName, offer: Offer, { children }: Description): JsonSchema | null {
  const schema = takesBodies(offer.operations, operation) ? bodySchema(offer, operation) : undefined
  if (schema === undefined) return null
  const body = JSON.parse(JSON.stringify(schema)) as JsonSchema
  const properties = Object.entries(body.properties ?? {}).flatMap(([name, property]) => {
    if (offer.writable[operation]?.children.has(name) !== true) return [[name, property] as const]
    const child = children.find(({ relation }) => relation.publicName === name)
    const allowed = child && childrenOf(operation, child, property)
    return allowed ? [[name, allowed] as const] : []
  })
  return { ...body, properties: Object.fromEntries(properties) }
}

/** The part of a body that has children: a list of new ones, or lists of changes. */
function childrenOf (
  operation: BodyName,
  { added, changed, removed }: DescribedChildren,
  schema: JsonSchema
): JsonSchema | undefined {
  if (operation === 'create') return added.create && schema
  const { add, update, remove } = schema.properties!
  const lists = { ...added.update && { add }, ...changed && { update }, ...removed && { remove } }
  if (Object.keys(lists).length === 0) return undefined
  return { ...schema, properties: lists as NonNullable<JsonSchema['properties']> }
}

function showFilter (filter: DescribedFilter, model: EntityModel, referenceTo: ReferenceTo): FilterDescription {
  const { name, looks, sentence, inputs, target } = filter
  return {
    name,
    kind: looks === 'partial' ? 'operators' : looks,
    operators: inputs.map(showInput),
    ...target === undefined ? NO_PROPERTY : showTarget(target, model, referenceTo),
    description: sentence,
    default: filter.default ?? null,
  }
}

type OfProperty = Pick<FilterDescription, 'field' | 'nullable' | 'relations' | 'reference'>

const NO_PROPERTY: OfProperty = { field: null, nullable: false, relations: [], reference: null }

function showTarget (
  target: NonNullable<DescribedFilter['target']>,
  model: EntityModel,
  referenceTo: ReferenceTo
): OfProperty {
  const { relations, operand } = target
  if (operand.kind === 'number') {
    return { field: operand.name, nullable: operand.nullable, relations: [], reference: null }
  }
  const property: Property = operand.kind === 'json' ? operand.property : operand
  const own = relations.length === 0 && model.properties.get(property.name) === property
  return {
    field: own ? property.publicName : null,
    nullable: property.nullable || operand.kind === 'json' || relations.length > 0,
    relations: relations.map((relation) => ({
      name: relation.publicName,
      many: relation.many,
      reference: referenceTo(relation.target),
    })),
    reference: referredBy(target, referenceTo),
  }
}

/** The records whose keys are the values of a filter. */
function referredBy (
  { operand, relations }: NonNullable<DescribedFilter['target']>,
  referenceTo: ReferenceTo
): FilterDescription['reference'] {
  if (operand.kind === 'relation') return operand.key.length === 1 ? referenceOf(operand, referenceTo) : null
  const target = relations.at(-1)?.target
  const isKey = target?.primaryKey.length === 1 && target.primaryKey[0]!.property === operand
  return isKey ? referenceTo(target) : null
}

const TAKES: { readonly [Value in DescribedInput['takes']]: OperatorDescription['takes'] } = {
  one: 'one',
  part: 'one',
  text: 'text',
  list: 'list',
  items: 'list',
  pair: 'pair',
  boolean: 'boolean',
  tuple: 'tuple',
}

function showInput (input: DescribedInput): OperatorDescription {
  const { operator, parameter, takes, value, parts, meaning, example } = input
  return {
    name: operator ?? null,
    parameter,
    meaning,
    takes: TAKES[takes],
    value: value === undefined ? null : value.codec === undefined ? describeType(value.type) : CUSTOM,
    ...parts !== undefined && { parts: parts.map(({ name, type }) => ({ name, value: describeType(type) })) },
    example: example === undefined ? null : exampleText(example),
  }
}
