/** The routes of a resource's operations, and their handlers. A handler gets the input of its route. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply, HTTPMethods } from 'fastify'
import { NotFoundError, PreconditionFailedError, PreconditionRequiredError } from '../../base/errors.ts'
import { factsOf, MAX_AFFECTED, meantBy, OPERATIONS, removes, sharingRoute } from '../../config/index.ts'
import { isOwnMethod, type CrudReadOptions } from '../../crud/index.ts'
import { parseExact } from '../../model/index.ts'
import { readScope } from '../../resource/index.ts'
import { QUERY_METHOD } from '../query-body.ts'
import { type CrudOperation, type CrudRoutesOptions } from '../route-options.ts'
import type { StreamFormat } from '../streams/formats.ts'
import type { Streaming } from '../streams/streaming.ts'
import { dataOf } from './accepted-body.ts'
import type { RouteInput } from './route-input.ts'
import { repeatable } from './idempotency.ts'
import { keyPath } from './path-key.ts'
import { NO_HEADERS, repliesOf, type RouteAnswer } from './replies.ts'
import { changedColumns, groupColumns, streamColumns } from './stream-columns.ts'
import { routeMethods, type MethodOptions, type WriteMethod, type WriteResult } from './route-methods.ts'
import type { RoutedResource } from './routed-resource.ts'
import { routeTransactions } from './transactions.ts'

type InputHandler = (input: RouteInput, reply: FastifyReply) => Promise<FastifyReply>

export interface RouteDefinition {
  /** The operation that documents the route. */
  readonly operation: CrudOperation
  /** All operations of the route. */
  readonly operations: readonly CrudOperation[]
  readonly method: HTTPMethods
  readonly url: string
  readonly handler: InputHandler
  /** Whether the query is in the body of the request. */
  readonly inBody?: true
}

/** What the handlers of a resource share. All of it is made once, at start-up. */
interface HandlerParts {
  readonly orm: MikroORM
  readonly routed: RoutedResource
  readonly options: CrudRoutesOptions
  /** Sends streams, if the resource has them. */
  readonly streaming: Streaming | undefined
}

/** The routes of a resource's operations, in the order of their documentation. */
export function routeDefinitions (parts: HandlerParts): RouteDefinition[] {
  const { operations, bound } = parts.routed
  const handlerOf = handlersOf(parts)
  const key = keyPath(bound.model)
  return OPERATIONS.flatMap((operation) => {
    const sharing = sharingRoute(operations, operation)
    if (sharing[0] !== operation) return []
    const { methods, path } = factsOf(operation)
    const handler = handlerOf(sharing)
    const definitions = methods.map((method): RouteDefinition => ({
      operation,
      operations: sharing,
      method,
      url: path.replace('/:key', key),
      handler,
    }))
    return operation === 'list' && parts.options.query === true
      ? [...definitions, ...queryDefinitions(definitions[0]!)]
      : definitions
  })
}

/** The routes of a list whose query is in the body. */
function queryDefinitions (list: RouteDefinition): RouteDefinition[] {
  const post: RouteDefinition = { ...list, method: 'POST', url: '/query', inBody: true }
  return QUERY_METHOD === undefined ? [post] : [{ ...post, method: QUERY_METHOD as HTTPMethods, url: '/' }, post]
}

