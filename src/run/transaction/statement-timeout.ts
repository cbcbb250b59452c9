/** Enforces a transaction's deadline in the server: each statement may take the remaining time. */
import type { HeldConnection } from './held-connection.ts'
import type { Deadline } from './stop.ts'

type Send = (sql: string) => Promise<readonly Record<string, unknown>[]>

/** Sets a deadline. An earlier deadline stays in force, and so does a shorter `statement_timeout`. */
export async function limit (held: HeldConnection, { at }: Deadline, send: Send): Promise<void> {
  if (held.client !== undefined) {
    held.configured ??= toMilliseconds(String((await send('show statement_timeout'))[0]?.['statement_timeout']))
  }
  held.deadline = Math.min(at, held.deadline ?? Infinity)
  held.limit = undefined
}

/**
 * Removes the deadline of a savepoint. `set local` lasts until the whole transaction ends. Without this reset, the
 * remaining time would apply to the next savepoint, which has no deadline.
 */
export async function unlimit (held: HeldConnection, outer: number | undefined, send: Send): Promise<void> {
  held.deadline = outer
  held.limit = undefined
  // with an outer deadline, any statement sends the outer limit first
  if (held.client !== undefined) {
    await send(outer === undefined ? `set local statement_timeout = ${held.configured!}` : 'show statement_timeout')
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration in the format of `show`: `0`, `50ms`, `5s`, ... */
function toMilliseconds (text: string): number {
  const [, number = '0', unit = 'ms'] = /^(\d+)([a-z]*)$/.exec(text) ?? []
  return Number(number) * (UNITS[unit] ?? 1)
}
