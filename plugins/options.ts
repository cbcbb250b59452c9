/** The options of the plugins, as TypeBox schemas, and the check against them at registration. */
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { ConfigError } from '../src/errors.ts'
import { nearest } from '../src/suggest.ts'

/** What a resource can do, in the order in which its routes are made. */
export const OPERATIONS = ['list', 'get'] as const
export type CrudOperation = typeof OPERATIONS[number]

const Func = Type.Unsafe<(...args: never[]) => unknown>(Type.Function([], Type.Any()))
const closed = { additionalProperties: false }

/** What `crudRoutes` takes beside `crud` and Fastify's own `prefix`. */
export const ResourceOptionsSchema = Type.Object({
  operations: Type.Optional(Type.Array(Type.Union(OPERATIONS.map((name) => Type.Literal(name))), {
    minItems: 1, uniqueItems: true, description: 'The routes to make. Default: all.',
  })),
  scope: Type.Optional(Func),
  hooks: Type.Optional(Type.Object({
    all: Type.Optional(Type.Object({})),
    ...Object.fromEntries(OPERATIONS.map((name) => [name, Type.Optional(Type.Object({}))])),
  }, { ...closed, description: "Fastify's route hooks, for all operations or for one." })),
  config: Type.Optional(Type.Object({}, { description: "Merged into the routes' `config`." })),
  schemas: Type.Optional(Type.Object(Object.fromEntries(OPERATIONS.map((name) => [name, Type.Optional(Type.Object({}))])), {
    ...closed, description: "Parts of the routes' schemas to replace, by operation.",
  })),
  name: Type.Optional(Type.String({ minLength: 1, description: "Name of the resource in documentation. Default: its table's." })),
}, closed)

/** What `crudKit` takes. */
export const CrudKitOptionsSchema = Type.Object({
  orm: Type.Optional(Type.Any({ description: 'An open MikroORM, to be closed by its owner.' })),
  database: Type.Optional(Type.Any({ description: 'A DatabaseFactory or its options: opened and closed with the server.' })),
  resources: Type.Optional(Type.Record(Type.String({ pattern: '^/' }), Type.Any(), {
    description: 'Resources by prefix: a CrudBase, or { crud, ...options }.',
  })),
}, closed)

/**
 * Checks options against their schema.
 *
 * @throws {ConfigError} for the first one that is unknown, with the nearest name, or of the wrong type
 */
export function checkOptions<Schema extends TSchema> (what: string, schema: Schema, options: unknown): asserts options is Static<Schema> {
  const [error] = Value.Errors(schema, options)
  if (error === undefined) return
  const path = error.path.slice(1).replaceAll('~1', '/').split('/')
  const name = path.at(-1) ?? ''
  const known = Object.keys(schema.properties as object ?? {})
  if (error.message === 'Unexpected property') {
    const suggestion = nearest(name, known)
    throw new ConfigError(`${what}: there is no option '${name}'. ${suggestion === undefined ? `Options: ${known.join(', ')}.` : `Did you mean '${suggestion}'?`}`)
  }
  throw new ConfigError(`${what}: ${error.path === '' ? 'the options' : `'${path.join('.')}'`} can't be ${show(error.value)}: ${error.message.toLowerCase()}.`)
}

const show = (value: unknown): string => typeof value === 'function' ? 'a function' : JSON.stringify(value) ?? String(value)
