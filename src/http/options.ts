/** The options of the plugins, as TypeBox schemas, and the check against them at registration. */
import { Type } from '@sinclair/typebox'
import type { RegisterOptions } from 'fastify'
import { OPERATIONS, type CrudOperation } from '../config/index.ts'
import { ConfigError } from '../base/errors.ts'
import { checkSchema, shown, unknownOption } from '../base/option-checks.ts'
import { nearest } from '../base/suggest.ts'

export { OPERATIONS, type CrudOperation }

/** All operations except createMany, which has to be enabled. */
export const DEFAULT_OPERATIONS: readonly CrudOperation[] = OPERATIONS.filter((operation) => operation !== 'createMany')

/** The default maximum number of records in one batch. */
export const DEFAULT_MAX_BATCH = 1_000

/** The default limits of streams, in milliseconds. */
export const DEFAULT_STREAM = {
  stallTimeoutMillis: 30_000,
  timeoutMillis: 3_600_000,
  closeTimeoutMillis: 10_000,
} as const

/** The media types of streams. */
export const STREAM_TYPES = ['application/x-ndjson', 'text/csv'] as const

const Func = Type.Unsafe<(...args: never[]) => unknown>(Type.Function([], Type.Any()))
const closed = { additionalProperties: false }

/** Fastify's hooks of a route. Other names are refused, since their hooks would never run. */
const HOOKS = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onResponse',
  'onTimeout',
  'onError',
  'onRequestAbort',
]
const HooksSchema = Type.Optional(
  Type.Object(Object.fromEntries(HOOKS.map((name) => [name, Type.Optional(Type.Any())])), closed)
)

/** The maximum of a timer in Node.js, and of a statement timeout in PostgreSQL. */
const MAX_MILLIS = 2 ** 31 - 1

const StreamOptionsSchema = Type.Object({
  stallTimeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_MILLIS,
      default: DEFAULT_STREAM.stallTimeoutMillis,
      description: 'How long a client may read nothing before it is disconnected.',
    })
  ),
  timeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MILLIS,
      default: DEFAULT_STREAM.timeoutMillis,
      description: 'How long a stream may take as a whole; 0 for no limit.',
    })
  ),
  closeTimeoutMillis: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MILLIS,
      default: DEFAULT_STREAM.closeTimeoutMillis,
      description: 'How long open streams may go on when the server closes.',
    })
  ),
  csv: Type.Optional(Type.Object({
    escapeFormulas: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Puts an apostrophe before texts that a spreadsheet would take for a formula.',
      })
    ),
  }, closed)),
}, closed)

/** The options of `crudRoutes`, without `crud` and Fastify's `prefix`. */
export const ResourceOptionsSchema = Type.Object({
  operations: Type.Optional(Type.Array(Type.Union(OPERATIONS.map((name) => Type.Literal(name))), {
    minItems: 1,
    uniqueItems: true,
    description: 'The routes to make. Default: all but createMany.',
  })),
  scope: Type.Optional(Func),
  hooks: Type.Optional(Type.Object({
    all: HooksSchema,
    ...Object.fromEntries(OPERATIONS.map((name) => [name, HooksSchema])),
  }, { ...closed, description: "Fastify's route hooks, for all operations or for one." })),
  config: Type.Optional(Type.Object({}, { description: "Merged into the routes' `config`." })),
  schemas: Type.Optional(
    Type.Object(Object.fromEntries(OPERATIONS.map((name) => [name, Type.Optional(Type.Object({}))])), {
      ...closed,
      description: "Parts of the routes' schemas to replace, by operation.",
    })
  ),
  maxBatch: Type.Optional(
    Type.Integer({ minimum: 1, default: DEFAULT_MAX_BATCH, description: 'Records that one request may create.' })
  ),
  allowHardDelete: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Lets DELETE /:id?hard=true remove rows that could be marked as deleted.',
    })
  ),
  requireIfMatch: Type.Optional(
    Type.Boolean({ default: false, description: 'Refuses PUT, PATCH and DELETE without If-Match.' })
  ),
  readonlyProperties: Type.Optional(Type.Union([Type.Literal('refuse'), Type.Literal('ignore')], {
    default: 'refuse',
    description: 'Whether to refuse or ignore properties in a body that clients may read but not write.',
  })),
  unknownParameters: Type.Optional(Type.Union([Type.Literal('refuse'), Type.Literal('ignore')], {
    default: 'refuse',
    description: "Whether to refuse or ignore parameters that neither the query language nor a route's own schema has.",
  })),
  transaction: Type.Optional(
    Type.Unknown({
      description:
        'true, or options of a transaction, for all operations or by operation: runs the work of a request in one.',
    })
  ),
  stream: Type.Optional(Type.Union([Type.Boolean(), StreamOptionsSchema], {
    default: false,
    description: 'Lets lists be streamed as NDJSON or CSV.',
  })),
  serverTiming: Type.Optional(
    Type.Boolean({ description: "Sends how long the stages of a request took, as Server-Timing. Default: crudKit's." })
  ),
  name: Type.Optional(
    Type.String({ minLength: 1, description: "Name of the resource in documentation. Default: its table's." })
  ),
}, closed)

