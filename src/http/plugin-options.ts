/** The options of `crudKit` and of the plugins in it, and the check of them at registration. */
import type { MikroORM } from '@mikro-orm/postgresql'
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import type { RegisterOptions } from 'fastify'
import type { PluginMetadata } from 'fastify-plugin'
import type { AccessOptions } from '../access/index.ts'
import { ConfigError } from '../base/errors.ts'
import { checkSchema, closed, refusedAs, shown, unknownOption, withDefault } from '../base/option-checks.ts'
import { nearest } from '../base/suggest.ts'
import type { DatabaseFactory, DatabaseOptions } from '../database/index.ts'
import { MAX_MILLIS } from './route-options.ts'
import type { ResourceEntry } from './routes/check-types.ts'

/** The resources of `crudKit`: a record of which the schema shows only the form of the prefixes. */
const Resources = refusedAs(
  Type.Unsafe<Readonly<Record<string, ResourceEntry>>>(
    Type.Record(Type.String({ pattern: '^/' }), Type.Any(), closed)
  ),
  (value, place) => {
    if (place === 'resources') {
      return "'resources' must be an object with a resource for each prefix, such as " +
        `{ '/books': new CrudBase({ model: Book }) }, got ${shown(value)}.`
    }
    const prefix = place.slice('resources.'.length)
    return `'${prefix}' in 'resources' must be a prefix that starts with a slash: '/${prefix}'.`
  }
)

/** The options of `crudKit`. */
export const CrudKitOptionsSchema = Type.Object({
  /** An open MikroORM. Its owner closes it. */
  orm: Type.Optional(Type.Unsafe<MikroORM>(Type.Any())),
  /**
   * A database to open now and to close with the server. A shared factory is closed with the last server that uses it.
   */
  database: Type.Optional(Type.Unsafe<DatabaseFactory | DatabaseOptions>(Type.Any())),
  /**
   * Milliseconds after which PostgreSQL ends a statement on connections of `orm`. Default: the setting of the
   * PostgreSQL server. With `database`, the option is part of `database`.
   */
  statementTimeoutMillis: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MILLIS })),
  /** Resources by prefix. */
  resources: Type.Optional(Resources),
  /**
   * What each role may do: the rows, properties and operations of entities, wherever they are used. A role or an entity
   * that is not named is refused. Default: resources are limited by their whitelists and scopes only.
   */
  access: Type.Optional(Type.Unsafe<AccessOptions>(Type.Any())),
  /**
   * Names of entities whose rows all clients may use. The server warns of other entities that a resource with a scope
   * leads to, if no MikroORM filter guards them, and of rules of `access` that lack `rows`.
   */
  shared: Type.Optional(Type.Unsafe<readonly string[]>(Type.Array(Type.String()))),
  /**
   * Send the duration of a request's stages `parse`, `plan`, `compile` and `run` in milliseconds, in the header
   * Server-Timing. These times reveal something about the data to clients. Resources can override the option. Default:
   * false.
   */
  serverTiming: withDefault(Type.Boolean(), false),
  /**
   * When the server listens, log a warning with all missing indexes that filters, sorts or includes would use, and the
   * statements that create them. Default: true.
   */
  indexAdvice: withDefault(Type.Boolean(), true),
}, closed)

/** The options of `crudKit`, by name. */
export type KitOptions = Readonly<Static<typeof CrudKitOptionsSchema>>

/**
 * Checks the options of crudKit.
 *
 * @throws {ConfigError} for the first option that is unknown, with the nearest name, or that has the wrong type
 */
export function checkKitOptions (options: unknown): void {
  checkSchema('crudKit', CrudKitOptionsSchema, options)
}

const OuterPrefix = refusedAs(
  Type.String({ pattern: '^/.*[^/]$' }),
  (value) => `'prefix' must start with a slash and end without one, such as '/v1', got ${shown(value)}.`
)
const ResourcesOptionsSchema = Type.Object({ resources: Resources, prefix: Type.Optional(OuterPrefix) }, closed)

/**
 * Checks the options of crudRoutes for several resources.
 *
 * @throws {ConfigError} as `checkKitOptions` does
 */
export function checkResourcesOptions (options: unknown): void {
  checkSchema('crudRoutes', ResourcesOptionsSchema, options)
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

/** The name of a plugin, and the versions of Fastify that it supports. */
export const metaOf = (name: string): PluginMetadata => ({ name, fastify: '>=5.8 <7' })

/** The same for a plugin that needs the database of the server. */
export const metaOnDatabase = (name: string): PluginMetadata => ({
  ...metaOf(name),
  dependencies: ['fastify-crud-kit/database'],
  decorators: { fastify: ['orm'] },
})
