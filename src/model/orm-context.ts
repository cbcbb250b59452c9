/** The parts of MikroORM that build an entity's properties. */
import type { EntityMetadata, Platform } from '@mikro-orm/core'
import type { EntityModel } from './entity-model.ts'

/** The ORM that an entity belongs to. */
export interface OrmContext {
  readonly platform: Platform
  /** The quoted name of an entity's table. */
  readonly tableOf: (entity: unknown) => string
  readonly modelOf: (entity: unknown) => EntityModel
  /** The metadata after discovery. That of the properties of other entities may be older. */
  readonly metadataOf: (entity: unknown) => EntityMetadata
}
