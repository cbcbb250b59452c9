/** The deadline of a transaction in the server: each statement may take what is left of the time. */
import type { HeldConnection } from './held-connection.ts'
import type { Deadline } from './stop.ts'

type Send = (sql: string) => Promise<readonly Record<string, unknown>[]>

/** Lets a deadline hold. An earlier one that holds already stays, and so does a shorter `statement_timeout`. */
export async function limit (held: HeldConnection, { at }: Deadline, send: Send): Promise<void> {
  if (held.client !== undefined) {
    held.configured ??= toMilliseconds(String((await send('show statement_timeout'))[0]?.['statement_timeout']))
  }
  held.deadline = Math.min(at, held.deadline ?? Infinity)
  held.limit = undefined
}

/**
 * Takes the deadline of a savepoint back. `set local` lasts until the whole transaction ends, and what is left of the
 * time would be that of the next savepoint, which no deadline holds back.
 */
export async function unlimit (held: HeldConnection, outer: number | undefined, send: Send): Promise<void> {
  held.deadline = outer
  held.limit = undefined
  // with an outer deadline, this tells the server first
  if (held.client !== undefined) {
    await send(outer === undefined ? `set local statement_timeout = ${held.configured!}` : 'show statement_timeout')
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** `0`, `50ms`, `5s`, ... as `show` has it. */
function toMilliseconds (text: string): number {
  const [, number = '0', unit = 'ms'] = /^(\d+)([a-z]*)$/.exec(text) ?? []
  return Number(number) * (UNITS[unit] ?? 1)
}
