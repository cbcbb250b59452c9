/** Sends requests to a server and compares the answers with those of the reference. */
import type { FastifyInstance } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import { answerAggregate, answerGet, answerList, readList, type Answer } from '../reference/answer.ts'
import type { Value, World } from '../reference/description.ts'
import { ANY_OF_THE_MIXTURE, pageOf } from '../reference/pages.ts'
import { PAGINATION } from '../reference/query-string.ts'
import { encoded, type Parameter } from './requests.ts'

interface Received {
  readonly status: number
  readonly body: Value
}

/** An answer of the server that differs from the reference's. */
export class Difference extends Error {
  constructor (url: string, expected: unknown, received: unknown, { whitelist, tables }: World) {
    const parts = {
      GET: decodeURIComponent(url), encoded: url, reference: expected, server: received, whitelist,
      rows: tables.rows[whitelist.entity],
    }
    super(
      Object.entries(parts).map(([name, part]) => `${name}: ${typeof part === 'string' ? part : JSON.stringify(part)}`)
        .join('\n')
    )
  }
}

export class Comparison {
  readonly #app: FastifyInstance
  readonly #prefix: string
  readonly #world: World
  /** The number of answers, by status, and how many had items. */
  readonly seen: Record<string, number> = {}

  constructor (app: FastifyInstance, prefix: string, world: World) {
    this.#app = app
    this.#prefix = prefix
    this.#world = world
  }

  async #send (path: string, query: string): Promise<Received> {
    const response = await this.#app.inject(`${this.#prefix}${path}${query === '' ? '' : `?${query}`}`)
    const body = response.json()
    this.#count(String(response.statusCode))
    if (body.items?.length > 0) this.#count('with items')
    return { status: response.statusCode, body }
  }

  #count (what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1
  }

  async list (parameters: readonly Parameter[]): Promise<void> {
    const query = encoded(parameters)
    const expected = answerList(this.#world, query)
    const received = await this.#send('/', query)
    this.#check(query, expected, received)
    if (received.status === 200 && 'next_cursor' in received.body) await this.#walk(parameters, received.body)
  }

  async aggregate (parameters: readonly Parameter[]): Promise<void> {
    const query = encoded(parameters)
    const received = await this.#send('/aggregate', query)
    if (received.status === 200) this.#count('aggregates')
    this.#check(`/aggregate?${query}`, answerAggregate(this.#world, query), received)
  }

  async record (id: readonly string[], parameters: readonly Parameter[]): Promise<void> {
    const path = `/${id.map(encodeURIComponent).join('/')}`
    const query = encoded(parameters)
    this.#check(`${path}?${query}`, answerGet(this.#world, id, query), await this.#send(path, query))
  }

  /** Follows the cursors to the end of the list, and all the way back. */
  async #walk (parameters: readonly Parameter[], first: Value): Promise<void> {
    const list = readList(this.#world, encoded(parameters))
    if ('status' in list) throw new Error('a page by cursor is no refusal')
    const { items, window, beside } = list
    const go = async (cursor: string, skip: number, size: number): Promise<Value> => {
      const query = encoded(parameters.map(([name, value]) => [name, name === 'cursor' ? cursor : value]))
      const received = await this.#send('/', query)
      this.#check(
        query,
        {
          status: 200,
          body: { ...pageOf(items, { style: 'cursor', skip, size, counted: window.counted }), ...beside },
        },
        received,
        window.size
      )
      return received.body
    }
    let body = first
    let skip = 0
    while (body.next_cursor !== null) {
      skip += window.size
      body = await go(body.next_cursor, skip, window.size)
    }
    while (body.prev_cursor !== null) {
      const end = skip
      skip = Math.max(0, skip - window.size)
      body = await go(body.prev_cursor, skip, end - skip)
    }
  }

  #check (query: string, expected: Answer, received: Received, perPage?: number): void {
    if (expected.status === 200 && received.status === 200) {
      const body = perPage === undefined ? expected.body : { ...expected.body, per_page: perPage }
      if (isDeepStrictEqual(comparable(body), comparable(received.body))) return
      throw new Difference(query, body, received.body, this.#world)
    }
    const [mine, its] = [refusalOf(expected), receivedRefusal(received)]
    const isMixture = mine.parameters?.includes(ANY_OF_THE_MIXTURE) === true
    if (isMixture ? isDeepStrictEqual(withMixture(mine), withMixture(its)) : isDeepStrictEqual(mine, its)) return
    throw new Difference(query, expected.status === 200 ? expected.body : mine, received.body, this.#world)
  }
}

interface Verdict {
  readonly status: number
  readonly code?: string
  readonly parameters?: readonly string[]
  readonly allowed?: Value
}

function refusalOf (answer: Answer): Verdict {
  if (answer.status === 200) return { status: 200 }
  const allowed = Object.entries(answer.allowed).map(([parameter, names]) => [plain(parameter), names])
  return {
    status: answer.status, code: answer.code, parameters: unique(answer.parameters.map(plain)),
    allowed: Object.fromEntries(allowed),
  }
}

function receivedRefusal ({ status, body }: Received): Verdict {
  if (status === 200) return { status }
  const errors = body.errors ?? []
  const named = errors.filter((error: Value) => error.source?.parameter !== undefined)
  return {
    status, code: body.code, parameters: unique(named.map((error: Value) => plain(error.source.parameter))),
    allowed: Object.fromEntries(
      named.filter((error: Value) => error.allowed !== undefined && error.code !== 'FST_CRUD_QUERY_INVALID')
        .map((error: Value) => [plain(error.source.parameter), [...error.allowed].sort()])
    ),
  }
}

/** The documentation does not say which parameter of a mixture is named. */
function withMixture (verdict: Verdict): Verdict {
  const named = verdict.parameters!.map((name) => PAGINATION.includes(name) ? ANY_OF_THE_MIXTURE : name)
  return { ...verdict, parameters: unique(named) }
}

/** The name of a list written with `[]` may omit the brackets. */
const plain = (parameter: string): string => parameter.replace(/\[\]$/, '')
const unique = (names: readonly string[]): string[] => [...new Set(names)].sort()

/** `true` stands for a cursor that leads somewhere. */
function comparable (body: Value): Value {
  return JSON.parse(JSON.stringify(body), (key, value) => {
    if ((key === 'next_cursor' || key === 'prev_cursor') && typeof value === 'string') return true
    if (key.endsWith('Avg') && typeof value === 'number') return Number(value.toPrecision(12))
    return value
  })
}
