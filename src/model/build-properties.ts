/** Builds the properties of an entity or embeddable from the metadata of MikroORM. */
import { ReferenceKind, type EntityMetadata, type EntityProperty } from '@mikro-orm/core'
import { ConfigError } from '../base/errors.ts'
import { codecOf, hydratorOf, isVerbatim } from './codec.ts'
import { embeddedToEntity } from './embedded-json.ts'
import type { EmbeddedProperty, EntityModel, Property, RelationProperty, ScalarProperty } from './entity-model.ts'
import { foreignKeyOf } from './keys.ts'
import { isPolymorphic, joinOf, orderOf, type OrmContext } from './relations.ts'
import { valueTypeOf } from './column-types.ts'
import { writeRulesOf } from './write-rules.ts'

/** Names that every object inherits, so that a body seems to have them. MikroORM also takes them for values. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** PostgreSQL cuts off longer names, and the keys of a record are column names (manual, section 4.1.1). */
export const MAX_NAME_BYTES = 63

/**
 * The properties in `list` that are stored in the database, by name.
 *
 * @param meta the entity or embeddable that they belong to
 * @throws {ConfigError} for names that every object has, and for public names that are too long or that two properties
 *   have
 */
export function buildProperties (
  orm: OrmContext,
  meta: EntityMetadata,
  list: readonly EntityProperty[]
): ReadonlyMap<string, Property> {
  const properties = new Map<string, Property>()
  const publicNames = new Set<string>()
  for (const source of list) {
    const property = buildProperty(orm, meta, source)
    if (property === undefined) continue
    const inherited = [property.name, property.publicName].find((name) => INHERITED.has(name))
    if (inherited !== undefined) {
      throw new ConfigError(
        `${meta.className}.${property.name}: a property cannot have the name '${inherited}', which every ` +
          "JavaScript object has. Choose another one. fieldName('...') keeps its column, serializedName('...') names " +
          'it for clients.'
      )
    }
    properties.set(property.name, property)
    if (property.hidden) continue
    if (publicNames.has(property.publicName)) {
      throw new ConfigError(`Two properties of ${meta.className} have the public name '${property.publicName}'.`)
    }
    if (Buffer.byteLength(property.publicName) > MAX_NAME_BYTES) {
      throw new ConfigError(
        `The name '${property.publicName}' of ${meta.className} is longer than ${MAX_NAME_BYTES} bytes.`
      )
    }
    publicNames.add(property.publicName)
  }
  return properties
}

/** The property, or `undefined` if it is not stored in the database. */
function buildProperty (orm: OrmContext, meta: EntityMetadata, source: EntityProperty): Property | undefined {
  if (source.kind === ReferenceKind.SCALAR) return buildScalar(orm, meta, source)
  if (source.kind === ReferenceKind.EMBEDDED) return buildEmbedded(orm, meta, source)
  if (
    isPolymorphic(source) || source.targetMeta === undefined || source.targetMeta.virtual || source.persist === false
  ) return undefined
  return buildRelation(orm, meta, source)
}

function buildScalar (orm: OrmContext, meta: EntityMetadata, source: EntityProperty): ScalarProperty | undefined {
  if (source.persist === false && source.formula === undefined) return undefined
  const columnType = source.columnTypes?.[0] ?? 'text'
  const type = valueTypeOf(columnType, { runtimeType: source.runtimeType, items: source.items })
  return Object.freeze(
    {
      kind: 'scalar',
      ...baseOf(source, meta),
      column: source.fieldNames?.[0] ?? source.name,
      type,
      formula: source.formula && formulaOf(orm, meta, source),
      generated: generatedOf(orm, source),
      codec: codecOf(source, type, orm.platform),
      verbatim: isVerbatim(source),
      hydrate: hydratorOf(source, type, orm.platform),
    } satisfies ScalarProperty
  )
}

