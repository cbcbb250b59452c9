/** The handlers of the routes that read: `list`, also as a stream, and `get`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CrudBase } from '../../crud/index.ts'
import { NotFoundError } from '../../errors.ts'
import { streamColumns } from '../../read/index.ts'
import { readScope } from '../../resource/index.ts'
import type { Streaming } from '../streams/index.ts'
import type { Handler, HandlerParts } from './handler-parts.ts'

/** @returns the handlers by the names of their operations */
export function readHandlers (
  { crud, model, calls, checks, within, streaming, readKey, readOptions, answers }: HandlerParts
): { readonly list: Handler, readonly get: Handler } {
  /** Refuses unknown parameters again: with `attachValidation`, a route goes on. The planner finds other errors. */
  const refuseUnknown = (request: FastifyRequest, check: (request: FastifyRequest) => void): void => {
    if (request.queryParams.unknown.length > 0) check(request)
  }

  const streamList = async (
    request: FastifyRequest,
    reply: FastifyReply,
    format: ReturnType<Streaming['formatOf']> & {},
    { send }: Streaming
  ): Promise<FastifyReply> => {
    refuseUnknown(request, checks.stream)
    const { em, queryParams } = request
    const known = streamColumns(crud, em, queryParams)
    const read = await readOptions.of(request)
    if (crud.streamJson !== CrudBase.prototype.streamJson) readScope(read, model)
    // the hook may have changed the properties of records
    const columns = (first: string | undefined) =>
      crud.afterRead === undefined || first === undefined
        ? known
        : Object.keys(JSON.parse(first) as object).map((name) =>
          known.find((column) => column.name === name) ?? { name, numeric: false }
        )
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
