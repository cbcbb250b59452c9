/**
 * Requests with the header `Idempotency-Key`: which key, of whom, for what. Writes answer them once (`StoredAnswers` in
 * `src/write/stored-answers.ts`).
 */
import type { FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { ConfigError, IdempotencyKeyError, OutcomeUnknownError } from '../../base/errors.ts'
import { isObject } from '../../base/is-object.ts'
import { completed, shown } from '../../base/option-checks.ts'
import type { ManyTarget } from '../../plan/index.ts'
import { perform } from '../../resource/index.ts'
import { rightsOf, StoredAnswers, type StoredAnswer } from '../../write/index.ts'
import { IdempotencyOptionsSchema, type CrudOperation, type CrudRoutesOptions } from '../route-options.ts'

/** The key of a request, with a hash of what the request asks for. */
export interface RequestKey {
  readonly key: string
  readonly asks: string
}

/** The requests of a resource that have a key. */
export interface Idempotency {
  /**
   * The key of a request; `undefined` if it has none.
   *
   * @throws {IdempotencyKeyError} for a header that is not a key, and for a missing one where keys are required
   */
  readonly keyOf: (request: FastifyRequest) => RequestKey | undefined
  /** Does a write, or repeats its answer. Runs in the transaction of the write. */
  readonly answer: (write: KeyedWrite, work: () => Promise<StoredAnswer>) => Promise<StoredAnswer>
}

/** A write with a key. */
interface KeyedWrite {
  readonly operation: CrudOperation
  readonly request: FastifyRequest
  readonly key: RequestKey
  /** Of the operation, with the scope of the request. */
  readonly options: object
  /** The records that filters select, if the operation writes these. */
  readonly target: ManyTarget | undefined
}

/** What the option of a resource means; `undefined` if its requests have no keys. */
export function idempotencyOf ({ crud, idempotency }: CrudRoutesOptions): Idempotency | undefined {
  if (idempotency === undefined || idempotency === false) return undefined
  const { required, ttlHours, principal } = completed(
    IdempotencyOptionsSchema,
    idempotency === true ? undefined : idempotency
  )
  const answers = new StoredAnswers(ttlHours)
  return {
    keyOf: ({ headers, method, url, body }) => {
      const header = headers['idempotency-key']
      if (header !== undefined) return { key: readKey(header), asks: hashOf(method, url, canonical(body)) }
      if (required) throw new IdempotencyKeyError('This request needs the header Idempotency-Key.')
      return undefined
    },
    answer: async ({ operation, request, key: { key, asks }, options, target }, work) => {
      // also asks for the rows of the role, so a request that may not write is refused before its answer is looked up
      const rights = await perform(crud, request.em, operation, options, (call) => rightsOf(call, target))
      const known = principalOf(await principal?.(request))
      const { method, routeOptions } = request
      const { answer, replayed } = await answers.answer(request.em, {
        key: hashOf(method, routeOptions.url ?? '', key, known ?? ''),
        caller: known === undefined ? hashOf(...credentialsOf(request)) : '',
        request: hashOf(asks, rights),
      }, work)
      return replayed ? { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } } : answer
    },
  }
}

/** Runs a write with a key. If it is not known whether it was committed, its client may repeat it. */
export async function repeatable<Result> (work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error
    const detail = `${error.detail} Repeat the request with its Idempotency-Key.`
    throw Object.assign(new OutcomeUnknownError(detail, { cause: error.cause }), { headers: { 'retry-after': '1' } })
  }
}

/**
 * A string of structured fields (RFC 9651, section 3.3.3), or the same characters without quotes. Node joins repeated
 * headers by commas, so a key without quotes has none.
 */
const KEY = /^(?:"((?:[ !#-[\]-~]|\\["\\])*)"|([!#-+\--:<-[\]-~]+))$/
export const MAX_KEY_LENGTH = 255

function readKey (header: string | readonly string[]): string {
  const [, inQuotes, bare] = KEY.exec(String(header)) ?? []
  const key = bare ?? inQuotes?.replaceAll(/\\(.)/g, '$1')
  if (key === undefined || key === '' || key.length > MAX_KEY_LENGTH) throw new IdempotencyKeyError()
  return key
}

/** Hashes texts. No other list of texts has the same hash. */
const hashOf = (...texts: readonly string[]): string => hash('sha256', JSON.stringify(texts), 'base64url')

/** A body as text. The order of names in objects makes no difference. */
function canonical (body: unknown): string {
  return JSON.stringify(body, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
      : value
  }) ?? ''
}

/** The name that the application gives to the caller; `undefined` if it does not know the caller. */
function principalOf (given: unknown): string | undefined {
  if (given === undefined || given === null || given === '') return undefined
  if (typeof given === 'string') return given
  const cause = new ConfigError(`idempotency: 'principal' must return a text, got ${shown(given)}.`)
  throw new ConfigError('The server could not tell whose key this request has.', { cause })
}

/** What tells callers apart if the application does not: the headers with credentials, and the host. */
const credentialsOf = ({ headers, host }: FastifyRequest): string[] =>
  ['authorization', 'cookie', 'x-api-key'].map((name) => String(headers[name] ?? '')).concat(host)
