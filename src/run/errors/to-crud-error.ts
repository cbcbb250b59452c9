/** Converts database errors that this package has not seen: those of MikroORM's own methods and of pg. */
import { DriverException, OptimisticLockError } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/postgresql'
import { ConfigError, ScopeError, UnavailableError } from '../../base/errors.ts'
import { convertError } from './convert-error.ts'
import { isConnectionLost, isReadOnlyServer, isServerError, isUnreachable, ownErrorIn } from './driver-errors.ts'

/**
 * Converts a database error to one of this package's errors. The given error is its `cause`, but its text is not shown
 * to clients. MikroORM's constraint violations become a `ConflictError` (409) or `DataValidationError` (400). Its
 * optimistic lock errors become a `PreconditionFailedError` (412). Lost connections, timeouts and full pools become an
 * `UnavailableError` (503), also if they are the cause for which a role or its rows are not known. All others, such as
 * a mistake in SQL, become a 500 without details.
 *
 * Routes without an error handler of the application apply this function to the errors that they throw.
 *
 * @param orm whose server is meant. Socket errors are only converted if they belong to this server. By default they are
 * not converted.
 * @returns the error unchanged if it is not a database error
 * @example
 * app.setErrorHandler((error, request, reply) => {
 *   if (error instanceof UniqueConstraintViolationException) {
 *     return reply.code(409).send({ title: 'There is one already.' })
 *   }
 *   return reply.send(toCrudError(error, app.orm))
 * })
 */
export function toCrudError<Thrown> (error: Thrown, orm?: MikroORM): Thrown | Error {
  if (!(error instanceof Error)) return error
  if (error instanceof ScopeError || error instanceof ConfigError) return unavailableTo(error, orm) ?? error
  if (!isDatabaseError(error, orm)) return error
  // in a transaction that was declared read-only, the error was converted already
  if (isReadOnlyServer(error)) return new UnavailableError(undefined, { cause: error })
  return convertError(error)
}

/**
 * The error of a database that was not available to a function of the application that names a role or its rows. The
 * error of the function hides it (`hidingErrors`).
 */
function unavailableTo ({ cause }: Error, orm: MikroORM | undefined): UnavailableError | undefined {
  const error = toCrudError(cause, orm)
  return error instanceof UnavailableError ? error : undefined
}

function isDatabaseError (error: Error, orm: MikroORM | undefined): boolean {
  if (error instanceof DriverException || error instanceof OptimisticLockError || ownErrorIn(error) !== undefined) {
    return true
  }
  if ((error as { statusCode?: unknown }).statusCode !== undefined) return false
  if (isUnreachable(error)) return orm !== undefined && leadsTo(error, addressOf(orm))
  return isServerError(error) || isConnectionLost(error)
}

/**
 * Whether a socket error comes from the server's address. MikroORM passes on errors of opening a connection unchanged.
 */
function leadsTo (error: Error, address: Address): boolean {
  const { port, hostname, address: path, errors } = error as {
    port?: number,
    hostname?: string,
    address?: string,
    errors?: readonly Error[],
  }
  if (errors !== undefined) return errors.some((error) => leadsTo(error, address))
  if (address.host.startsWith('/')) return path?.startsWith(address.host) === true
  return port === address.port || (hostname !== undefined && hostname === address.host)
}

interface Address {
  readonly host: string
  readonly port: number
}

/** The server's address as pg gets it: from the driver's options, or else from MikroORM's. */
function addressOf (orm: MikroORM): Address {
  const options = orm.em.getConnection().getConnectionOptions()
  const { host, port } = { ...orm.config.get('driverOptions') as Partial<Record<keyof Address, unknown>> }
  return { host: String(host ?? options.host), port: Number(port ?? options.port) || 5432 }
}
