/** How a variant's requests are written, and how its answers are read. */
import type { Call } from '../calls.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
}

/** The JSON of any server. It is only compared, and has no common form. */
export type Json = any

export interface Answer {
  readonly headers: Headers
  readonly body: Json
}

/** The part of an answer that all variants must agree on. */
export interface Core {
  readonly items: readonly unknown[]
  /** Only lists with a total. */
  readonly total?: number
  readonly facets?: unknown
}

/** The largest number of records of a page, where a dialect does not say more. */
export const LARGEST_PAGE = 100

export interface Dialect {
  /** Whether it has the calls that only this package's query language has. */
  readonly own?: true
  /** The same, if a page by cursor takes so long that few of them should lead to the deep ones. */
  readonly largestPage?: number
  request(call: Call): HttpRequest
  core(call: Call, answer: Answer): Core
  /** The cursor in the answer of a page by cursor. */
  nextCursor(answer: Answer): string
}

/** Reduces generated values, which differ in every run, to whether they are present. */
export function comparable ({ kind }: Call, record: Record<string, unknown>): unknown {
  if (kind !== 'create' && kind !== 'createMany' && kind !== 'update') return record
  const { id, created_at: created, updated_at: updated, ...rest } = record
  if (typeof id !== 'number' || !isTime(created) || !isTime(updated)) {
    throw new Error(`a written record without its key or times: ${JSON.stringify(record)}`)
  }
  return kind === 'update' ? { id, created, ...rest } : rest
}

const isTime = (value: unknown): boolean => typeof value === 'string' && new Date(value).toJSON() === value
