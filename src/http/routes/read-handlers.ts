/** The handlers of the routes that read: `list`, also as a stream, and `get`. */
import type { FastifyReply } from 'fastify'
import { CrudBase } from '../../crud/index.ts'
import { NotFoundError } from '../../base/errors.ts'
import { changedColumns, streamColumns } from '../../read/index.ts'
import { readScope } from '../../resource/index.ts'
import type { Streaming } from '../streams/index.ts'
import type { Handler, HandlerParts } from './handler-parts.ts'
import type { RouteRequest } from './request.ts'

/** @returns the handlers by the names of their operations */
export function readHandlers (
  { crud, model, whitelist, calls, checks, within, streaming, readKey, readOptions, answers }: HandlerParts
): { readonly list: Handler, readonly get: Handler } {
  /** Refuses unknown parameters again: with `attachValidation`, a route goes on. The planner finds other errors. */
  const refuseUnknown = (request: RouteRequest, check: (request: RouteRequest) => void): void => {
    if (request.queryParams.unknown.length > 0) check(request)
  }

  const streamList = async (
    request: RouteRequest,
    reply: FastifyReply,
    format: ReturnType<Streaming['formatOf']> & {},
    { send }: Streaming
  ): Promise<FastifyReply> => {
    refuseUnknown(request, checks.stream)
    const { em, queryParams } = request
    const known = streamColumns(whitelist, queryParams)
    const read = await readOptions.of(request)
    if (crud.streamJson !== CrudBase.prototype.streamJson) readScope(read, model)
    const columns = (first: string | undefined) =>
      crud.afterRead === undefined || first === undefined ? known : changedColumns(known, JSON.parse(first) as object)
    return await send(
      request,
      reply,
      format,
      (signal) => crud.streamJson(em, queryParams, { ...read, signal }),
      columns
    )
  }

  return {
    list: async (request, reply) => {
      if (streaming !== undefined) {
        const format = streaming.formatOf(request)
        if (format !== undefined) return await streamList(request, reply, format, streaming)
      }
      refuseUnknown(request, checks.list)
      const { json } = await within.list(
        request,
        () => readOptions.calling(request, (options) => calls.list(request, options))
      )
      return answers.sendJson(request, reply, json)
    },

    get: async (request, reply) => {
      const id = readKey(request.params)
      refuseUnknown(request, checks.get)
      const found = await within.get(
        request,
        () => readOptions.calling(request, (options) => calls.get(request, id, options))
      )
      if (found === null) throw new NotFoundError()
      return answers.sendRecord(request, reply, found)
    },
  }
}
