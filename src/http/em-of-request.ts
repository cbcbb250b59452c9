/** The EntityManager of a request: forked when it is first read, replaced while a transaction runs. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../access/index.ts'
import { actFor } from '../resource/index.ts'
import { isPglite } from '../run/index.ts'
import { actorOfRequest } from './actor-of-request.ts'
import { checkedQueryOf } from './routes/route-input.ts'

const kEm = Symbol('fastify-crud-kit.em')
const kReply = Symbol('fastify-crud-kit.reply')
const kAbort = Symbol('fastify-crud-kit.abort')

/** The properties that a request needs for its EntityManager. The plugin decorates requests with them, as null. */
export const EM_PROPERTIES: readonly symbol[] = [kEm, kReply, kAbort]

/** The properties are undefined instead of null for routes that were registered before the decorators. */
interface WithEm {
  [kEm]?: EntityManager | null
  [kReply]?: FastifyReply | null
  [kAbort]?: AbortController | null
}

/**
 * Stores the reply of a request, so that the queries of its EntityManager are cancelled when the client disconnects.
 */
export function rememberReply (request: FastifyRequest, reply: FastifyReply): void {
  const withEm = request as unknown as WithEm
  withEm[kReply] = reply
  // a hook of the application has read `request.em` before
  if (withEm[kAbort]) abortOnDeparture(withEm[kAbort], reply)
}

/** The reply that was stored for a request. */
export function replyOf (request: FastifyRequest): FastifyReply {
  return (request as unknown as WithEm)[kReply]!
}

/**
 * Makes the getter of `request.em`.
 *
 * @param accessOf returns the rules of the instance that answers a request. They limit what methods of `CrudBase` do
 *   with the EntityManager.
 */
export function emGetter (
  orm: MikroORM,
  accessOf: (request: FastifyRequest) => Access | undefined
): (request: FastifyRequest) => EntityManager {
  // PGlite runs one statement at a time, in this process, and cannot cancel it
  const strategy = isPglite(orm.em as EntityManager)
    ? undefined
    : { inflightQueryAbortStrategy: 'cancel query' } as const
  return (request) => {
    const withEm = request as unknown as WithEm
    if (!withEm[kEm]) {
      const controller = new AbortController()
      if (!withEm[kReply]) withEm[kAbort] = controller
      else abortOnDeparture(controller, withEm[kReply])
      const em = orm.em.fork({ signal: controller.signal, ...strategy }) as EntityManager
      const rules = accessOf(request)
      withEm[kEm] = actFor(em, {
        request,
        get actor () {
          return rules && actorOfRequest(request, rules)
        },
        get checked () {
          return checkedQueryOf(request)
        },
      })
    }
    return withEm[kEm]
  }
}

/** The EntityManager of a request, if it has been read. */
export function openedEm (request: FastifyRequest): EntityManager | undefined {
  return (request as unknown as WithEm)[kEm] ?? undefined
}

/** Runs a function while `request.em` is the EntityManager of a transaction. */
export async function switchEm<Result> (
  request: FastifyRequest,
  em: EntityManager,
  fn: () => Promise<Result>
): Promise<Result> {
  const withEm = request as unknown as WithEm
  const before = withEm[kEm] ?? null
  withEm[kEm] = em
  try {
    return await fn()
  } finally {
    withEm[kEm] = before
  }
}

function abortOnDeparture (controller: AbortController, reply: FastifyReply): void {
  onDeparture(reply, () => controller.abort())
}

/**
 * Calls a function if the client disconnects, that is if the response closes before it is finished. A response of
 * HTTP/2 whose stream was reset counts as finished, but has not been ended.
 */
export function onDeparture ({ raw }: FastifyReply, leave: () => void): void {
  const isAnswered = (): boolean => raw.writableEnded && raw.writableFinished
  if (raw.destroyed && !isAnswered()) return leave()
  raw.once('close', () => {
    if (!isAnswered()) leave()
  })
}
