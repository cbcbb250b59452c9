/** The hooks that a subclass of `CrudBase` may declare, and the members of the class that reads and writes use. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../access/index.ts'
import type { Id } from '../plan/index.ts'
import type { JsonRecord } from '../answer/index.ts'
import type { CrudContext } from './context.ts'
import type { Resource } from './resource.ts'

export interface CrudHooks {
  beforeCreate?(data: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  beforeUpdate?(id: Id, data: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  beforeDelete?(id: Id, context: CrudContext): void | Promise<void>
  afterRead?(record: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
}

/** The members of a `CrudBase` that its reads and writes use. */
export interface CrudClass extends CrudHooks {
  /**
   * Looks up all names, once for each ORM and role. Mistakes in them are errors of the first read or write.
   *
   * @param role the role that the resource is for. Default: no limits.
   */
  bind(em: EntityManager, role?: Role): Resource
}
