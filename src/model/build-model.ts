/** Builds our snapshot of an entity from the metadata of MikroORM. */
import {
  ReferenceKind,
  Utils,
  type EntityMetadata,
  type EntityProperty,
  type MetadataStorage,
  type Platform,
} from '@mikro-orm/core'
import { ConfigError } from '../errors.ts'
import { codecOf, hydratorOf, isVerbatim } from './codec.ts'
import { embeddedToEntity } from './embedded-json.ts'
import { checkHasTable, readOnlyReason } from './entity-kind.ts'
import type { EmbeddedProperty, EntityModel, Property, RelationProperty, ScalarProperty } from './entity-model.ts'
import { keyOf, primaryKeyOf } from './keys.ts'
import { joinOf, orderOf } from './relations.ts'
import { valueTypeOf } from './value-type.ts'
import { writeRulesOf } from './write-rules.ts'

/** PostgreSQL cuts off longer names, and the keys of a record are column names (manual, section 4.1.1). */
export const MAX_NAME_BYTES = 63

/** The models of all entities of an ORM, built on first use. */
export class Models {
  readonly #metadata: MetadataStorage
  readonly #platform: Platform
  readonly #schema: string | undefined
  readonly #filters: readonly string[]
  /** By class, because entities of several schemas may have the same name. */
  readonly #models = new Map<unknown, EntityModel>()

  /** @param options the default schema and the names of the global filters, both from the options of the ORM */
  constructor (
    metadata: MetadataStorage,
    platform: Platform,
    { schema, filters = [] }: { readonly schema?: string, readonly filters?: readonly string[] } = {}
  ) {
    this.#metadata = metadata
    this.#platform = platform
    this.#schema = schema
    this.#filters = filters
  }

  /**
   * The model of an entity.
   *
   * @param entity class, EntitySchema or the result of `defineEntity`
   * @throws {ConfigError} when the ORM does not know the entity, or the entity cannot be a resource
   */
  of (entity: unknown): EntityModel {
    const all = this.#metadata.getAll()
    // an EntitySchema contains separate metadata, which may not be discovered
    const meta = all.get((this.#metadata.find(entity as never) as EntityMetadata | undefined)?.class as never)
    if (meta === undefined) {
      const known = [...all.values()].map((known) => known.className)
      throw new ConfigError(
        `The entity ${nameOf(entity)} is not one of the ORM's: ${known.join(', ')}. Add it to the ORM's "entities".`
      )
    }
    return this.#of(meta)
  }

  #of (meta: EntityMetadata): EntityModel {
    const found = this.#models.get(meta.class)
    if (found !== undefined) return found
    const model = this.#build(meta)
    this.#models.set(meta.class, model)
    return model
  }

  #build (meta: EntityMetadata): EntityModel {
    checkHasTable(meta)
    const properties = this.#properties(
      meta,
      Object.values(meta.properties).filter((property) => property.embedded === undefined)
    )
    const scalars = [...properties.values()].filter((property) => property.kind === 'scalar')
    const byColumn = (column: string) => scalars.find((property) => property.column === column)
    const named = (name: string) => scalars.find((property) => property.name === name)
    const model: EntityModel = {
      name: meta.className,
      entity: meta.class as never,
      tableName: meta.tableName,
      table: this.#tableOf(meta),
      properties,
      otherNames: otherNamesOf(meta, properties),
      primaryKey: primaryKeyOf(meta, properties, this.#platform),
      uuid: uuidOf(meta, scalars),
      deletedAt: deletedAtOf(named('deleted_at') ?? byColumn('deleted_at')),
      version: meta.versionProperty === undefined ? undefined : named(meta.versionProperty as string),
      discriminator: this.#discriminator(meta),
      abstract: meta.abstract === true && meta.root.inheritanceType === 'sti',
      filters: [...this.#filters, ...Object.keys(meta.filters)],
      readOnly: readOnlyReason(meta),
    }
    return Object.freeze(model)
  }

  /** The quoted name of an entity's table. In MikroORM, the schema `*` means that the schema is not fixed. */
  #tableOf (meta: EntityMetadata): string {
    // a subclass in the table of its root does not have to repeat the schema
    const { schema, tableName } = meta.root.inheritanceType === 'sti' ? meta.root : meta
    const names = [schema === '*' || !schema ? this.#schema : schema, tableName]
    return names.filter((name) => name !== undefined).map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
  }

  #properties (meta: EntityMetadata, list: readonly EntityProperty[]): ReadonlyMap<string, Property> {
    const properties = new Map<string, Property>()
    const publicNames = new Set<string>()
    for (const source of list) {
      const property = this.#property(meta, source)
      if (property === undefined) continue
      properties.set(embeddedName(source), property)
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
  #property (meta: EntityMetadata, source: EntityProperty): Property | undefined {
    if (source.kind === ReferenceKind.SCALAR) return this.#scalar(meta, source)
    if (source.kind === ReferenceKind.EMBEDDED) return this.#embedded(meta, source)
    if (
      source.polymorphic || source.targetMeta === undefined || source.targetMeta.virtual || source.persist === false
    ) return undefined
    return this.#relation(meta, source)
  }

  #scalar (meta: EntityMetadata, source: EntityProperty): ScalarProperty | undefined {
    if (source.persist === false && source.formula === undefined) return undefined
    const columnType = source.columnTypes?.[0] ?? 'text'
    const type = valueTypeOf(columnType, { runtimeType: source.runtimeType, items: source.items })
    return Object.freeze(
      {
        kind: 'scalar',
        ...baseOf(source, meta),
        column: source.fieldNames?.[0] ?? source.name,
        type,
        formula: source.formula && this.#formula(meta, source),
        codec: codecOf(source, type, this.#platform),
        verbatim: isVerbatim(source),
        hydrate: hydratorOf(source, type, this.#platform),
      } satisfies ScalarProperty
    )
  }

  #formula (meta: EntityMetadata, source: EntityProperty): (alias: string) => string {
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
      return this.#platform.formatQuery(sql, params as never)
    }
  }

