/** How a variant is asked, and how its answers are read. */
import type { Call } from '../operations.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
}

/** JSON of servers whose answers have nothing in common: to be compared, and nothing else. */
export type Json = any

export interface Answer {
  readonly headers: Headers
  readonly body: Json
}

/** What all variants have to agree on. */
export interface Core {
  readonly items: readonly unknown[]
  /** Of lists that have one. */
  readonly total?: number
}

export interface Dialect {
  request(call: Call): HttpRequest
  core(call: Call, answer: Answer): Core
  /** Of a page by cursor. */
  nextCursor(answer: Answer): string
}

/** What the database makes up when a row is written is another one each time: it only has to be there. */
export function comparable ({ kind }: Call, record: Record<string, unknown>): unknown {
  if (kind !== 'create' && kind !== 'createMany' && kind !== 'update') return record
  const { id, created_at: created, updated_at: updated, ...rest } = record
  if (typeof id !== 'number' || !isTime(created) || !isTime(updated)) {
    throw new Error(`a written record without its key or times: ${JSON.stringify(record)}`)
  }
  return kind === 'update' ? { id, created, ...rest } : rest
}

const isTime = (value: unknown): boolean => typeof value === 'string' && new Date(value).toJSON() === value