/** Makes the handlers of routes, by the operations that share a route. */
function handlersOf (
  { orm, routed: { what }, options, streaming }: HandlerParts
): (sharing: readonly CrudOperation[]) => InputHandler {
  const { crud, scope: scopeOf, requireIfMatch, maxAffected = MAX_AFFECTED } = options
  const within = routeTransactions(what, options.transaction)
  // requests with an idempotency key always use a transaction
  const withinKeyed = options.idempotency ? routeTransactions(what, options.transaction, true) : within
  const methods = routeMethods(orm, crud)
  const { answerOf, send, sendJson, sendPage, sendRecord } = repliesOf(options)

  const scoped = async ({ request }: RouteInput, scopeOf: NonNullable<CrudRoutesOptions['scope']>) => {
    const scope: unknown = await scopeOf(request)
    return { scope: scope as never, context: { request } }
  }

  /** The options of all operations. They are a promise only if there is a scope to wait for. */
  const optionsOf = (input: RouteInput): CrudReadOptions | Promise<CrudReadOptions> =>
    scopeOf === undefined ? { context: { request: input.request } } : scoped(input, scopeOf)

  /** Runs an operation with its options, in the transaction of its route. Without a scope it makes the only promise. */
  const run = <Answer>(
    operation: CrudOperation,
    input: RouteInput,
    work: (options: CrudReadOptions) => Promise<Answer>,
    inside = within
  ): Promise<Answer> => {
    const begin = (): Promise<Answer> => {
      const given = optionsOf(input)
      return given instanceof Promise ? given.then(work) : work(given)
    }
    return inside[operation](input.request, begin)
  }

  /**
   * Runs a write. With an idempotency key, a write that was done before gets its answer again.
   *
   * @param toAnswer makes the answer of the result
   */
  const write = async (
    operation: CrudOperation,
    input: RouteInput,
    work: (options: CrudReadOptions) => Promise<WriteResult>,
    toAnswer: (result: WriteResult) => RouteAnswer
  ): Promise<RouteAnswer> => {
    const key = input.idempotencyKey()
    if (key === undefined) return toAnswer(await run(operation, input, work))
    return await repeatable(() =>
      run(operation, input, (options) => {
        const answering = async (): Promise<RouteAnswer> => toAnswer(await work(options))
        const { request, seen } = input
        const query = input.query()
        const target = query.kind === 'filters' ? query.target : undefined
        return seen.idempotency!.answer({ operation, request, key, options, target }, answering)
      }, withinKeyed)
    )
  }

  const streamList = async (
    input: RouteInput,
    reply: FastifyReply,
    format: StreamFormat,
    { send }: Streaming
  ): Promise<FastifyReply> => {
    const { request, seen: { whitelist, resource: { model } } } = input
    const { em, queryParams } = request
    const known = streamColumns(input.queryAs<'list'>().selection, queryParams, whitelist)
    const read = await optionsOf(input)
    if (isOwnMethod(crud, 'streamJson')) readScope(read, model)
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

  const list: InputHandler = async (input, reply) => {
    input.query()
    if (input.format !== undefined) return await streamList(input, reply, input.format, streaming!)
    const page = await run('list', input, (options) => methods.list(input, options))
    // links and entity tags are about the URL, which says nothing of a query in a body
    const { method } = input.request
    if (method !== 'GET' && method !== 'HEAD') return sendJson(input, reply, page.json)
    return sendPage('list', input, reply, page, input.seen.resource.whitelist.pagination)
  }

  /** Sends the groups of an aggregate like the records of a stream. */
  const streamGroups = async (
    input: RouteInput,
    reply: FastifyReply,
    format: StreamFormat,
    { send }: Streaming
  ): Promise<FastifyReply> => {
    const columns = groupColumns(input.queryAs<'groups'>().plan)
    return await send(input.request, reply, format, async function * () {
      const { json } = await run('aggregate', input, (options) => methods.aggregate(input, options))
      const { items } = parseExact(json) as { readonly items: readonly unknown[] }
      yield items.map((item) => JSON.stringify(item))
    }, () => columns)
  }

  const aggregate: InputHandler = async (input, reply) => {
    input.query()
    if (input.format !== undefined) return await streamGroups(input, reply, input.format, streaming!)
    const page = await run('aggregate', input, (options) => methods.aggregate(input, options))
    return sendPage('aggregate', input, reply, page, input.seen.resource.whitelist.groupPagination)
  }

  const get: InputHandler = async (input, reply) => {
    input.key()
    input.query()
    const found = await run('get', input, (options) => methods.get(input, options))
    if (found === null) throw new NotFoundError()
    return sendRecord(input, reply, found)
  }

  /** The handler of a write, which does the one of its operations that the body means. */
  const writing = (sharing: readonly CrudOperation[]): InputHandler => {
    const [first] = sharing as readonly [CrudOperation]
    const { byKey, body, changes, ifMatch } = factsOf(first)
    const needsVersion = requireIfMatch === true && ifMatch === 'required'
    const alwaysCreates = changes.every((change) => change === 'insert')
    const optionsFor = requestOptions(first, maxAffected)
    return async (input, reply) => {
      if (byKey) input.key()
      input.query()
      if (needsVersion && ifMatchOf(input) === undefined) throw new PreconditionRequiredError()
      const data = body && dataOf(input)
      const isList = Array.isArray(data)
      if (isList && ifMatch !== 'no' && ifMatchOf(input) !== undefined) {
        throw new PreconditionFailedError(LIST_WITH_VERSION)
      }
      const operation = sharing.length > 1 ? meantBy(sharing, data) : first
      const method = methods[operation] as WriteMethod<unknown>
      const answer = await write(
        operation,
        input,
        (options) => method(input, isList ? options : optionsFor(options, input), data),
        (result) => {
          if (isList) return { status: alwaysCreates ? 201 : 200, headers: NO_HEADERS, json: result.json }
          return answerOf(operation, input, result, result.created ?? alwaysCreates ? 201 : 200)
        }
      )
      return send(input, reply, answer)
    }
  }

  return ([first, ...others]) => {
    if (first === 'list') return list
    if (first === 'aggregate') return aggregate
    return first === 'get' ? get : writing([first!, ...others])
  }
}

/** What the options of a write on one record, or on those that filters select, get from the request. */
function requestOptions (
  operation: CrudOperation,
  maxAffected: number
): (given: CrudReadOptions, input: RouteInput) => MethodOptions {
  const { records, ifMatch } = factsOf(operation)
  if (records === 'selected') {
    return (given, input) => {
      const { options } = input.queryAs<'filters'>()
      return { ...given, ...options, ifMatch: ifMatchOf(input), maxAffected }
    }
  }
  if (ifMatch === 'no') return (given) => given
  return removes(operation)
    ? (given, input) => ({ ...given, ...input.queryAs<'none'>().options, ifMatch: ifMatchOf(input) })
    : (given, input) => ({ ...given, ifMatch: ifMatchOf(input) })
}

/** The header If-Match, which names the versions that a record may have. */
const ifMatchOf = ({ request: { headers } }: RouteInput): string | undefined => headers['if-match']

const LIST_WITH_VERSION = 'If-Match names a version of one record: send one record, or leave the header out.'
