/** The data of a resource from which the schemas of its routes are made. */
import type { QueryBuilderConfig } from '../../config/index.ts'
import type { EntityModel } from '../../model/index.ts'
import type { Whitelist, Writable } from '../../plan/index.ts'
import type { CrudOperation } from '../route-options.ts'

export interface DocumentedResource {
  readonly model: EntityModel
  readonly whitelist: Whitelist
  readonly writable: Writable
  readonly queryConfig: QueryBuilderConfig
  readonly operations: readonly CrudOperation[]
  /** Whether a hook changes records, so that their schema cannot be complete. */
  readonly changesRecords: boolean
  readonly scoped: boolean
  readonly maxBatch?: number
  readonly allowHardDelete?: boolean
  readonly requireIfMatch?: boolean
  readonly readonlyProperties?: 'refuse' | 'ignore'
  readonly stream?: boolean | object
  /** Whether bodies must have all required properties, because nothing else fills them. */
  readonly complete: boolean
}
