/** The replies of a resource's routes: JSON text, with the headers of records and pages. */
import type { FastifyReply } from 'fastify'
import type { AnyInfo } from '../../base/page-styles.ts'
import { namesTag } from '../../base/read-tags.ts'
import type { Pagination } from '../../config/index.ts'
import type { JsonAnswer } from '../../read/index.ts'
import { entityTag } from '../../write/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { bodyTag, wantsWhole } from './entity-tags.ts'
import { linkHeader } from './link-header.ts'
import type { RouteInput } from './route-input.ts'

/** All that a request gets, before hooks of the application see it. */
export interface RouteAnswer {
  readonly status: number
  /** The headers by name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly json: string
}

interface Replies {
  /** Sends an answer that is complete. */
  send(input: RouteInput, reply: FastifyReply, answer: RouteAnswer): FastifyReply

  /** Sends JSON without headers of a page or a record. */
  sendJson(input: RouteInput, reply: FastifyReply, json: string): FastifyReply

  /** Sends a page that a URL has asked for, with links and an entity tag if the resource has them. */
  sendPage(
    operation: CrudOperation,
    input: RouteInput,
    reply: FastifyReply,
    page: JsonAnswer,
    pagination: Pagination
  ): FastifyReply

  /** Sends a record that was read, or 304 if the client has it. */
  sendRecord(input: RouteInput, reply: FastifyReply, record: JsonAnswer): FastifyReply

  /** The answer with a written record: its version in the entity tag, and if it is new, its path. */
  answerOf(operation: CrudOperation, input: RouteInput, record: JsonAnswer, status: 200 | 201): RouteAnswer
}

/** The replies of the resource with these options. */
export function repliesOf ({ schemas = {}, links, conditional }: CrudRoutesOptions): Replies {
  const ownResponses = Object.values(schemas).some((schema) => schema?.response !== undefined)

  /**
   * Sends JSON text unchanged. If the application has a response schema, sends an object, which that schema serializes.
   */
  const sendJson: Replies['sendJson'] = ({ request }, reply, json) => {
    reply.type(JSON_IN_UTF8)
    // Fastify makes a new `routeOptions` for each read
    const operation = ownResponses ? request.routeOptions.config.crud!.operation : undefined
    const schema = operation && schemas[operation]
    return reply.send(schema?.response === undefined ? json : JSON.parse(json))
  }

  const send: Replies['send'] = (input, reply, { status, headers, json }) =>
    sendJson(input, reply.code(status).headers(headers), json)

  /** The entity tag of the answer of a read. */
  const answerTag = (operation: CrudOperation, reply: FastifyReply, json: string, version?: string): string => {
    const isChanged = schemas[operation]?.response !== undefined
    return bodyTag(isChanged ? reply.serialize(JSON.parse(json)) as string : json, version)
  }

  /** Sends the answer of a read with an entity tag, or 304 if the client has it. */
  const sendTagged = (input: RouteInput, reply: FastifyReply, json: string, tag: string): FastifyReply => {
    reply.header('etag', tag)
    if (namesTag(input.request.headers['if-none-match'], tag)) return reply.code(304).send()
    return sendJson(input, reply, json)
  }

  const sendPage: Replies['sendPage'] = (operation, input, reply, page, pagination) => {
    if (links === true) addLinks(input, reply, page, pagination)
    if (conditional !== true) return sendJson(input, reply, page.json)
    return sendTagged(input, reply, page.json, answerTag(operation, reply, page.json))
  }

  /**
   * Whether the tag of a write's answer has a digest, as that of a read then has. A digest must not be that of values
   * which a schema of the application leaves out.
   */
  const digests = ({ seen }: RouteInput, operation: CrudOperation): boolean =>
    conditional === true && !seen.versionIsWhole && schemas[operation]?.response === undefined

  const sendRecord: Replies['sendRecord'] = (input, reply, record) => {
    if (conditional !== true) return send(input, reply, recordAnswer(input, record, 200, false))
    const version = input.seen.versionOf(record)
    const isWhole = version !== undefined && input.seen.versionIsWhole && wantsWhole(input.request.queryParams)
    const tag = isWhole ? entityTag(version) : answerTag('get', reply, record.json, version)
    return sendTagged(input, reply, record.json, tag)
  }

  const answerOf: Replies['answerOf'] = (operation, input, record, status) =>
    recordAnswer(input, record, status, digests(input, operation))

  return { send, sendJson, sendPage, sendRecord, answerOf }
}

/** Adds the links to other pages. Methods of the application return pages as objects, or as JSON. */
function addLinks (
  { request }: RouteInput,
  reply: FastifyReply,
  { json, page }: JsonAnswer,
  pagination: Pagination
): void {
  const link = linkHeader(request, page ?? JSON.parse(json) as AnyInfo, pagination)
  if (link === undefined) return
  const present = reply.getHeader('link')
  reply.header('link', present === undefined ? link : `${String(present)}, ${link}`)
}

/** @param digests whether the tag also has a digest of the record */
function recordAnswer (
  { seen, request }: RouteInput,
  record: JsonAnswer,
  status: 200 | 201,
  digests: boolean
): RouteAnswer {
  const version = seen.versionOf(record)
  const etag = version === undefined ? undefined : digests ? bodyTag(record.json, version) : entityTag(version)
  const location = status === 201 ? seen.locationOf(request, record) : undefined
  const headers = etag === undefined && location === undefined
    ? NO_HEADERS
    : { ...location !== undefined && { location }, ...etag !== undefined && { etag } }
  return { status, headers, json: record.json }
}

/** The headers of an answer without a version or a path. */
export const NO_HEADERS = {}

const JSON_IN_UTF8 = 'application/json; charset=utf-8'
