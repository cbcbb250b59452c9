/** The handlers of a resource's routes: they read the request, call the operation and send the answer. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { CrudBase, type CrudReadOptions } from '../../crud/index.ts'
import { NotFoundError, PreconditionRequiredError } from '../../errors.ts'
import { streamColumns, type JsonAnswer } from '../../read/index.ts'
import { readScope, type Resource } from '../../resource/index.ts'
import { keyNames } from '../../write/index.ts'
import type { CrudOperation } from '../options.ts'
import { LIST, ONE_RECORD, readBatch, readBody, bodyError } from './body.ts'
import { locationsOf, tagOf } from './headers.ts'
import { routeCalls } from './calls.ts'
import { keyPath, keyReader } from './key.ts'
import type { CrudRoutesOptions } from './options.ts'
import type { QueryChecks } from './query-checks.ts'
import type { Streaming } from '../streams/index.ts'
import type { Within } from './transactions.ts'

export interface RouteDefinition {
  readonly operation: CrudOperation
  readonly method: HTTPMethods
  readonly url: string
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * The routes of a resource's operations, in the order of their documentation.
 *
 * @param streaming sends streams, if the resource has them
 */
export function routeDefinitions (
  orm: MikroORM,
  { model, writable }: Resource,
  options: CrudRoutesOptions,
  operations: readonly CrudOperation[],
  within: Readonly<Record<CrudOperation, Within>>,
  streaming: Streaming | undefined,
  checks: QueryChecks
): RouteDefinition[] {
  const crud = options.crud as CrudBase
  const calls = routeCalls(orm, crud, model)
  const has = (operation: CrudOperation): boolean => operations.includes(operation)
  const url = keyPath(model)
  const readKey = keyReader(model)
  const ignored = (operation: 'create' | 'update') =>
    options.readonlyProperties === 'ignore' ? writable[operation]?.readonly : undefined
  const [ignoredOfNew, ignoredOfChanges] = [ignored('create'), ignored('update')]
  /** Refuses unknown parameters again: with `attachValidation`, a route goes on. The planner finds other errors. */
  const recheck = (request: FastifyRequest, check: (request: FastifyRequest) => void): void => {
    if (request.queryParams.unknown.length > 0) check(request)
  }
  const tag = tagOf(model)
  const locationOf = locationsOf(model, crud.afterRead !== undefined)
  const scopeOf = options.scope
  const scoped = async (request: FastifyRequest, scopeOf: NonNullable<CrudRoutesOptions['scope']>) => {
    const scope: unknown = await scopeOf(request)
    return { scope: scope as never, context: { request } }
  }
  /** The options of a read. They are a promise only if there is a scope to wait for. */
  const readOptions = (request: FastifyRequest) =>
    scopeOf === undefined ? { context: { request } } : scoped(request, scopeOf)
  /** Reads with these options. Without a scope, the read makes the only promise. */
  const reading = <Answer>(
    request: FastifyRequest,
    read: (options: CrudReadOptions) => Promise<Answer>
  ): Promise<Answer> => {
    const options = readOptions(request)
    return options instanceof Promise ? options.then(read) : read(options)
  }

  const checkIfMatch = ({ headers }: FastifyRequest): void => {
    if (options.requireIfMatch && headers['if-match'] === undefined) throw new PreconditionRequiredError()
  }

  /** The options of a write to an existing record. */
  const writeOptions = async (request: FastifyRequest) => ({
    ...await readOptions(request),
    ifMatch: request.headers['if-match'],
  })

  const ownResponses = Object.values(options.schemas ?? {}).some((schema) => schema?.response !== undefined)
  /**
   * Sends JSON text unchanged. If the application has a response schema, sends an object, which that schema serializes.
   */
  const sendJson = (request: FastifyRequest, reply: FastifyReply, json: string): FastifyReply => {
    reply.type(JSON_TYPE)
    // Fastify makes a new `routeOptions` for each read
    const operation = ownResponses ? request.routeOptions.config.crud!.operation : undefined
    const schema = operation && options.schemas?.[operation]
    return reply.send(schema?.response === undefined ? json : JSON.parse(json))
  }

  const sendRecord = (request: FastifyRequest, reply: FastifyReply, record: JsonAnswer): FastifyReply => {
    const etag = tag(record)
    if (etag !== undefined) reply.header('etag', etag)
    return sendJson(request, reply, record.json)
  }

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (streaming !== undefined) {
      const format = streaming.formatOf(request)
      if (format !== undefined) return await streamList(request, reply, format, streaming)
    }
    recheck(request, checks.list)
    const { json } = await within.list(
      request,
      () => reading(request, (options) => calls.list(request, options))
    )
    return sendJson(request, reply, json)
  }

  const streamList = async (
    request: FastifyRequest,
    reply: FastifyReply,
    format: ReturnType<Streaming['formatOf']> & {},
    { send }: Streaming
  ): Promise<FastifyReply> => {
    recheck(request, checks.stream)
    const { em, queryParams } = request
    const known = streamColumns(crud, em, queryParams)
    const read = await readOptions(request)
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

  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const id = readKey(request.params)
    recheck(request, checks.get)
    const found = await within.get(
      request,
      () => reading(request, (options) => calls.get(request, id, options))
    )
    if (found === null) throw new NotFoundError()
    return sendRecord(request, reply, found)
  }

  const create = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    checks.write(request)
    const { body } = request
    if (Array.isArray(body)) {
      if (!has('createMany')) throw bodyError(ONE_RECORD)
      const batch = readBatch(body, options.maxBatch, ignoredOfNew)
      const { json } = await within.createMany(
        request,
        async () => await calls.createMany(request, batch, await readOptions(request))
      )
      return sendJson(request, reply.code(201), json)
    }
    if (!has('create')) throw bodyError(LIST)
    const record = await within.create(
      request,
      async () => await calls.create(request, readBody(body, ignoredOfNew), await readOptions(request))
    )
    const location = locationOf(request.url, record)
    if (location !== undefined) reply.header('location', location)
    return sendRecord(request, reply.code(201), record)
  }

  const update = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const id = readKey(request.params)
    checks.write(request)
    checkIfMatch(request)
    return sendRecord(
      request,
      reply,
      await within.update(request, async () => {
        const write = await writeOptions(request)
        return await calls.update(request, id, readBody(request.body, ignoredOfChanges, keyNames(id, model)), write)
      })
    )
  }

  const remove = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const id = readKey(request.params)
    const hard = checks.remove(request)
    checkIfMatch(request)
    return sendRecord(
      request,
      reply,
      await within.delete(
        request,
        async () => await calls.delete(request, id, { ...await writeOptions(request), hard })
      )
    )
  }

  const restore = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const id = readKey(request.params)
    checks.write(request)
    return sendRecord(
      request,
      reply,
      await within.restore(request, async () => await calls.restore(request, id, await writeOptions(request)))
    )
  }

  const posts = has('create') ? 'create' : 'createMany'
  const definitions: RouteDefinition[] = [
    { operation: 'list', method: 'GET', url: '/', handler: list },
    { operation: 'get', method: 'GET', url, handler: get },
    { operation: posts, method: 'POST', url: '/', handler: create },
    { operation: 'update', method: 'PATCH', url, handler: update },
    { operation: 'update', method: 'PUT', url, handler: update },
    { operation: 'delete', method: 'DELETE', url, handler: remove },
    { operation: 'restore', method: 'POST', url: `${url}/restore`, handler: restore },
  ]
  return definitions.filter(({ operation }) => has(operation))
}
