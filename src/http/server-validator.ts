/** The validator of a server, which compiles the application's own schemas. */
import type { FastifyInstance } from 'fastify'
import { validatorCompilerOf } from '../borrowed/fastify.ts'
import { isObject } from '../base/is-object.ts'
import type { CompileOwn } from './routes/validation.ts'

/** Compiles schemas as Fastify does for a route of the instance. */
export function compileWith (fastify: FastifyInstance): CompileOwn {
  return (schema, httpPart, method, url) => {
    const { compile, isCustom } = validatorCompilerOf(fastify)
    const read = httpPart === 'headers' && !isCustom ? lowerCase(schema) : schema
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
