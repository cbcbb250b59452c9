/** The resources of a server with their routes, for plugins that describe or judge them. */
import type { FastifyInstance } from 'fastify'
import { madeOnce } from '../base/made-once.ts'
import type { Access } from '../access/index.ts'
import type { CrudRoutesOptions } from './route-options.ts'
import type { RoutedResource } from './routes/routed-resource.ts'
import type { RoleResource } from './routes/roles.ts'

export interface KnownResource {
  /** The instance that has its routes. */
  readonly instance: FastifyInstance
  /** The prefix of its routes on the server. */
  readonly prefix: string
  readonly routed: RoutedResource
  readonly options: CrudRoutesOptions
  /** The resource for each role, and the rules that tell the role of a request. Absent without roles. */
  readonly limits?: { readonly access: Access, readonly resources: readonly RoleResource[] } | undefined
  /** Whether its routes send `Server-Timing`. */
  readonly sendsTimes: boolean
}

const byServer: (server: object) => KnownResource[] = madeOnce(() => [])

/** The resources of a server, in the order of their registration. More are added while plugins are registered. */
export const knownResources = ({ server }: FastifyInstance): KnownResource[] => byServer(server)

/** The resources whose routes are inside of an instance. */
export function resourcesInside (fastify: FastifyInstance): readonly KnownResource[] {
  return knownResources(fastify).filter(({ instance }) => Object.prototype.isPrototypeOf.call(fastify, instance))
}
