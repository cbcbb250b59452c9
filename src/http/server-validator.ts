/** The validator of a server, which compiles the application's own schemas. */
import type { FastifyInstance } from 'fastify'
import { ConfigError } from '../errors.ts'
import { isObject } from '../model/index.ts'
import type { CompileOwn } from './routes/validation.ts'
import { serverPart } from './server-parts.ts'

/**
 * Fastify builds its default validator when it prepares the first route without a `validatorCompiler`. It has no public
 * way to ask for the validator before that, so these are the private names of its parts.
 */
const CONTROLLER = 'fastify.schemaController'
const OPTIONS = 'fastify.options'

interface Controller {
  readonly setupValidator: (options: unknown) => void
  readonly isCustomValidatorCompiler?: boolean
}

/** Compiles schemas as Fastify does for a route of the instance. */
export function compileWith (fastify: FastifyInstance): CompileOwn {
  return (schema, httpPart, method, url) => {
    const controller = serverPart(fastify, CONTROLLER) as Controller | undefined
    if (typeof controller?.setupValidator === 'function') controller.setupValidator(serverPart(fastify, OPTIONS))
    const compile = fastify.validatorCompiler
    if (compile === undefined) {
      throw new ConfigError(
        `This version of Fastify has no validator for ${method} ${url}: set one with setValidatorCompiler, or leave ` +
          "the schemas of requests out of 'schemas'."
      )
    }
    const read = httpPart === 'headers' && controller?.isCustomValidatorCompiler !== true ? lowerCase(schema) : schema
    return compile({ schema: read as never, httpPart, method, url }) as ReturnType<CompileOwn>
  }
}

/** A schema of headers with the names in lower case, as Node.js writes them. */
function lowerCase (schema: object): object {
  const { properties, required, ...rest } = schema as { readonly properties?: unknown, readonly required?: unknown }
  const lower = (name: string): string => name.toLowerCase()
  return {
    ...rest,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [lower(name), value])),
    }),
    ...(Array.isArray(required) && { required: required.map(String).map(lower) }),
  }
}
