/** `request.em`: an EntityManager for one request, forked when first asked for. Most requests never do: they have a session. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AbortedError } from '../src/errors.ts'
import { RequestSession } from '../src/resource/index.ts'
import { hasReplicas, preparesConnections, type Cancellation } from '../src/run/index.ts'

const kEm = Symbol('fastify-crud-kit.em')
const kReply = Symbol('fastify-crud-kit.reply')
const kAbort = Symbol('fastify-crud-kit.abort')

/** Absent, not null, in contexts that are older than the decorators, such as that of a route registered before. */
interface WithEm {
  [kEm]?: EntityManager | null
  [kReply]?: FastifyReply | null
  [kAbort]?: AbortController | null
}

/** Decorates requests with `em`. */
export function decorateEm (fastify: FastifyInstance, orm: MikroORM): void {
  // PGlite runs one statement at a time, in this process, and has no way to cancel it
  const strategy = cancelStrategy(orm)
  for (const symbol of [kEm, kReply, kAbort]) fastify.decorateRequest(symbol as never, null as never)
  fastify.addHook('onRequest', (request, reply, done) => {
    const withEm = request as unknown as WithEm
    withEm[kReply] = reply
    // an earlier hook of the application has asked for the EntityManager already
    if (withEm[kAbort]) abortOnDeparture(withEm[kAbort], reply)
    done()
  })
  fastify.decorateRequest('em', {
    getter (this: FastifyRequest) {
      const request = this as FastifyRequest & WithEm
      if (!request[kEm]) {
        const controller = new AbortController()
        if (!request[kReply]) request[kAbort] = controller
        else abortOnDeparture(controller, request[kReply])
        request[kEm] = orm.em.fork({ signal: controller.signal, ...strategy }) as EntityManager
      }
      return request[kEm]
    },
  })
}

function cancelStrategy (orm: MikroORM): { inflightQueryAbortStrategy: 'cancel query' } | undefined {
  return orm.driver.constructor.name === 'PgliteDriver' ? undefined : { inflightQueryAbortStrategy: 'cancel query' }
}

function abortOnDeparture (controller: AbortController, reply: FastifyReply): void {
  onDeparture(reply, () => controller.abort())
}

/** When the response closes before it is finished, the client has gone. */
function onDeparture ({ raw }: FastifyReply, leave: () => void): void {
  if (raw.destroyed && !raw.writableFinished) return leave()
  raw.once('close', () => {
    if (!raw.writableFinished) leave()
  })
}

/**
 * What the session of a request is: the request's own, or its EntityManager where something else than its connection may
 * count from the start.
 */
export function sessionsOf (orm: MikroORM): (request: FastifyRequest) => RequestSession | EntityManager {
  const { em } = orm
  if (hasReplicas(em) || em.config.get('allowGlobalContext') || preparesConnections(em.getConnection())) {
    return (request) => request.em
  }
  // a context of MikroORM's, made by a hook of the application, has filters and parameters of its own
  return (request) => em.getContext(false) === em ? new SessionOfRequest(em, request) : request.em
}

class SessionOfRequest extends RequestSession {
  readonly #request: FastifyRequest & WithEm
  #departure: Departure | undefined

  constructor (shared: EntityManager, request: FastifyRequest) {
    super(shared)
    this.#request = request as FastifyRequest & WithEm
  }

  get em (): EntityManager {
    return this.#request.em
  }

  get opened (): EntityManager | undefined {
    return this.#request[kEm] ?? undefined
  }

  get departure (): Departure {
    this.#departure ??= new Departure(this.#request[kReply]!)
    return this.#departure
  }
}

/** What an AbortSignal is to a statement, at a fraction of its cost. */
class Departure implements Cancellation {
  aborted = false
  reason: unknown
  readonly #listeners: Array<() => void> = []

  constructor (reply: FastifyReply) {
    onDeparture(reply, () => {
      this.aborted = true
      this.reason = new AbortedError()
      for (const listener of [...this.#listeners]) listener()
    })
  }

  addEventListener (type: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener (type: 'abort', listener: () => void): void {
    const index = this.#listeners.indexOf(listener)
    if (index >= 0) this.#listeners.splice(index, 1)
  }
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
