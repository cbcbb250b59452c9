/** Errors of the database that did not pass through this package: of MikroORM's own methods, and of pg. */
import { DriverException, OptimisticLockError } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/postgresql'
import { UnavailableError } from '../errors.ts'
import { convertError, isConnectionLost, isReadOnlyServer, isUnreachable, ownErrorIn } from './convert-error.ts'
import { isServerError } from './held-connection.ts'

/**
 * What an error of the database means to a client: one of this package's errors, with the given one as its `cause` and
 * none of its words. MikroORM's constraint violations become a `ConflictError` (409) or `DataValidationError` (400), its optimistic locks a
 * `PreconditionFailedError` (412), lost connections, timeouts and full pools an `UnavailableError` (503), and what is left, such as a
 * mistake in SQL, a 500 that shows nothing of it.
 *
 * Routes without an error handler of the application's own have it applied to what they throw.
 *
 * @param orm whose server is meant: errors of sockets are only the database's if they lead there. Default: they are nobody's
 * @returns the error as it is, if it is none of the database's
 * @example
 * app.setErrorHandler((error, request, reply) => {
 *   if (error instanceof UniqueConstraintViolationException) return reply.code(409).send({ title: 'There is one already.' })
 *   return reply.send(toCrudError(error, app.orm))
 * })
 */
export function toCrudError<Thrown> (error: Thrown, orm?: MikroORM): Thrown | Error {
  if (!(error instanceof Error) || !isDatabaseError(error, orm)) return error
  // in a transaction that was declared read-only it would be one of ours already
  if (isReadOnlyServer(error)) return new UnavailableError(undefined, { cause: error })
  return convertError(error)
}

function isDatabaseError (error: Error, orm: MikroORM | undefined): boolean {
  if (error instanceof DriverException || error instanceof OptimisticLockError || ownErrorIn(error) !== undefined) {
    return true
  }
  if ((error as { statusCode?: unknown }).statusCode !== undefined) return false
  if (isUnreachable(error)) return orm !== undefined && leadsTo(error, addressOf(orm))
  return isServerError(error) || isConnectionLost(error)
}

/** MikroORM hands on as they are the errors of connections that its transactions begin on. */
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

/** Where the server is, as pg has been told: in the driver's options, or else in MikroORM's. */
function addressOf (orm: MikroORM): Address {
  const options = orm.em.getConnection().getConnectionOptions()
  const { host, port } = { ...orm.config.get('driverOptions') as Partial<Record<keyof Address, unknown>> }
  return { host: String(host ?? options.host), port: Number(port ?? options.port) || 5432 }
}
