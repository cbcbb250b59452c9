/** The models of an ORM's entities, created once for all resources. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import { correctArrays, inheritReferences } from '../borrowed/mikro-orm.ts'
import { Access, type AccessOptions, type Entities } from '../access/index.ts'
import { ConfigError } from '../base/errors.ts'
import { Models, type EntityModel } from '../model/index.ts'

const modelsByStorage = new WeakMap<object, ModelsBySchema>()

/**
 * The models of an ORM's entities by name, without entities that cannot be a resource, such as those without a table.
 */
function entitiesByName (em: EntityManager): Entities {
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
    access = new Access(options, entitiesByName(em))
    if (byMetadata === undefined) accesses.set(options, byMetadata = new WeakMap())
    byMetadata.set(em.getMetadata(), access)
  }
  return access
}

/** The most schemas that sessions name whose models are kept. Those of the ORM's own schema always are. */
export const MAX_SCHEMAS = 100

/** The models of one ORM, by schema. */
class ModelsBySchema {
  readonly #make: (schema: string | undefined) => Models
  readonly #ownSchema: string | undefined
  readonly #own: Models
  /** Made for the first schema that a session names, because a cache reserves memory for all of them. */
  #others: LRUCache<string, Models> | undefined

  constructor (em: EntityManager) {
    const filters = Object.keys(em.config.get('filters'))
    const [metadata, platform] = [em.getMetadata(), em.getPlatform()]
    this.#make = (schema) => new Models(metadata, platform, { schema, filters })
    this.#ownSchema = em.config.getSchema(true)
    this.#own = this.#make(this.#ownSchema)
  }

  of (schema: string | undefined): Models {
    if (schema === undefined || schema === this.#ownSchema) return this.#own
    this.#others ??= new LRUCache({ max: MAX_SCHEMAS })
    let models = this.#others.get(schema)
    if (models === undefined) this.#others.set(schema, models = this.#make(schema))
    return models
  }
}

/**
 * The models for an EntityManager's ORM and schema. Whatever else is kept for a schema, such as bound resources with
 * their statements, belongs to its models and goes with them.
 */
export function modelsOf (em: EntityManager): Models {
  const metadata = em.getMetadata()
  let bySchema = modelsByStorage.get(metadata)
  if (bySchema === undefined) {
    modelsByStorage.set(metadata, bySchema = new ModelsBySchema(em))
    correctArrays(em.getPlatform(), minimalArrayLiteral)
    inheritReferences(metadata)
  }
  return bySchema.of(em.schema)
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
