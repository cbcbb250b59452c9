/** Decides which routes of a resource do their work in a transaction, and with which options. */
import type { FastifyRequest } from 'fastify'
import { checkTransactionOptions, TransactionOptionsSchema, withTransaction } from '../../database/index.ts'
import { factsOf } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { runAround } from '../../run/index.ts'
import { didYouMean, nearest } from '../../base/suggest.ts'
import { OPERATIONS, type CrudOperation, type RouteTransaction, type RouteTransactions } from '../route-options.ts'
import { switchEm } from '../em-of-request.ts'

/** Runs the part of a handler that uses the database. In a transaction, `request.em` is the transaction's. */
type Within = <Result>(request: FastifyRequest, work: () => Promise<Result>) => Promise<Result>

const plain: Within = (request, work) => work()

/**
 * Functions that run the work of each operation, with or without a transaction.
 *
 * @param always whether operations use a transaction even if the option does not say so
 * @throws {ConfigError} for options of transactions that are invalid
 */
export function routeTransactions (
  what: string,
  given: RouteTransactions | undefined,
  always = false
): Readonly<Record<CrudOperation, Within>> {
  const byOperation = readTransactions(what, given)
  return Object.fromEntries(
    OPERATIONS.map((operation) => {
      const transaction = byOperation[operation] || always
      return [operation, withinOf(`${what}: transaction`, operation, transaction)]
    })
  ) as Record<CrudOperation, Within>
}

function readTransactions (
  what: string,
  given: RouteTransactions | undefined
): { readonly [Operation in CrudOperation]?: RouteTransaction | undefined } {
  if (given === undefined || given === false) return {}
  const all = () => Object.fromEntries(OPERATIONS.map((operation) => [operation, given as RouteTransaction]))
  if (given === true) return all()
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigError(`${what}: 'transaction' is true, options of a transaction, or either of them by operation.`)
  }
  const names = Object.keys(given)
  const isOperation = (name: string): boolean => (OPERATIONS as readonly string[]).includes(name)
  if (!names.some(isOperation)) return all()
  const wrong = names.find((name) => !isOperation(name))
  if (wrong === undefined) return given as { readonly [Operation in CrudOperation]?: RouteTransaction }
  if (wrong in TransactionOptionsSchema.properties) {
    throw new ConfigError(
      `${what}: 'transaction' has options either for all operations or by operation, ` +
        `but it contains both '${wrong}' and '${names.find(isOperation)}'.`
    )
  }
  const sentence = `${what}: there is no operation '${wrong}' in 'transaction'`
  throw new ConfigError(didYouMean(sentence, nearest(wrong, OPERATIONS), `It has: ${OPERATIONS.join(', ')}.`))
}

function withinOf (what: string, operation: CrudOperation, given: RouteTransaction | undefined): Within {
  if (given === undefined || given === false) return plain
  const reads = !factsOf(operation).writes
  if (given !== true) checkTransactionOptions(`${what}.${operation}`, given)
  if (given !== true && given.readOnly === true && !reads) {
    throw new ConfigError(`${what}.${operation}: an operation that writes can't be readOnly.`)
  }
  const wrapper = withTransaction({ ...(reads && { readOnly: true }), ...(given !== true && given) })
  return async (request, work) =>
    await runAround((inside) => wrapper(async (em) => await switchEm(request, em, inside))(request.em), work)
}
