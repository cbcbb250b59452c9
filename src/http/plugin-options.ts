/** The options of `crudKit` and the plugins in it, as TypeBox schemas, and the check against them at registration. */
import { Type } from '@sinclair/typebox'
import type { RegisterOptions } from 'fastify'
import { ConfigError } from '../base/errors.ts'
import { checkSchema, shown, unknownOption } from '../base/option-checks.ts'
import { nearest } from '../base/suggest.ts'
import { MAX_MILLIS } from './route-options.ts'

const closed = { additionalProperties: false }

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
