/** The models of an ORM's entities, created once for all resources. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { correctArrays } from '../borrowed/mikro-orm.ts'
import { Models } from '../model/index.ts'
import { minimalArrayLiteral } from './array-literals.ts'

const modelsByStorage = new WeakMap<object, Map<string | undefined, Models>>()

/** The schema of entities that do not name one: the EntityManager's, or the ORM's. */
export function schemaOf (em: EntityManager): string | undefined {
  return em.schema ?? em.config.getSchema(true)
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
