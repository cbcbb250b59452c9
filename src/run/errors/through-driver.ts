/** Errors of this package that MikroORM's driver passes on. */
import { DriverException } from '@mikro-orm/core'
import { DatabaseError, UnavailableError } from '../../base/errors.ts'

/**
 * Carries one of this package's errors through MikroORM's driver. MikroORM would append our `detail` to the message,
 * which says the same. This error has no `detail`. The original error is its cause.
 */
export class ThroughDriver extends Error {
  constructor (error: UnavailableError | DatabaseError) {
    super(error.message, { cause: error })
    const { code, statusCode } = error
    Object.assign(this, { code, statusCode, ...(error instanceof UnavailableError && { headers: error.headers }) })
  }
}

/** The error of this package that the driver has passed on. */
export function ownErrorIn (error: unknown): UnavailableError | DatabaseError | undefined {
  if (!(error instanceof ThroughDriver || error instanceof DriverException)) return undefined
  return error.cause instanceof UnavailableError || error.cause instanceof DatabaseError ? error.cause : undefined
}
