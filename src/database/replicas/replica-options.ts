/**
 * The option `replicas`: checks it, fills in defaults from the writer's URL, and returns the connections to open and
 * how to check them.
 */
import { ConfigError } from '../../base/errors.ts'
import { checkSchema, completed } from '../../base/option-checks.ts'
import type { ReplicaSettings } from '../../run/index.ts'
import type { DatabaseOptions } from '../database-options.ts'
import { parseDatabaseUrl, type DatabaseTarget, type PostgresqlTarget } from '../database-url.ts'
import { isSettings } from '../orm-options.ts'
import { ReplicaOptionsSchema } from './replica-schema.ts'

export interface Replicas {
  readonly targets: readonly PostgresqlTarget[]
  readonly settings: ReplicaSettings
}

/**
 * Reads the option `replicas`.
 *
 * @throws ConfigError for invalid values. It shows no password
 */
export function readReplicas (
  { replicas: given, ormOptions }: DatabaseOptions<boolean>,
  writer: DatabaseTarget
): Replicas | undefined {
  if (given === undefined) return undefined
  const options = Array.isArray(given) ? { urls: given } : given
  checkSchema('DatabaseFactory: replicas', ReplicaOptionsSchema, options)
  if (writer.driver === 'pglite') {
    throw new ConfigError('DatabaseFactory: replicas: PGlite has none. They belong to a postgresql:// URL')
  }
  if (!isSettings(ormOptions?.driverOptions)) {
    throw new ConfigError(
      'DatabaseFactory: replicas: ormOptions.driverOptions is a ready connection, which cannot be repeated for ' +
        'each replica'
    )
  }
  const { urls, maxLag, checkInterval, checkTimeout } = completed(ReplicaOptionsSchema, options)
  // a healthy replica's last check must not expire before the next one has ended
  if (maxLag !== false && maxLag < checkInterval + checkTimeout) {
    throw new ConfigError(
      `DatabaseFactory: replicas: maxLag is ${maxLag} ms, less than checkInterval + checkTimeout ` +
        `(${checkInterval + checkTimeout} ms): a replica would be left out between its checks`
    )
  }
  const targets = urls.map((url, index) => withDefaults(parse(url, `replicas[${index}]`), writer))
  const places = [place(writer), ...targets.map(place)]
  for (const [index, one] of places.entries()) {
    const first = places.indexOf(one)
    if (first !== index) {
      throw new ConfigError(
        `DatabaseFactory: replicas[${index - 1}] is ${
          first === 0 ? 'databaseUrl itself: a replica is another server' : `replicas[${first - 1}] again`
        }`
      )
    }
  }
  return { targets, settings: { labels: targets.map(({ label }) => label), maxLag, checkInterval, checkTimeout } }
}

function parse (url: string, name: string): PostgresqlTarget {
  const target = parseAs(url, name)
  if (target.driver === 'pglite') throw new ConfigError(`DatabaseFactory: ${name} must be a postgresql:// URL`)
  return target
}

/** @throws ConfigError that names the option that holds the URL, and never shows the URL itself */
function parseAs (url: string, name: string): DatabaseTarget {
  try {
    return parseDatabaseUrl(url)
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(error.message.replaceAll('databaseUrl', name)) : error
  }
}

/** Parameters that belong together: if a URL has one of a group, none of the group is taken from the writer's URL. */
const GROUPS: readonly (readonly string[])[] = [['user', 'password'], [
  'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat',
]]
/** The address of a server, which is never taken from the writer's URL. */
const OWN: ReadonlySet<string> = new Set(['host', 'port'])

/** A replica's target, with missing parameters taken from the writer's URL. */
function withDefaults (target: PostgresqlTarget, writer: PostgresqlTarget): PostgresqlTarget {
  const said = new Set(Object.keys(target.connection))
  const isTaken = (name: string): boolean => {
    const group = GROUPS.find((names) => names.includes(name)) ?? [name]
    return !OWN.has(name) && !group.some((other) => said.has(other))
  }
  const taken = Object.entries(writer.connection).filter(([name]) => isTaken(name))
  return {
    ...target,
    connection: { ...Object.fromEntries(taken), ...target.connection },
    connectionTimeoutMillis: target.connectionTimeoutMillis ?? writer.connectionTimeoutMillis,
  }
}

/** Identifies a database on a server, regardless of the other parameters of its URL. */
function place ({ connection, database }: PostgresqlTarget): string {
  return `${String(connection['host'] ?? 'localhost').toLowerCase()}:${String(connection['port'] ?? 5432)}/${database}`
}
