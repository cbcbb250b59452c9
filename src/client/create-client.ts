/** The client of an API: resources by path, each with methods for its records. */
import { CrudError } from './error.ts'
import { checkNames, type MethodName } from './option-names.ts'
import { newWriteKey } from './pending-writes.ts'
import { needsBody, queryString, shownValue, type AnyQuery } from './query-string.ts'
import {
  discardAnswer, orNetworkError, parse, sendCall, sendJson, type ClientCall, type ClientOptions,
} from './send-call.ts'
import type { Client } from './client-types.ts'
import type { AnyJson } from './url-names.ts'

/** The options of all methods, without the restrictions of a resource's types. */
interface AnyOptions extends AnyQuery {
  readonly signal?: AbortSignal
  readonly ifMatch?: string | object
  readonly idempotencyKey?: string | boolean
  readonly hard?: boolean
  readonly dryRun?: boolean
}

const etags = new WeakMap<object, string>()

/**
 * Returns the entity tag of a record that `get`, `create`, `update`, `delete` or `restore` returned, i.e. the version
 * that the server gave it. Returns `undefined` for records of lists, for records without a version, and for copies.
 */
export function etagOf (record: object): string | undefined {
  return etags.get(record)
}

/** The address and the options of a client's requests. */
interface ClientConnection {
  /** The URL of the API, without a slash at its end. */
  readonly base: string
  readonly options: ClientOptions
}

const connections = new WeakMap<object, ClientConnection>()

/** Returns the connection of a client, for requests that are not methods of a resource. */
export function clientConnectionOf (api: object): ClientConnection {
  const connection = connections.get(api)
  if (connection === undefined) throw new TypeError('This is not a client that createClient returned.')
  return connection
}

/**
 * Makes a client. `Api` is the type of the server's resources, `ApiOf<typeof resources>`. Nothing is sent before you
 * call a method.
 *
 * @param baseUrl the URL under which the resources are, e.g. `https://api.example.com/v1`; empty for the page's own
 *   origin. Outside of pages and workers it is absolute
 * @throws {TypeError} if `baseUrl` is not a text
 * @example
 * const api = createClient<Api>('https://api.example.com', { headers: () => ({ authorization: token() }) })
 * const page = await api['/categories'].list({ filter: { price: { gte: 100 } }, include: ['products'] })
 */
export function createClient<Api> (baseUrl: string, options: ClientOptions = {}): Client<Api> {
  if (typeof baseUrl !== 'string') {
    throw new TypeError(`createClient: the base URL is ${String(baseUrl)}. Pass a URL such as https://api.example.com.`)
  }
  const base = baseUrl.replace(/\/+$/, '')
  const resources: Record<string, object> = {}
  const api = new Proxy({}, {
    // the platform reads other properties, e.g. to find out whether this is a promise
    get: (_, path) =>
      typeof path === 'string' && path.startsWith('/')
        ? (resources[path] ??= resource(base + path, options))
        : undefined,
  })
  connections.set(api, { base, options })
  return api as Client<Api>
}

