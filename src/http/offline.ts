/** Servers that are loaded by a program that looks at their resources. They do not ask their database. */
import type { FastifyInstance } from 'fastify'

const kOffline = Symbol('fastify-crud-kit.offline')

/** Lets a new server start without its database. It cannot answer requests. */
export function takeOffline (fastify: FastifyInstance): void {
  fastify.decorate(kOffline as never, true as never)
}

export const isOffline = (fastify: FastifyInstance): boolean => kOffline in fastify