  #embedded (meta: EntityMetadata, source: EntityProperty): Property {
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
            properties: this.#properties(embeddable, Object.values(embeddable.properties) as EntityProperty[]),
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
    const properties = this.#properties(embeddable, Object.values(source.embeddedProps ?? {}) as EntityProperty[])
    return Object.freeze(
      {
        kind: 'embedded',
        ...baseOf(source, meta),
        column: source.fieldNames?.[0] ?? source.name,
        properties,
      } satisfies EmbeddedProperty
    )
  }

  #relation (meta: EntityMetadata, source: EntityProperty): RelationProperty {
    const models = this
    const targetMeta = source.targetMeta as EntityMetadata
    let target: EntityModel | undefined
    const join = joinOf(
      meta,
      source,
      targetMeta,
      (pivot) => this.#tableOf(this.#metadata.find(pivot as never) as EntityMetadata)
    )
    return Object.freeze({
      kind: 'relation' as const,
      ...baseOf(source, meta),
      many: source.kind === ReferenceKind.ONE_TO_MANY || source.kind === ReferenceKind.MANY_TO_MANY,
      join,
      key: join.kind === 'owner' ? keyOf(source, join, targetMeta, this.#platform) : [],
      where: source.where as object | undefined,
      order: orderOf(source, targetMeta),
      // looked up on first use, because entities may refer to each other in circles
      get target () {
        // looked up by class, because `targetMeta` may be older than the metadata after discovery
        target ??= models.of(targetMeta.class)
        return target
      },
    })
  }

  #discriminator (meta: EntityMetadata): EntityModel['discriminator'] {
    const root = meta.root
    if (root.inheritanceType !== 'sti' || meta.discriminatorValue === undefined) return undefined
    const column = root.properties[root.discriminatorColumn as never] as EntityProperty | undefined
    const classes = [...this.#metadata.getAll().values()].filter((other) =>
      other.root === root && isA(other, meta, this.#metadata)
    )
    // its own value comes first, because new rows get it
    const values = [meta, ...classes.filter((other) => other !== meta)].map((other) => other.discriminatorValue).filter(
      (value) => value !== undefined
    )
    return Object.freeze({
      column: column?.fieldNames[0] ?? String(root.discriminatorColumn),
      values: Object.freeze(values),
    })
  }
}

const nameOf = (entity: unknown): string => {
  const { name, meta } = (entity ?? {}) as { name?: unknown, meta?: { className?: unknown } }
  return String(meta?.className ?? name ?? entity)
}

/** The name of a property. Inside an embeddable, it is the last part of the path. */
const embeddedName = (source: EntityProperty): string => source.embedded?.[1] ?? source.name

function baseOf (source: EntityProperty, meta: EntityMetadata) {
  const name = embeddedName(source)
  return {
    name,
    publicName: source.serializedName ?? name,
    nullable: source.nullable === true,
    hidden: source.hidden === true,
    write: writeRulesOf(source, meta),
  }
}

function isA (meta: EntityMetadata, ancestor: EntityMetadata, metadata: MetadataStorage): boolean {
  for (
    let current: EntityMetadata | undefined = meta;
    current !== undefined;
    current = current.extends && metadata.find(current.extends as never)
  ) {
    if (current.class === ancestor.class) return true
  }
  return false
}

/**
 * Names in the metadata that are not properties here, such as the flat names of embedded members, and the name of a
 * composite key.
 */
function otherNamesOf (meta: EntityMetadata, properties: ReadonlyMap<string, Property>): ReadonlySet<string> {
  const names = [...Object.keys(meta.properties), Utils.getPrimaryKeyHash(meta.primaryKeys as string[])]
  return new Set(names.filter((name) => !properties.has(name)))
}

/** The property `uuid`, if it is a unique UUID and can therefore replace the primary key. */
function uuidOf (meta: EntityMetadata, scalars: readonly ScalarProperty[]): ScalarProperty | undefined {
  const property = scalars.find((property) =>
    property.name === 'uuid' && property.type.kind === 'uuid' && !property.hidden
  )
  const unique = property !== undefined && (meta.properties[property.name as never] as EntityProperty).unique
  return unique ? property : undefined
}

function deletedAtOf (property: ScalarProperty | undefined): ScalarProperty | undefined {
  return property?.type.kind === 'datetime' && property.nullable && property.formula === undefined
    ? property
    : undefined
}
