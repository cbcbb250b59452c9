/** The last hooks before the validation of a request: they ask for its role, choose its resource and make its input. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import type { Access, Actor } from '../../access/index.ts'
import { factsOf, meantBy } from '../../config/index.ts'
import { isPromise } from '../../base/or-promise.ts'
import { resourceFor, type Resource } from '../../resource/index.ts'
import { hasReplicas, readFromWriter } from '../../run/index.ts'
import { knownActorOf, settleActor } from '../actor-of-request.ts'
import { openedEm } from '../em-of-request.ts'
import { takeQueryBody } from '../query-body.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import type { Streaming } from '../streams/streaming.ts'
import type { RouteDefinition } from './handlers.ts'
import type { PreValidation } from './route-hooks.ts'
import { beginValidation, RouteInput, type RouteRequest } from './route-input.ts'
import type { RoutedResource } from './routed-resource.ts'
import type { SeenResource } from './seen-resource.ts'
import { addVary } from './vary.ts'

interface InputParts {
  readonly orm: MikroORM
  readonly crud: CrudRoutesOptions['crud']
  /** Absent without roles. */
  readonly access: Access | undefined
  /** How callers see a resource. */
  readonly seenBy: (resource: Resource, actor: Actor | undefined) => SeenResource
  /** Absent if the resource has no streams. */
  readonly formatOf: Streaming['formatOf'] | undefined
  /** The headers of requests that decide about the answer of an operation. */
  readonly varyOf: (operation: CrudOperation) => readonly string[]
}

/**
 * The last hooks on `preValidation`, after those of the application. They ask for the role of a request, refuse what it
 * may not do, and begin its validation. One may wait for the role. The validators must follow the last one at once.
 *
 * @throws {ForbiddenError} if the role may not use the operation, whatever the body contains
 */
export function preValidationOf (
  { operation, operations, inBody }: RouteDefinition,
  { bound }: RoutedResource,
  { orm, crud, access, seenBy, formatOf, varyOf }: InputParts
): readonly PreValidation[] {
  const wanted = ({ body }: FastifyRequest): CrudOperation =>
    operations.length > 1 ? meantBy(operations, body) : operation
  const main = seenBy(bound, undefined)
  const vary = varyOf(operation)
  const begin: PreValidation = (request, reply, done) => {
    const own = wanted(request)
    const em = openedEm(request)
    const actor = access && knownActorOf(request) as Actor
    const seen = actor === undefined && em === undefined
      ? main
      : seenBy(resourceFor(crud, em ?? orm.em as EntityManager, actor, own), actor)
    if (inBody) {
      reply.header('cache-control', 'no-store')
      takeQueryBody(request)
    }
    if (vary.length > 0) addVary(reply, vary)
    // an `onRoute` hook adds this one, whose type knows no schema
    const typed = request as RouteRequest
    beginValidation(new RouteInput(typed, own, seen, factsOf(operation).streams ? formatOf?.(typed) : undefined))
    done()
  }
  const isCopied = hasReplicas(orm.em as EntityManager)
  // the role and the scope decide about a write by what is stored now
  const first = isCopied && factsOf(operation).writes ? [useWriter] : []
  if (access === undefined) return [...first, begin]
  const settle: PreValidation = (request, reply, done) => {
    const actor = settleActor(request, access)
    if (isPromise(actor)) return actor.then(() => {})
    done()
  }
  return [...first, settle, begin]
}

const useWriter: PreValidation = ({ em }, reply, done) => {
  readFromWriter(em)
  done()
}
