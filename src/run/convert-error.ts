/**
 * The driver's errors to ours, in this file alone. What a client may learn is in the message; the driver's error is
 * the `cause`, for the log. Codes are SQLSTATEs (PostgreSQL manual, appendix A).
 */
import { DatabaseError, DataValidationError, UnavailableError } from '../errors.ts'

/** Classes of SQLSTATEs, and whole codes where a class is not specific enough. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  '08', // connection exception
  '53', // insufficient resources: too many connections, out of memory, disk full
  '57', // operator intervention: statement timeout, shutdown, starting up
  '25006', // read-only: a primary that has become a standby
])
/** Data exception: a value that a custom filter, a scope or a custom type let through. */
const INVALID_DATA = '22'
/** Node's codes for a server that can't be reached or has gone away. */
const UNREACHABLE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH'])
/** What pg says without a code. */
const CONNECTION_LOST = /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|cannot use a pool after calling end/i

/** The error to throw instead of one that a driver has thrown. */
export function convertError (error: unknown): Error {
  if (!(error instanceof Error)) return new DatabaseError(undefined, { cause: error })
  if (error.name === 'AbortError') return new UnavailableError('The request was aborted.', { cause: error })
  const code = String((error as { code?: unknown }).code ?? '')
  const sqlState = /^[0-9A-Z]{5}$/.test(code) ? code : ''
  const unavailable = UNAVAILABLE.has(sqlState) || UNAVAILABLE.has(sqlState.slice(0, 2)) || UNREACHABLE.has(code) || CONNECTION_LOST.test(error.message)
  if (unavailable) return new UnavailableError(undefined, { cause: error })
  if (sqlState.startsWith(INVALID_DATA)) return new DataValidationError('A value is not valid for what it is compared with.', { cause: error })
  return new DatabaseError(undefined, { cause: error })
}