/** The options of `crudKit`. */
export const CrudKitOptionsSchema = Type.Object({
  orm: Type.Optional(Type.Any({ description: 'An open MikroORM, to be closed by its owner.' })),
  database: Type.Optional(
    Type.Any({ description: 'A DatabaseFactory or its options: opened and closed with the server.' })
  ),
  statementTimeoutMillis: Type.Optional(Type.Integer({
    minimum: 1,
    maximum: MAX_MILLIS,
    description: "Time after which the server ends a statement of the orm that is given. Default: the server's own.",
  })),
  resources: Type.Optional(Type.Record(Type.String({ pattern: '^/' }), Type.Any(), {
    ...closed,
    description: 'Resources by prefix: a CrudBase, or { crud, ...options }.',
  })),
  access: Type.Optional(
    Type.Any({ description: 'What each role may do with rows, properties and operations of entities.' })
  ),
  shared: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Names of entities whose rows all clients may use. There is no warning that they have no guard.',
    })
  ),
  serverTiming: Type.Optional(
    Type.Boolean({ default: false, description: 'Sends how long the stages of a request took, as Server-Timing.' })
  ),
  indexAdvice: Type.Optional(
    Type.Boolean({ default: true, description: 'Warns of filters, sorts and includes that no index serves.' })
  ),
}, closed)

/**
 * Checks the options of crudKit.
 *
 * @throws {ConfigError} for the first option that is unknown, with the nearest name, or that has the wrong type
 */
export function checkKitOptions (options: unknown): void {
  checkSchema('crudKit', CrudKitOptionsSchema, options, {
    say: (path, value) => {
      if (path === 'resources') {
        return "'resources' must be an object with a resource for each prefix, such as " +
          `{ '/books': new CrudBase({ model: Book }) }, got ${shown(value)}.`
      }
      const prefix = /^resources\.(.+)$/.exec(path)?.[1]
      return prefix && `'${prefix}' in 'resources' must be a prefix that starts with a slash: '/${prefix}'.`
    },
  })
}

const { resources, ...shared } = CrudKitOptionsSchema.properties
const SharedOptionsSchema = Type.Object(shared, closed)

/**
 * Checks the options of one of the plugins that crudKit registers. All of them accept the options of all others, since
 * @fastify/autoload passes the same options to every plugin of a folder.
 *
 * @param own the names of the options that the plugin itself uses
 * @throws {ConfigError} as `checkKitOptions` does
 */
export function checkPluginOptions (what: string, options: object, own: readonly (keyof typeof shared)[] = []): void {
  const { prefix, logLevel, logSerializers, ...given } = options as RegisterOptions
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(shared, name))
  if (unknown !== undefined) {
    const all = Object.keys(shared)
    throw new ConfigError(`${what}: ${unknownOption(unknown, nearest(unknown, all) === undefined ? own : all)}`)
  }
  checkSchema(what, SharedOptionsSchema, given)
}

/**
 * Refuses a plugin whose work has been done already, since Fastify would name a symbol, or only a decorator.
 *
 * @param added what the plugin adds, as the subject of a sentence
 * @throws {ConfigError} if it exists
 */
export function refuseSecond (what: string, added: string, exists: boolean): void {
  if (!exists) return
  throw new ConfigError(
    `${what}: ${added} exists already. Register the plugin once, or register only crudKit, which contains it.`
  )
}
