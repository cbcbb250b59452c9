/** The schemas of a resource that have names: of its records, pages and bodies. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import { bodySchema, type Offer } from '../../catalogue/index.ts'
import { BODY_NAMES, factsOf, takesBodies, type BodyName, type CrudOperation } from '../../config/index.ts'
import {
  facetsSchema, groupItemSchema, includeTree, listSchema, NOTHING_INCLUDED, recordSchema, totalsOf,
} from '../../schema/index.ts'
import { STYLES } from '../../base/page-styles.ts'
import type { RelationProperty } from '../../model/index.ts'
import { rulesInUse } from '../../plan/index.ts'
import type { SchemaNames } from './schema-names.ts'
import { filterSchema, queryBodySchema } from './query-body-schema.ts'

/** Those of bodies are `undefined` if no operation takes such bodies. */
export interface NamedSchemas extends Readonly<Record<BodyName, TSchema | undefined>> {
  readonly record: TSchema
  readonly written: TSchema
  readonly page: TSchema
  /** A page of groups; `undefined` if the operation is not offered. */
  readonly groups: TSchema | undefined
  /** The query of a list as a body, and its filters; `undefined` if the resource takes no such bodies. */
  readonly query: TSchema | undefined
  readonly filter: TSchema | undefined
  /** The schemas to add to the server. They refer to each other by name. */
  readonly shared: readonly TSchema[]
}

/** Makes the named schemas of a resource. Those that none of its operations uses are not shared. */
export function namedSchemas (offer: Offer, names: SchemaNames): NamedSchemas {
  const { model, whitelist, changesRecords, operations } = offer
  const readsAll = !changesRecords && whitelist.fields.size === 0
  const record = named(names.record, recordSchema(model, { includes: includeTree(whitelist), complete: readsAll }))
  const children = childrenOf(offer)
  const plain = (readsAll || changesRecords) && whitelist.includes.size === 0 && children.size === 0
  const written = plain
    ? record
    : named(names.written, recordSchema(model, { includes: NOTHING_INCLUDED, complete: !changesRecords, children }))
  const pageOf = (item: TSchema): TSchema =>
    named(names.page, listSchema(item, { ...totalsOf(whitelist.pagination), facets: facetsSchema(whitelist) }))
  const groups = operations.includes('aggregate')
    ? named(names.groups, listSchema(groupItemSchema(whitelist), { totals: true, styles: GROUP_STYLES }))
    : undefined
  const takesQueries = offer.combinesFilters && operations.includes('list')
  const filter = takesQueries ? named(names.filter, filterSchema(offer, Type.Ref(`${names.filter}#`))) : undefined
  const query = takesQueries ? named(names.query, queryBodySchema(offer, Type.Ref(`${names.filter}#`))) : undefined
  const bodyOf = (kind: BodyName): TSchema | undefined => {
    const schema = bodySchema(offer, kind)
    return schema && named(names[kind], schema)
  }
  const bodies = Object.fromEntries(
    BODY_NAMES.map((name) => [name, takesBodies(operations, name) ? bodyOf(name) : undefined])
  ) as Record<BodyName, TSchema | undefined>
  const has = (...some: readonly CrudOperation[]): boolean => some.some((operation) => operations.includes(operation))
  const writes = operations.some((operation) => factsOf(operation).writes)
  const shared = [
    (has('list', 'get') || (writes && plain)) && record,
    writes && !plain && written,
    groups,
    has('list') && pageOf(Type.Ref(`${names.record}#`)),
    filter,
    query,
    ...Object.values(bodies),
  ].filter((schema) => typeof schema === 'object')
  return { record, written, page: pageOf(record), groups, query, filter, ...bodies, shared }
}

/** The relations whose children bodies write. */
const childrenOf = ({ writable, operations }: Offer): ReadonlySet<RelationProperty> =>
  new Set(
    rulesInUse(writable, operations).flatMap(({ children }) => [...children.values()].map(({ relation }) => relation))
  )

/** Pages of groups have no cursors. */
const GROUP_STYLES = STYLES.filter(({ hasTotal }) => hasTotal)

const named = <Schema extends TSchema>(name: string, schema: Schema): Schema => ({
  ...schema,
  $id: name,
  title: name,
})
