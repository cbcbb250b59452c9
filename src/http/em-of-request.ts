/** The EntityManager of a request: forked when first asked for, replaced while a transaction runs. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply, FastifyRequest } from 'fastify'

const kEm = Symbol('fastify-crud-kit.em')
const kReply = Symbol('fastify-crud-kit.reply')
const kAbort = Symbol('fastify-crud-kit.abort')

/** The properties that a request needs for its EntityManager, to be decorated with null. */
export const EM_PROPERTIES: readonly symbol[] = [kEm, kReply, kAbort]

/** Absent, not null, in contexts that are older than the decorators, such as that of a route registered before. */
interface WithEm {
  [kEm]?: EntityManager | null
  [kReply]?: FastifyReply | null
  [kAbort]?: AbortController | null
}

/** Tells a request its reply: when the client goes away, the queries of its EntityManager are cancelled. */
export function rememberReply (request: FastifyRequest, reply: FastifyReply): void {
  const withEm = request as unknown as WithEm
  withEm[kReply] = reply
  // an earlier hook of the application has asked for the EntityManager already
  if (withEm[kAbort]) abortOnDeparture(withEm[kAbort], reply)
}

/** The reply of a request that has been told it. */
export function replyOf (request: FastifyRequest): FastifyReply {
  return (request as unknown as WithEm)[kReply]!
}

/** Makes the getter of `request.em`. */
export function emGetter (orm: MikroORM): (request: FastifyRequest) => EntityManager {
  // PGlite runs one statement at a time, in this process, and has no way to cancel it
  const strategy = orm.driver.constructor.name === 'PgliteDriver'
    ? undefined
    : { inflightQueryAbortStrategy: 'cancel query' } as const
  return (request) => {
    const withEm = request as unknown as WithEm
    if (!withEm[kEm]) {
      const controller = new AbortController()
      if (!withEm[kReply]) withEm[kAbort] = controller
      else abortOnDeparture(controller, withEm[kReply])
      withEm[kEm] = orm.em.fork({ signal: controller.signal, ...strategy }) as EntityManager
    }
    return withEm[kEm]
  }
}

/** The EntityManager of a request that has asked for one. */
export function openedEm (request: FastifyRequest): EntityManager | undefined {
  return (request as unknown as WithEm)[kEm] ?? undefined
}

/** Runs a function while `request.em` is another one: that of a transaction. */
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

/** Calls a function if the client goes away: the response closes before it is finished. */
export function onDeparture ({ raw }: FastifyReply, leave: () => void): void {
  if (raw.destroyed && !raw.writableFinished) return leave()
  raw.once('close', () => {
    if (!raw.writableFinished) leave()
  })
}
