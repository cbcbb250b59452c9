/**
 * `Server-Timing` (W3C Recommendation Server Timing): how long the stages of a request took, for developers who look at
 * an answer. Routes that don't send it measure nothing.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { STAGES, StageTimes } from '../src/run/index.ts'
import type { RouteDefinition } from './route-handlers.ts'

const kDefault = Symbol('fastify-crud-kit.serverTiming')
const kTimes = Symbol('fastify-crud-kit.stageTimes')

interface Timing {
  readonly [kDefault]?: boolean
}
interface Timed {
  [kTimes]?: StageTimes | null
}

/** Makes room for times on requests, and says what resources do that don't say it themselves. */
export function decorateServerTiming (fastify: FastifyInstance, byDefault: boolean): void {
  fastify.decorate(kDefault, byDefault)
  fastify.decorateRequest(kTimes as never, null as never)
}

/** Whether the routes of a resource send their times. */
export function sendsTimes (fastify: FastifyInstance, own: boolean | undefined): boolean {
  return own ?? (fastify as Timing)[kDefault] === true
}

/** The times of a request, where its route sends them. */
export function timesOf (request: FastifyRequest): StageTimes | undefined {
  return (request as Timed)[kTimes] ?? undefined
}

/** A handler whose stages are measured. */
export function timed (handler: RouteDefinition['handler']): RouteDefinition['handler'] {
  return (request, reply) => {
    const times = timesOf(request)!
    return times.measure(() => handler(request, reply))
  }
}

/** The hooks of a route that sends its times, with whatever it answers. Before the handler, only the query string is read. */
export const timingHooks = {
  onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    ;(request as Timed)[kTimes] = new StageTimes()
    done()
  },
  onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: () => void): void => {
    // what the application has to say of its own work goes first
    const own = reply.getHeader('server-timing')
    const times = timesOf(request) ?? new StageTimes()
    const metrics = STAGES.map((stage) => `${stage};dur=${Math.round(times.of(stage) * 100) / 100}`)
    reply.header('server-timing', [...own === undefined ? [] : [own].flat(), ...metrics].join(', '))
    done()
  },
}