function resource (url: string, client: ClientOptions): object {
  const pathOf = (...names: readonly unknown[]): string => url.replace(/\/$/, '') + names.map(segmentOf).join('')

  /**
   * Makes a request of a method's arguments, whose options it checks.
   *
   * @param query the query of a write of many records. It must have a filter
   */
  const callOf = (
    name: MethodName,
    method: string,
    path: string,
    options: AnyOptions = {},
    body?: unknown,
    query?: AnyOptions
  ): ClientCall => {
    checkNames(name, options)
    if (query) checkNames(name, query, ['filter'])
    const { dryRun, signal } = options
    return {
      method,
      url: path + queryString({ ...query, ...options, dry_run: dryRun }, query !== undefined),
      body,
      ifMatch: tagOf(options),
      key: idempotencyKeyOf(options),
      signal,
    }
  }

  /** Sends a request and returns the result of its answer. */
  const ask = async (
    call: ClientCall,
    resultOf = (data: AnyJson, _status: number): AnyJson => data
  ): Promise<AnyJson> => {
    const { data, etag, status } = await sendJson(call, client)
    // a weak tag is a digest of the answer, and no version
    if (etag?.startsWith('"')) etags.set(data as object, etag)
    return resultOf(data, status)
  }
  const send = async (...args: Parameters<typeof callOf>): Promise<AnyJson> => await ask(callOf(...args))
  const create = (body: unknown, options?: AnyOptions): Promise<AnyJson> => send('create', 'POST', url, options, body)

  const list = async (query?: AnyOptions): Promise<AnyJson> => {
    const call = callOf('list', 'GET', url, query)
    if (needsBody(call.url)) {
      try {
        return await ask({ ...call, method: 'POST', url: pathOf('query'), query: call.url.slice(url.length + 1) })
      } catch (error) {
        // a resource without the option `query` has no such route, and says what is wrong with the URL
        if ((Object(error) as Partial<CrudError>).status !== 404) throw error
      }
    }
    return await ask(call)
  }

  async function * pages (query: AnyOptions = {}): AsyncGenerator<AnyJson, void, undefined> {
    checkNames('pages', query)
    for (let cursor: string | null = query.cursor ?? ''; cursor !== null;) {
      const page = await list({ ...query, cursor })
      // without this check, the first page would repeat for ever
      if (page.next_cursor === undefined) {
        const detail = 'The server does not page this resource by cursors.'
        throw new CrudError({ status: 200, code: 'NO_CURSOR', detail })
      }
      yield page
      cursor = page.next_cursor
    }
  }

  return Object.freeze({
    list,
    pages,
    async * each (query?: AnyOptions) {
      checkNames('each', query)
      for await (const page of pages(query)) yield * page.items
    },
    async * stream (query?: AnyOptions) {
      const call = { ...callOf('stream', 'GET', url, query), accept: NDJSON }
      const response = await sendCall(call, client)
      // a resource without streams answers with its first page instead
      if (!response.headers.get('content-type')?.startsWith(NDJSON)) {
        await discardAnswer(response)
        const detail = 'The server does not stream this resource.'
        throw new CrudError({ status: 200, code: 'NOT_NDJSON', detail })
      }
      yield * readLines(response, call)
    },
    url: (query?: AnyOptions) => callOf('url', 'GET', url, query).url,
    aggregate: async (query?: AnyOptions) => await send('aggregate', 'GET', pathOf('aggregate'), query),
    get: async (id: unknown, query?: AnyOptions) => await send('get', 'GET', pathOf(id), query),
    create,
    createMany: create,
    upsert: async (body: unknown, options?: AnyOptions) =>
      await ask(
        callOf('upsert', 'PUT', url, options, body),
        (data, status) => Array.isArray(data) ? data : { created: status === 201, record: data }
      ),
    update: async (id: unknown, body: unknown, options?: AnyOptions) =>
      await send('update', 'PATCH', pathOf(id), options, body),
    updateMany: (query: AnyOptions, body: unknown, options?: AnyOptions) =>
      send('updateMany', 'PATCH', url, options, body, Object(query)),
    delete: async (id: unknown, options?: AnyOptions) => await send('delete', 'DELETE', pathOf(id), options),
    deleteMany: (query: AnyOptions, options?: AnyOptions) =>
      send('deleteMany', 'DELETE', url, options, undefined, Object(query)),
    restore: async (id: unknown, options?: AnyOptions) => await send('restore', 'POST', pathOf(id, 'restore'), options),
  })
}

const NDJSON = 'application/x-ndjson'

/** The path of a key: one segment, or one for each part of a composite key, in order. */
function segmentOf (id: unknown): string {
  if (Array.isArray(id) && id.length > 0) return id.map(segmentOf).join('')
  const text = Number.isFinite(id) || typeof id === 'bigint' ? String(id) : id
  // an empty segment is another path, and dot segments are removed from paths (RFC 3986 section 5.2.4)
  if (typeof text === 'string' && !/^\.{0,2}$/.test(text)) return `/${encodeURIComponent(text)}`
  throw new TypeError(`id: ${shownValue(text)} is not a key of a record.`)
}

/** The key of a write: that of the caller, or a new one. */
const idempotencyKeyOf = ({ idempotencyKey: key }: AnyOptions): string | undefined =>
  key === true ? newWriteKey() : key || undefined

/**
 * Returns the entity tag for `If-Match`.
 *
 * @throws {TypeError} if `ifMatch` has none, because a write without a tag would overwrite any version
 */
function tagOf (options: AnyOptions): string | undefined {
  if (!Object.hasOwn(options, 'ifMatch')) return undefined
  const { ifMatch } = options
  const tag = etags.get(ifMatch as object) ?? ifMatch
  if (typeof tag === 'string' && (tag === '*' || tag.endsWith('"'))) return tag
  throw new TypeError(
    typeof (tag ?? {}) === 'object'
      ? 'ifMatch: this record has no version. Pass one that get(), create() or update() returned, not a copy. A ' +
        'server of another origin must expose the header etag.'
      : `ifMatch: ${String(tag)} is not an entity tag, such as '"1"'.`
  )
}

/**
 * Yields the records of a stream as they arrive. Leaving the loop closes the connection.
 *
 * @throws {CrudError} when a line is not JSON, and when the stream is cut off, i.e. its last record does not end with a
 *   line feed
 */
async function * readLines (
  response: Response,
  call: ClientCall
): AsyncGenerator<unknown, void, undefined> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await orNetworkError(call, () => reader.read())
      if (done) break
      const lines = decoder.decode(value, { stream: true }).split('\n')
      lines[0] = rest + lines[0]!
      rest = lines.pop()!
      for (const line of lines) yield parse(line, response, call)
    }
    if (rest !== '') throw new CrudError({ status: 0, code: 'NETWORK', detail: 'The stream ended within a record.' })
  } finally {
    // Tells the server to stop. Rejects if the stream has already ended or failed, which needs no handling.
    await reader.cancel().catch(() => {})
  }
}
