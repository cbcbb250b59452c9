/** The data of a server's resource that advice needs. */
import type { Resource } from '../resource/index.ts'

export interface AdvisedResource {
  readonly prefix: string
  readonly resource: Resource
  /** Whether a scope limits the rows that a request may touch. */
  readonly scoped: boolean
  /** The operations that have routes. */
  readonly offers: OfferedWays
}

/** Whether a resource has the operations that can reach rows of other entities. */
export interface OfferedWays {
  readonly list: boolean
  readonly get: boolean
  /** Whether it creates one record or several. */
  readonly create: boolean
  readonly update: boolean
}
