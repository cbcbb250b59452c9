/** The hooks that a subclass of `CrudBase` may declare, and what reads and writes see of the class. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Id } from '../plan/index.ts'
import type { JsonRecord } from '../run/index.ts'
import type { CrudContext } from './context.ts'
import type { Resource } from './resource.ts'

export interface CrudHooks {
  beforeCreate?(data: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  beforeUpdate?(id: Id, data: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  beforeDelete?(id: Id, context: CrudContext): void | Promise<void>
  afterRead?(record: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
}

/** A `CrudBase` as its reads and writes see it. */
export interface CrudClass extends CrudHooks {
  /** Looks up all names, once for each ORM: what is wrong with them is the error of the read or write. */
  bind(em: EntityManager): Resource
}
