/**
 * Measures the stages of a request for the header `Server-Timing` (W3C Recommendation Server Timing). Routes that do
 * not send the header measure nothing.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { STAGES, StageTimes } from '../run/index.ts'
import type { RouteHandler } from './routes/route-input.ts'

const kTimes = Symbol('fastify-crud-kit.stageTimes')

/** The property that a request needs for its times. The plugin decorates requests with it, as null. */
export const TIMES_PROPERTY: symbol = kTimes

interface Timed {
  [kTimes]?: StageTimes | null
}

/** The times of a request, if its route sends them. */
export function timesOf (request: FastifyRequest): StageTimes | undefined {
  return (request as Timed)[kTimes] ?? undefined
}

/** Wraps a handler to measure its stages. */
export function timed (handler: RouteHandler): RouteHandler {
  return (request, reply) => {
    const times = timesOf(request)!
    return times.measure(() => handler(request, reply))
  }
}

/** The hooks of a route that sends its times, also with errors. Before the handler, only the query string is parsed. */
export const timingHooks = {
  onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    ;(request as Timed)[kTimes] = new StageTimes()
    done()
  },
  onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: () => void): void => {
    // the application's own metrics come first
    const own = reply.getHeader('server-timing')
    const times = timesOf(request) ?? new StageTimes()
    const metrics = STAGES.map((stage) => `${stage};dur=${Math.round(times.of(stage) * 100) / 100}`)
    reply.header('server-timing', [...own === undefined ? [] : [own].flat(), ...metrics].join(', '))
    done()
  },
}
