/**
 * Database URLs. In: `postgresql://user@host:5432/name`, `pglite://folder`, `pglite://memory`. Out: which driver, and
 * what it needs to know. Refused with a `ConfigError` that never shows a password: another scheme, a URL without a
 * database, text that is no URL.
 */
import path from 'node:path'
import { parse } from 'pg-connection-string'
import { ConfigError } from '../errors.ts'

export interface PostgresqlTarget {
  readonly driver: 'postgresql'
  readonly url: string
  readonly database: string
  /** Everything else that the URL says, for `pg`: host, user, `sslmode`, `application_name` and so on. */
  readonly connection: Readonly<Record<string, unknown>>
  /** The URL without credentials and parameters, for messages. */
  readonly label: string
}

export interface PgliteTarget {
  readonly driver: 'pglite'
  /** Absolute path; absent in memory. */
  readonly folder: string | undefined
  readonly label: string
}

export type DatabaseTarget = PostgresqlTarget | PgliteTarget

const FORMS = 'postgresql://user:password@host:5432/name, pglite://folder, pglite://memory'

export function parseDatabaseUrl (databaseUrl: string): DatabaseTarget {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(databaseUrl)?.[1]?.toLowerCase()
  if (scheme === 'postgresql' || scheme === 'postgres') return parsePostgresql(databaseUrl)
  if (scheme === 'pglite') return parsePglite(databaseUrl.slice('pglite://'.length))
  const problem = scheme === undefined ? 'databaseUrl is not a URL' : `databaseUrl has the scheme '${scheme}:', which is not supported`
  throw new ConfigError(`DatabaseFactory: ${problem}. Write one of ${FORMS}`)
}

function parsePostgresql (url: string): PostgresqlTarget {
  let parsed: ReturnType<typeof parse>
  try {
    // MikroORM reads host, port, user, password and name of a URL, and drops its parameters: sslmode is one of them
    parsed = parse(url)
  } catch (error) {
    // a URL that can't be parsed may hold a password anywhere
    const reason = error instanceof TypeError ? 'it is not a valid URL' : (error as Error).message
    throw new ConfigError(`DatabaseFactory: databaseUrl can't be read: ${reason}. Characters like @ : / # in a password are written as %40 %3A %2F %23`)
  }
  const { database, schema, ...rest } = parsed
  if (!database) throw new ConfigError(`DatabaseFactory: databaseUrl names no database. Write one of ${FORMS}`)
  const connection = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== null && value !== ''))
  const port = parsed.port ? `:${parsed.port}` : ''
  return { driver: 'postgresql', url, database, connection, label: `postgresql://${parsed.host ?? ''}${port}/${database}` }
}

/** What follows `pglite://` is a path, relative to the working directory or absolute; the word `memory` alone is none. */
function parsePglite (rest: string): PgliteTarget {
  if (rest === '') throw new ConfigError('DatabaseFactory: databaseUrl names no folder. Write pglite://folder or pglite://memory')
  if (rest === 'memory') return { driver: 'pglite', folder: undefined, label: 'pglite://memory' }
  return { driver: 'pglite', folder: path.resolve(rest), label: `pglite://${rest}` }
}
