/** The routes of a resource's operations, and their handlers. A handler gets the call of its request. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply, HTTPMethods } from 'fastify'
import { NotFoundError, PreconditionFailedError, PreconditionRequiredError } from '../../base/errors.ts'
import { MAX_AFFECTED } from '../../config/index.ts'
import { CrudBase, type CrudReadOptions } from '../../crud/index.ts'
import { changedColumns, streamColumns, type JsonAnswer } from '../../read/index.ts'
import { readScope, type Resource } from '../../resource/index.ts'
import type { Affected } from '../../write/index.ts'
import { type CrudOperation, type CrudRoutesOptions } from '../route-options.ts'
import type { Streaming } from '../streams/index.ts'
import { changedData, newData } from './accepted-body.ts'
import type { RouteCall } from './route-call.ts'
import { repeatable } from './idempotency.ts'
import { keyPath } from './key.ts'
import { routeMethods } from './route-methods.ts'
import type { Within } from './transactions.ts'

export type CallHandler = (call: RouteCall, reply: FastifyReply) => Promise<FastifyReply>

export interface RouteDefinition {
  readonly operation: CrudOperation
  readonly method: HTTPMethods
  readonly url: string
  readonly handler: CallHandler
}

/** The answer of a write: all that its request gets, before hooks of the application see it. */
export interface WriteAnswer {
  readonly status: number
  /** The headers by name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly json: string
}

/** What the handlers of a resource share. All of it is made once, at start-up. */
export interface HandlerParts {
  readonly orm: MikroORM
  readonly resource: Resource
  readonly options: CrudRoutesOptions
  readonly operations: readonly CrudOperation[]
  readonly within: Readonly<Record<CrudOperation, Within>>
  /** The same for requests with an idempotency key, which always use a transaction. */
  readonly withinKeyed: Readonly<Record<CrudOperation, Within>>
  /** Sends streams, if the resource has them. */
  readonly streaming: Streaming | undefined
}

/** The routes of a resource's operations, in the order of their documentation. */
export function routeDefinitions (parts: HandlerParts): RouteDefinition[] {
  const { operations } = parts
  const { list, get, create, upsert, update, delete: remove, restore, updateMany, deleteMany } = handlersOf(parts)
  const url = keyPath(parts.resource.model)
  const posts = operations.includes('create') ? 'create' : 'createMany'
  const definitions: RouteDefinition[] = [
    { operation: 'list', method: 'GET', url: '/', handler: list },
    { operation: 'get', method: 'GET', url, handler: get },
    { operation: posts, method: 'POST', url: '/', handler: create },
    { operation: 'upsert', method: 'PUT', url: '/', handler: upsert },
    { operation: 'update', method: 'PATCH', url, handler: update },
    { operation: 'update', method: 'PUT', url, handler: update },
    { operation: 'delete', method: 'DELETE', url, handler: remove },
    { operation: 'restore', method: 'POST', url: `${url}/restore`, handler: restore },
    { operation: 'updateMany', method: 'PATCH', url: '/', handler: updateMany },
    { operation: 'deleteMany', method: 'DELETE', url: '/', handler: deleteMany },
  ]
  return definitions.filter(({ operation }) => operations.includes(operation))
}

/** The handlers by operation. `create` is also that of `createMany`. */
function handlersOf (
  { orm, options, within, withinKeyed, streaming }: HandlerParts
): Readonly<Record<Exclude<CrudOperation, 'createMany'>, CallHandler>> {
  const { crud, scope: scopeOf, schemas = {}, requireIfMatch, maxAffected = MAX_AFFECTED } = options
  const methods = routeMethods(orm, crud)
  const ownResponses = Object.values(schemas).some((schema) => schema?.response !== undefined)

  const scoped = async ({ request }: RouteCall, scopeOf: NonNullable<CrudRoutesOptions['scope']>) => {
    const scope: unknown = await scopeOf(request)
    return { scope: scope as never, context: { request } }
  }

  /** The options of all operations. They are a promise only if there is a scope to wait for. */
  const optionsOf = (call: RouteCall): CrudReadOptions | Promise<CrudReadOptions> =>
    scopeOf === undefined ? { context: { request: call.request } } : scoped(call, scopeOf)

  /** Runs an operation with its options, in the transaction of its route. Without a scope it makes the only promise. */
  const run = <Answer>(
    operation: CrudOperation,
    call: RouteCall,
    work: (options: CrudReadOptions) => Promise<Answer>,
    inside = within
  ): Promise<Answer> => {
    const begin = (): Promise<Answer> => {
      const given = optionsOf(call)
      return given instanceof Promise ? given.then(work) : work(given)
    }
    return inside[operation](call.request, begin)
  }

  /**
   * Sends JSON text unchanged. If the application has a response schema, sends an object, which that schema serializes.
   */
  const sendJson = ({ request }: RouteCall, reply: FastifyReply, json: string): FastifyReply => {
    reply.type(JSON_TYPE)
    // Fastify makes a new `routeOptions` for each read
    const operation = ownResponses ? request.routeOptions.config.crud!.operation : undefined
    const schema = operation && schemas[operation]
    return reply.send(schema?.response === undefined ? json : JSON.parse(json))
  }

  /** Sends a record, with the entity tag of its version. */
  const sendRecord = (call: RouteCall, reply: FastifyReply, record: JsonAnswer): FastifyReply => {
    const etag = call.seen.tagOf(record)
    if (etag !== undefined) reply.header('etag', etag)
    return sendJson(call, reply, record.json)
  }

  /**
   * Runs a write and sends its answer. With an idempotency key, a write that was done before gets its answer again.
   *
   * @param answerOf makes the answer of the result
   */
  const write = async <Result>(
    operation: CrudOperation,
    call: RouteCall,
    reply: FastifyReply,
    work: (options: CrudReadOptions) => Promise<Result>,
    answerOf: (result: Result) => WriteAnswer
  ): Promise<FastifyReply> => {
    const key = call.idempotencyKey()
    const { status, headers, json } = key === undefined
      ? answerOf(await run(operation, call, work))
      : await repeatable(() =>
        run(operation, call, (options) => {
          const answering = async (): Promise<WriteAnswer> => answerOf(await work(options))
          return call.seen.idempotency!.answer(operation, call.request, key, options, answering)
        }, withinKeyed)
      )
    return sendJson(call, reply.code(status).headers(headers), json)
  }

  /** The answer with a record, and with the entity tag of its version. */
  const recordAnswer = (
    call: RouteCall,
    record: JsonAnswer,
    status = 200,
    headers: WriteAnswer['headers'] = {}
  ): WriteAnswer => {
    const etag = call.seen.tagOf(record)
    return { status, headers: etag === undefined ? headers : { ...headers, etag }, json: record.json }
  }

  /** The answer with a new record, and with its path. */
  const newRecordAnswer = (call: RouteCall, record: JsonAnswer): WriteAnswer => {
    const location = call.seen.locationOf(call.request.url, record)
    return recordAnswer(call, record, 201, location === undefined ? {} : { location })
  }

  const streamList = async (
    call: RouteCall,
    reply: FastifyReply,
    format: ReturnType<Streaming['formatOf']> & {},
    { send }: Streaming
  ): Promise<FastifyReply> => {
    const { request, seen: { resource: { whitelist, model } } } = call
    const { em, queryParams } = request
    const known = streamColumns(whitelist, queryParams)
    const read = await optionsOf(call)
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

  /** The header If-Match, which names the versions that a record may have. */
  const ifMatchOf = ({ request: { headers } }: RouteCall): string | undefined => headers['if-match']

  const requireVersion = (call: RouteCall): void => {
    if (requireIfMatch && ifMatchOf(call) === undefined) throw new PreconditionRequiredError()
  }

  return {
    list: async (call, reply) => {
      call.query()
      const format = streaming?.formatOf(call.request)
      if (format !== undefined) return await streamList(call, reply, format, streaming!)
      const { json } = await run('list', call, (options) => methods.list(call, options))
      return sendJson(call, reply, json)
    },

    get: async (call, reply) => {
      call.key()
      call.query()
      const found = await run('get', call, (options) => methods.get(call, options))
      if (found === null) throw new NotFoundError()
      return sendRecord(call, reply, found)
    },

    create: async (call, reply) => {
      call.query()
      const data = newData(call)
      if (Array.isArray(data)) {
        return await write(
          'createMany',
          call,
          reply,
          (options) => methods.createMany(call, options, data),
          ({ json }) => ({ status: 201, headers: {}, json })
        )
      }
      return await write(
        'create',
        call,
        reply,
        (options) => methods.create(call, options, data),
        (record) => newRecordAnswer(call, record)
      )
    },

    upsert: async (call, reply) => {
      const key = call.query().key!
      const data = newData(call)
      const ifMatch = ifMatchOf(call)
      if (Array.isArray(data)) {
        if (ifMatch !== undefined) throw new PreconditionFailedError(LIST_WITH_VERSION)
        return await write(
          'upsert',
          call,
          reply,
          (options) => methods.upsertMany(call, options, data, key),
          ({ json }) => ({ status: 200, headers: {}, json })
        )
      }
      return await write(
        'upsert',
        call,
        reply,
        (options) => methods.upsert(call, { ...options, ifMatch }, data, key),
        (record) => record.created ? newRecordAnswer(call, record) : recordAnswer(call, record)
      )
    },

    update: async (call, reply) => {
      call.key()
      call.query()
      requireVersion(call)
      const data = changedData(call)
      return await write(
        'update',
        call,
        reply,
        (options) => methods.update(call, { ...options, ifMatch: ifMatchOf(call) }, data),
        (record) => recordAnswer(call, record)
      )
    },

    delete: async (call, reply) => {
      call.key()
      const { hard } = call.query()
      requireVersion(call)
      return await write(
        'delete',
        call,
        reply,
        (options) => methods.delete(call, { ...options, ifMatch: ifMatchOf(call), hard }),
        (record) => recordAnswer(call, record)
      )
    },

    restore: async (call, reply) => {
      call.key()
      call.query()
      return await write(
        'restore',
        call,
        reply,
        (options) => methods.restore(call, { ...options, ifMatch: ifMatchOf(call) }),
        (record) => recordAnswer(call, record)
      )
    },

    updateMany: async (call, reply) => {
      const { dryRun } = call.query()
      const data = changedData(call)
      return await write(
        'updateMany',
        call,
        reply,
        (options) => methods.updateMany(call, { ...options, ifMatch: ifMatchOf(call), maxAffected, dryRun }, data),
        manyAnswer
      )
    },

    deleteMany: async (call, reply) => {
      const { dryRun, hard } = call.query()
      return await write(
        'deleteMany',
        call,
        reply,
        (options) => methods.deleteMany(call, { ...options, ifMatch: ifMatchOf(call), maxAffected, dryRun, hard }),
        manyAnswer
      )
    },
  }
}

/** The answer of a write of many records. */
const manyAnswer = ({ affected }: Affected): WriteAnswer => ({
  status: 200,
  headers: {},
  json: `{"affected":${affected}}`,
})

const LIST_WITH_VERSION = 'If-Match names a version of one record: send one record, or leave the header out.'

const JSON_TYPE = 'application/json; charset=utf-8'
