/** Sends the answers of routes: JSON text as the database wrote it, with its headers. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EntityModel } from '../../model/index.ts'
import type { JsonAnswer } from '../../read/index.ts'
import { tagOf } from './headers.ts'
import type { CrudRoutesOptions } from '../route-options.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export type Answers = ReturnType<typeof answersOf>

/** The functions that send the answers of a resource. */
export function answersOf (model: EntityModel, { schemas = {} }: Pick<CrudRoutesOptions, 'schemas'>) {
  const tag = tagOf(model)
  const ownResponses = Object.values(schemas).some((schema) => schema?.response !== undefined)

  /**
   * Sends JSON text unchanged. If the application has a response schema, sends an object, which that schema serializes.
   */
  const sendJson = (request: FastifyRequest, reply: FastifyReply, json: string): FastifyReply => {
    reply.type(JSON_TYPE)
    // Fastify makes a new `routeOptions` for each read
    const operation = ownResponses ? request.routeOptions.config.crud!.operation : undefined
    const schema = operation && schemas[operation]
    return reply.send(schema?.response === undefined ? json : JSON.parse(json))
  }

  /** Sends a record, with the entity tag of its version. */
  const sendRecord = (request: FastifyRequest, reply: FastifyReply, record: JsonAnswer): FastifyReply => {
    const etag = tag(record)
    if (etag !== undefined) reply.header('etag', etag)
    return sendJson(request, reply, record.json)
  }

  return { sendJson, sendRecord }
}