function formulaOf (orm: OrmContext, meta: EntityMetadata, source: EntityProperty): (alias: string) => string {
  return (alias) => {
    const table = {
      alias,
      name: meta.tableName,
      schema: meta.schema,
      qualifiedName: meta.tableName,
      toString: () => alias,
    }
    const result: unknown = source.formula!(meta.createColumnMappingObject(alias) as never, table as never)
    if (typeof result === 'string') return result
    const { sql, params } = result as { sql: string, params: unknown[] }
    return orm.platform.formatQuery(sql, params as never)
  }
}

/** MikroORM has called a callback by now. */
function generatedOf ({ platform }: OrmContext, { generated }: EntityProperty): string | undefined {
  if (generated === undefined || typeof generated === 'string') return generated
  const { sql, params } = generated as unknown as { sql: string, params: unknown[] }
  return platform.formatQuery(sql, params as never)
}

function buildEmbedded (orm: OrmContext, meta: EntityMetadata, source: EntityProperty): Property {
  const embeddable = source.targetMeta as EntityMetadata
  if (source.object || source.array) {
    // for an object of several classes, only MikroORM can tell its class and the members it may have
    const classes: readonly EntityMetadata[] = embeddable.polymorphs ?? []
    if (
      !source.hidden &&
      classes.some(({ properties }) => Object.values<EntityProperty>(properties).some(({ hidden }) => hidden))
    ) {
      throw new ConfigError(
        `${meta.className}.${source.name} is stored as JSON of several classes, ` +
          `and one of them has a hidden property. Hide '${source.name}' as a whole.`
      )
    }
    const embedded = classes.length === 0
      ? {
          list: source.array === true,
          properties: buildProperties(orm, embeddable, Object.values(embeddable.properties) as EntityProperty[]),
        }
      : undefined
    return Object.freeze(
      {
        kind: 'scalar',
        ...baseOf(source, meta),
        column: source.fieldNames[0]!,
        type: valueTypeOf('jsonb', {}),
        verbatim: false,
        embedded,
        hydrate: embedded && ((json) => embeddedToEntity(json, embedded)),
      } satisfies ScalarProperty
    )
  }
  const properties = buildProperties(orm, embeddable, Object.values(source.embeddedProps ?? {}) as EntityProperty[])
  return Object.freeze(
    {
      kind: 'embedded',
      ...baseOf(source, meta),
      column: source.fieldNames?.[0] ?? source.name,
      properties,
    } satisfies EmbeddedProperty
  )
}

function buildRelation (orm: OrmContext, meta: EntityMetadata, source: EntityProperty): RelationProperty {
  const targetMeta = source.targetMeta as EntityMetadata
  let target: EntityModel | undefined
  const join = joinOf(
    meta,
    source,
    targetMeta,
    orm
  )
  return Object.freeze({
    kind: 'relation' as const,
    ...baseOf(source, meta, source.pivotEntity && orm.metadataOf(source.pivotEntity)),
    many: source.kind === ReferenceKind.ONE_TO_MANY || source.kind === ReferenceKind.MANY_TO_MANY,
    join,
    key: join.kind === 'owner' ? foreignKeyOf(source, join, targetMeta, orm.platform) : [],
    where: source.where as object | undefined,
    order: orderOf(source, targetMeta),
    // looked up on first use, because entities may refer to each other in circles
    get target () {
      // looked up by class, because `targetMeta` may be older than the metadata after discovery
      target ??= orm.modelOf(targetMeta.class)
      return target
    },
  })
}
/** The name of a property. Inside an embeddable, it is the last part of the path. */
const embeddedName = (source: EntityProperty): string => source.embedded?.[1] ?? source.name

function baseOf (source: EntityProperty, meta: EntityMetadata, pivot?: EntityMetadata) {
  const name = embeddedName(source)
  return {
    name,
    publicName: source.serializedName ?? name,
    nullable: source.nullable === true,
    hidden: source.hidden === true,
    write: writeRulesOf(source, meta, pivot),
  }
}
