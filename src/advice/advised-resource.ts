/** The data of a server's resource that advice needs. */
import type { Role } from '../access/index.ts'
import type { CrudOperation } from '../config/index.ts'
import type { Resource } from '../resource/index.ts'

export interface AdvisedResource {
  readonly prefix: string
  readonly resource: Resource
  /** Whether a scope limits the rows that a request may touch. */
  readonly scoped: boolean
  /** The operations that have routes. */
  readonly operations: readonly CrudOperation[]
  /** The resource as each role knows it, if roles limit what requests may do. */
  readonly roles?: readonly AdvisedRole[] | undefined
}

/** A resource as a role knows it. */
export interface AdvisedRole {
  readonly role: Role
  readonly resource: Resource
  /** The operations that the role may use. */
  readonly operations: readonly CrudOperation[]
}
