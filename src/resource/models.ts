/** The models of an ORM's entities, created once for all resources. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { correctArrays } from '../borrowed/mikro-orm.ts'
import { Access, type AccessOptions, type Entities } from '../access/index.ts'
import { ConfigError } from '../base/errors.ts'
import { Models, type EntityModel } from '../model/index.ts'

const modelsByStorage = new WeakMap<object, Map<string | undefined, Models>>()

/** The schema of entities that do not name one: the EntityManager's, or the ORM's. */
export function schemaOf (em: EntityManager): string | undefined {
  return em.schema ?? em.config.getSchema(true)
}

/**
 * The models of an ORM's entities by name, without entities that cannot be a resource, such as those without a table.
 */
function entitiesOf (em: EntityManager): Entities {
  const models = modelsOf(em)
  const entities = new Map<string, EntityModel>()
  for (const { className, class: entity, embeddable, pivotTable } of em.getMetadata().getAll().values()) {
    if (embeddable || pivotTable) continue
    try {
      entities.set(className, models.of(entity))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
    }
  }
  return entities
}

const accesses = new WeakMap<AccessOptions, WeakMap<object, Access>>()

/**
 * The rules of the option `access` for the entities of an ORM, made at the first call.
 *
 * @throws {ConfigError} for unknown names, and for rules that cannot work
 */
export function accessFor (options: AccessOptions, em: EntityManager): Access {
  const isObject = typeof options === 'object' && options !== null
  let byMetadata = isObject ? accesses.get(options) : undefined
  let access = byMetadata?.get(em.getMetadata())
  if (access === undefined) {
    access = new Access(options, entitiesOf(em))
    if (byMetadata === undefined) accesses.set(options, byMetadata = new WeakMap())
    byMetadata.set(em.getMetadata(), access)
  }
  return access
}

/** The models for an EntityManager's ORM and schema. */
export function modelsOf (em: EntityManager): Models {
  const metadata = em.getMetadata()
  const schema = schemaOf(em)
  let bySchema = modelsByStorage.get(metadata)
  if (bySchema === undefined) {
    modelsByStorage.set(metadata, bySchema = new Map())
    correctArrays(em.getPlatform(), minimalArrayLiteral)
  }
  let models = bySchema.get(schema)
  if (models === undefined) {
    bySchema.set(
      schema,
      models = new Models(metadata, em.getPlatform(), { schema, filters: Object.keys(em.config.get('filters')) })
    )
  }
  return models
}

/**
 * Items that need quotes. Without them PostgreSQL reads an item as missing, as null or as part of the literal, or trims
 * it (manual, section 8.15.6).
 */
const NEEDS_QUOTES = /^$|^null$|^[ \t\n\v\f\r]|[ \t\n\v\f\r]$|["{},\\]/i

/**
 * The literal that PostgreSQL's text input reads. It has no unnecessary quotes, so that MikroORM does not see a change
 * in arrays that it has loaded.
 */
export function minimalArrayLiteral (values: readonly unknown[]): string {
  return `{${values.map(literalOf).join(',')}}`
}

function literalOf (value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const text = String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}
