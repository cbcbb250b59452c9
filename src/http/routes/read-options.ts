/** The options that a route gives to the methods of `CrudBase`: its scope, and the request for overridden methods. */
import type { FastifyRequest } from 'fastify'
import type { CrudReadOptions } from '../../crud/index.ts'
import type { CrudRoutesOptions } from '../route-options.ts'

export interface ReadOptions {
  /** The options of a request. They are a promise only if there is a scope to wait for. */
  readonly of: (request: FastifyRequest) => CrudReadOptions | Promise<CrudReadOptions>
  /** Calls an operation with these options. Without a scope, the operation makes the only promise. */
  readonly calling: <Answer>(
    request: FastifyRequest,
    operation: (options: CrudReadOptions) => Promise<Answer>
  ) => Promise<Answer>
}

export function readOptionsOf ({ scope: scopeOf }: Pick<CrudRoutesOptions, 'scope'>): ReadOptions {
  const scoped = async (request: FastifyRequest, scopeOf: NonNullable<CrudRoutesOptions['scope']>) => {
    const scope: unknown = await scopeOf(request)
    return { scope: scope as never, context: { request } }
  }
  const of = (request: FastifyRequest) => scopeOf === undefined ? { context: { request } } : scoped(request, scopeOf)
  return {
    of,
    calling: (request, operation) => {
      const options = of(request)
      return options instanceof Promise ? options.then(operation) : operation(options)
    },
  }
}
