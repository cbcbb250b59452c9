/** Models of entities without a database. They only need metadata. */
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { Models } from '../../src/model/index.ts'
import { entities as nursery } from '../fixtures/entities.ts'

/** The models of an ORM that never connects, by default of the nursery's entities. */
export function modelsOf (
  entities: NonNullable<Options['entities']> = nursery,
  options: Partial<Options> = {}
): Models {
  const orm = ormOf(entities, options)
  return new Models(orm.getMetadata(), orm.em.getPlatform(), {
    schema: orm.config.getSchema(true),
    filters: Object.keys(orm.config.get('filters')),
  })
}

/** An ORM that never connects: metadata, and a query builder that builds text. */
export function ormOf (entities: NonNullable<Options['entities']> = nursery, options: Partial<Options> = {}): MikroORM {
  return new MikroORM({ entities, dbName: 'none', ...options })
}
