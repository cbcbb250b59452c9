/** Builds our snapshot of an entity from the metadata of MikroORM. */
import { Utils, type EntityMetadata, type EntityProperty, type MetadataStorage, type Platform } from '@mikro-orm/core'
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import { quotedName } from '../base/quoted-name.ts'
import { buildProperties } from './build-properties.ts'
import type { EntityModel, Property, ScalarProperty } from './entity-model.ts'
import { primaryKeyOf } from './keys.ts'
import { isPolymorphic } from './relations.ts'

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
      if (nameOf(entity) === undefined) {
        throw new ConfigError(
          `'model' must be an entity, the result of defineEntity, an EntitySchema or a class; got ${shown(entity)}.`
        )
      }
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
    const properties = buildProperties(
      {
        platform: this.#platform,
        tableOf: (entity) => this.tableOf(this.#metadata.find(entity as never) as EntityMetadata),
        modelOf: (entity) => this.of(entity),
        metadataOf: (entity) => this.#metadata.find(entity as never) as EntityMetadata,
      },
      meta,
      Object.values(meta.properties).filter((property) => property.embedded === undefined)
    )
    const scalars = [...properties.values()].filter((property) => property.kind === 'scalar')
    const named = (name: string) => scalars.find((property) => property.name === name)
    const model: EntityModel = {
      name: meta.className,
      entity: meta.class as never,
      tableName: meta.tableName,
      table: this.tableOf(meta),
      properties,
      otherNames: otherNamesOf(meta, properties),
      polymorphic: new Set(meta.relations.filter(isPolymorphic).map(({ name }) => name)),
      primaryKey: primaryKeyOf(meta, properties, this.#platform),
      uuid: uuidOf(meta, scalars),
      deletedAt: deletedAtOf(named('deleted_at') ?? scalars.find(({ column }) => column === 'deleted_at')),
      uniques: uniquesOf(meta),
      version: meta.versionProperty === undefined ? undefined : named(meta.versionProperty as string),
      discriminator: this.#discriminator(meta),
      ancestors: Object.freeze(ancestorsOf(meta, this.#metadata).map(({ className }) => className)),
      abstract: meta.abstract === true && meta.root.inheritanceType === 'sti',
      filters: [...this.#filters, ...Object.keys(meta.filters)],
      readOnly: readOnlyReason(meta),
    }
    return Object.freeze(model)
  }

  /** The quoted name of an entity's table. In MikroORM, the schema `*` means that the schema is not fixed. */
  tableOf (meta: EntityMetadata): string {
    // a subclass in the table of its root does not have to repeat the schema
    const { schema, tableName } = meta.root.inheritanceType === 'sti' ? meta.root : meta
    const names = [schema === '*' || !schema ? this.#schema : schema, tableName]
    return names.filter((name) => name !== undefined).map(quotedName).join('.')
  }

  #discriminator (meta: EntityMetadata): EntityModel['discriminator'] {
    const root = meta.root
    if (root.inheritanceType !== 'sti' || meta.discriminatorValue === undefined) return undefined
    const column = root.properties[root.discriminatorColumn as never] as EntityProperty | undefined
    return Object.freeze({
      column: column?.fieldNames[0] ?? String(root.discriminatorColumn),
      values: classValuesOf(meta, this.#metadata),
    })
  }
}

const classValues = new WeakMap<EntityMetadata, ReadonlyArray<string | number>>()

/** The values that mark the rows of a class of single-table inheritance and of its subclasses, computed once. */
export function classValuesOf (meta: EntityMetadata, metadata: MetadataStorage): ReadonlyArray<string | number> {
  let values = classValues.get(meta)
  if (values === undefined) {
    // the metadata of a relation's target is a copy
    const subclasses = [...metadata.getAll().values()].filter((other) =>
      ancestorsOf(other, metadata).some((ancestor) => ancestor.class === meta.class)
    )
    // its own value comes first, because new rows get it
    const all = [meta, ...subclasses].map(({ discriminatorValue }) => discriminatorValue)
    classValues.set(meta, values = Object.freeze(all.filter((value) => value !== undefined)))
  }
  return values
}

/** The columns of the primary key, of unique properties and of unique constraints. */
function uniquesOf ({ primaryKeys, props, properties, uniques }: EntityMetadata): EntityModel['uniques'] {
  const columnsOf = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => (properties[name as never] as EntityProperty).fieldNames)
  const own = props.filter(({ unique, primary }) => unique && !primary).map(({ fieldNames }) => fieldNames)
  const declared = uniques.flatMap(({ properties, expression, where, deferMode, disabled }) => {
    if (properties === undefined || expression !== undefined) return []
    const columns = columnsOf([properties].flat() as string[])
    return [{ columns, always: where === undefined && deferMode === undefined && disabled !== true }]
  })
  return Object.freeze([
    ...[columnsOf(primaryKeys), ...own].map((columns) => ({ columns, always: true })),
    ...declared,
  ])
}

/** The name of an entity, or `undefined` for any other value. */
const nameOf = (entity: unknown): string | undefined => {
  if (typeof entity === 'string') return entity
  const { name, meta } = (entity ?? {}) as { name?: unknown, meta?: { className?: unknown } }
  const found = meta?.className ?? name
  return typeof found === 'string' ? found : undefined
}

/** The classes in the same table that a class extends, the nearest first. */
function ancestorsOf (meta: EntityMetadata, metadata: MetadataStorage): EntityMetadata[] {
  if (meta.root.inheritanceType !== 'sti') return []
  const all = [...metadata.getAll().values()]
  const ancestors: EntityMetadata[] = []
  let current = meta
  while (current.extends) {
    const parent = metadata.find(current.extends as never) as EntityMetadata | undefined
    // the class of the metadata identifies an entity, since an EntitySchema contains separate metadata
    const found = parent && all.find((known) => known.class === parent.class)
    if (found === undefined || found.root !== meta.root) break
    ancestors.push(found)
    current = found
  }
  return ancestors
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

/**
 * @throws {ConfigError} when the rows of an entity are not in one table or view of the database. The message suggests a
 * solution
 */
function checkHasTable ({ className, embeddable, virtual, inheritanceType }: EntityMetadata): void {
  const refuse = (why: string): never => {
    throw new ConfigError(`The entity ${className} can't be a resource: ${why}`)
  }
  if (embeddable) refuse('it is an embeddable, a part of the records of others.')
  if (virtual) {
    refuse(
      'it is a virtual entity, which has no table. With `view: true` beside its expression, and a primary key, ' +
        'it is a view in the database, and a read-only resource.'
    )
  }
  if (inheritanceType === 'tpt') {
    refuse(
      'with table-per-type inheritance its properties are in several tables. ' +
        'A view that joins them, mapped by a separate entity, can be a resource.'
    )
  }
}

/** The reason why rows of an entity are never written, as a clause; `undefined` if they can be written. */
function readOnlyReason ({ view, readonly }: EntityMetadata): string | undefined {
  if (view) return 'it is a view'
  return readonly ? 'it is declared `readonly`' : undefined
}
