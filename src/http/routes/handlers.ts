/** The routes of a resource's operations. */
import type { HTTPMethods } from 'fastify'
import type { CrudOperation } from '../route-options.ts'
import { handlerParts, type Handler, type RouteSubject } from './handler-parts.ts'
import { keyPath } from './key.ts'
import { readHandlers } from './read-handlers.ts'
import { writeHandlers } from './write-handlers.ts'

export interface RouteDefinition {
  readonly operation: CrudOperation
  readonly method: HTTPMethods
  readonly url: string
  readonly handler: Handler
}

/** The routes of a resource's operations, in the order of their documentation. */
export function routeDefinitions (subject: RouteSubject): RouteDefinition[] {
  const parts = handlerParts(subject)
  const { operations } = parts
  const { list, get } = readHandlers(parts)
  const { create, update, delete: remove, restore } = writeHandlers(parts)
  const url = keyPath(parts.model)
  const posts = operations.includes('create') ? 'create' : 'createMany'
  const definitions: RouteDefinition[] = [
    { operation: 'list', method: 'GET', url: '/', handler: list },
    { operation: 'get', method: 'GET', url, handler: get },
    { operation: posts, method: 'POST', url: '/', handler: create },
    { operation: 'update', method: 'PATCH', url, handler: update },
    { operation: 'update', method: 'PUT', url, handler: update },
    { operation: 'delete', method: 'DELETE', url, handler: remove },
    { operation: 'restore', method: 'POST', url: `${url}/restore`, handler: restore },
  ]
  return definitions.filter(({ operation }) => operations.includes(operation))
}
