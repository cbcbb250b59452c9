/** A resource of a server, as far as advice needs to know it. */
import type { Resource } from '../resource/index.ts'

export interface AdvisedResource {
  readonly prefix: string
  readonly resource: Resource
  /** Whether a scope limits the rows that a request may touch. */
  readonly scoped: boolean
  /** The operations that there are routes for. */
  readonly offers: OfferedWays
}

/** The operations of a resource that lead to other rows. */
export interface OfferedWays {
  readonly list: boolean
  readonly get: boolean
  /** One record or several. */
  readonly create: boolean
  readonly update: boolean
}
