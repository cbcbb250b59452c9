/** The joins and the orders of relations, from the metadata of MikroORM. */
import { ReferenceKind, type EntityMetadata, type EntityProperty, type Platform } from '@mikro-orm/core'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel, Join, RelatedOrder } from './entity-model.ts'

/**
 * The order of a collection.
 *
 * @throws {ConfigError} when it uses more than columns of the related rows, because an include could not keep such an
 * order
 */
export function orderOf ({ orderBy, name }: EntityProperty, targetMeta: EntityMetadata): readonly RelatedOrder[] {
  const terms = orderBy === undefined ? [] : [orderBy].flat().flatMap((map) => Object.entries(map as object))
  return Object.freeze(terms.map(([key, direction]) => {
    const property = targetMeta.properties[key as never] as EntityProperty | undefined
    if (property?.fieldNames?.length !== 1 || typeof direction === 'object') {
      throw new ConfigError(
        `The relation '${name}' is ordered by '${key}', which is not a column of ${targetMeta.className}.`
      )
    }
    const descending = direction === -1 || /^desc/i.test(String(direction))
    return { column: property.fieldNames[0]!, descending, nullable: property.nullable === true }
  }))
}

/**
 * Whether a column of its rows tells which table a relation leads to or comes from. The other side of such a relation
 * counts as well, because a join by the keys alone would find rows of other tables.
 */
export function isPolymorphic ({ polymorphic, mappedBy, targetMeta }: EntityProperty): boolean {
  const otherSide = mappedBy && targetMeta?.properties[mappedBy as never] as EntityProperty | undefined
  return polymorphic === true || (otherSide || undefined)?.polymorphic === true
}

/** The join of a relation. */
export function joinOf (
  meta: EntityMetadata,
  source: EntityProperty,
  targetMeta: EntityMetadata,
  orm: Pick<OrmContext, 'tableOf' | 'metadataOf'>
): Join {
  const primary = (of: EntityMetadata) =>
    Object.freeze((of.getPrimaryProps() as EntityProperty[]).flatMap((property) => property.fieldNames))
  if (source.pivotEntity !== undefined) {
    const owner = source.owner ? source : targetMeta.properties[source.mappedBy as never] as EntityProperty
    const [near, far] = source.owner
      ? [owner.joinColumns, owner.inverseJoinColumns]
      : [owner.inverseJoinColumns, owner.joinColumns]
    return Object.freeze({
      kind: 'pivot',
      table: orm.tableOf(source.pivotEntity),
      owner: source.owner === true,
      columns: primary(meta),
      targetColumns: primary(targetMeta),
      pivotColumns: near,
      pivotTargetColumns: far,
      orderColumn: source.owner ? orderColumn(source, orm.metadataOf(source.pivotEntity)) : undefined,
      indexed: isIndexed(orm.metadataOf(source.pivotEntity), near),
    })
  }
  if (source.owner || source.kind === ReferenceKind.MANY_TO_ONE) {
    const targetColumns = source.referencedColumnNames
    return Object.freeze({
      kind: 'owner',
      columns: source.joinColumns,
      targetColumns,
      indexed: isIndexed(orm.metadataOf(targetMeta.class), targetColumns),
    })
  }
  const { referencedColumnNames, joinColumns } = targetMeta.properties[source.mappedBy as never] as EntityProperty
  return Object.freeze({
    kind: 'inverse',
    columns: referencedColumnNames,
    targetColumns: joinColumns,
    indexed: isIndexed(orm.metadataOf(targetMeta.class), joinColumns),
  })
}

/** The column of a pivot table that orders the links. */
function orderColumn ({ fixedOrder, fixedOrderColumn }: EntityProperty, pivot: EntityMetadata): string | undefined {
  if (fixedOrder !== true || fixedOrderColumn === undefined) return undefined
  return (pivot.properties[fixedOrderColumn as never] as EntityProperty).fieldNames[0]
}

/**
 * Whether an entity declares an index that begins with some columns, in any order. Only B-trees count: a row is not
 * looked up in others, or not by their first columns. A view has no index.
 */
function isIndexed (meta: EntityMetadata, columns: readonly string[]): boolean {
  if (meta.view === true) return false
  const columnsOf = (names: readonly string[]) =>
    names.flatMap((name) => (meta.properties[name as never] as EntityProperty | undefined)?.fieldNames ?? [name])
  const ofProperties = (Object.values(meta.properties) as EntityProperty[])
    .filter(({ index, unique }) => isDeclared(index) || isDeclared(unique))
    .map(({ fieldNames }) => fieldNames)
  const ofEntity = [meta, meta.root]
    .flatMap(({ indexes, uniques }) => [...indexes.filter(({ type }) => isBtree(type)), ...uniques])
    .filter(({ expression, where }) => expression === undefined && where === undefined)
    .map(({ properties }) => columnsOf([properties ?? []].flat() as readonly string[]))
  return [columnsOf(meta.primaryKeys as readonly string[]), ...ofProperties, ...ofEntity].some((index) =>
    index.slice(0, columns.length).every((column) => columns.includes(column)) && index.length >= columns.length
  )
}

const isDeclared = (index: boolean | string | undefined): boolean => index !== undefined && index !== false

const isBtree = (type: string | undefined): boolean => type === undefined || type.toLowerCase() === 'btree'

/** The ORM that an entity belongs to. */
export interface OrmContext {
  readonly platform: Platform
  /** The quoted name of an entity's table. */
  readonly tableOf: (entity: unknown) => string
  readonly modelOf: (entity: unknown) => EntityModel
  /** The metadata after discovery. That of the properties of other entities may be older. */
  readonly metadataOf: (entity: unknown) => EntityMetadata
}
