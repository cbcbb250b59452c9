/**
 * Parses database URLs: `postgresql://user@host:5432/name`, `pglite://folder`, `pglite://memory`. The result names the
 * driver and holds its connection settings. A `ConfigError`, which never shows a password, refuses other schemes, URLs
 * without a database, text that is not a URL, and parameters that pg would ignore, because `sslmod=require` must not
 * silently turn encryption off.
 */
import path from 'node:path'
import { parse } from 'pg-connection-string'
import { ConfigError } from '../base/errors.ts'
import { didYouMean, nearest } from '../base/suggest.ts'

export interface PostgresqlTarget {
  readonly driver: 'postgresql'
  readonly database: string
  readonly schema: string | undefined
  /** All other parts of the URL, for `pg`: host, user, TLS, `application_name` and so on. */
  readonly connection: Readonly<Record<string, unknown>>
  /** The URL's `connect_timeout`, converted to milliseconds. */
  readonly connectionTimeoutMillis: number | undefined
  /** The URL without credentials and parameters, for messages. */
  readonly label: string
}

interface PgliteTarget {
  readonly driver: 'pglite'
  /** Absolute path; absent in memory. */
  readonly folder: string | undefined
  readonly label: string
}

export type DatabaseTarget = PostgresqlTarget | PgliteTarget

const FORMS = 'postgresql://user:password@host:5432/name, pglite://folder, pglite://memory'
const SCHEMES = ['postgresql', 'postgres', 'pglite']
const ENCODING = 'Characters like @ : / # ? in a password are written as %40 %3A %2F %23 %3F'

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
/** Parameters of PostgreSQL URLs that have an effect, some with the values that they accept. */
const PARAMETERS: Readonly<Record<string, readonly string[] | RegExp | undefined>> = {
  host: undefined,
  port: /^\d+$/,
  user: undefined,
  password: undefined,
  schema: undefined,
  ssl: ['true', 'false', '1', '0', 'no-verify'],
  sslmode: SSL_MODES,
  sslcert: undefined,
  sslkey: undefined,
  sslrootcert: undefined,
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
  channel_binding: ['disable', 'prefer', 'require'],
  application_name: undefined,
  fallback_application_name: undefined,
  // pg supports no other encoding
  client_encoding: ['UTF8', 'utf8'],
  options: undefined,
  connect_timeout: /^\d+$/,
  statement_timeout: /^\d+$/,
  lock_timeout: /^\d+$/,
  idle_in_transaction_session_timeout: /^\d+$/,
}

/** @throws ConfigError for an invalid URL, with a suggestion */
export function parseDatabaseUrl (databaseUrl: string): DatabaseTarget {
  if (/\0|%00/.test(databaseUrl)) throw refused('databaseUrl holds a NUL character')
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(databaseUrl)?.[1]?.toLowerCase()
  if (scheme === 'postgresql' || scheme === 'postgres') return parsePostgresql(databaseUrl)
  if (scheme === 'pglite') return parsePglite(databaseUrl.slice('pglite://'.length))
  if (scheme === undefined) throw refused(`databaseUrl is not a URL. Write one of ${FORMS}`)
  const near = nearest(scheme, SCHEMES)
  const sentence = `databaseUrl has the scheme '${scheme}:', which is not supported`
  throw refused(`${didYouMean(sentence, near && `${near}:`)} Write one of ${FORMS}`)
}

const refused = (problem: string): ConfigError => new ConfigError(`DatabaseFactory: ${problem}`)

function parsePostgresql (databaseUrl: string): PostgresqlTarget {
  checkShape(databaseUrl)
  const { database, schema, connect_timeout: timeout, channel_binding: binding, ...rest } = parsed(databaseUrl)
  if (!database) throw refused(`databaseUrl names no database. Write one of ${FORMS}`)
  if (rest.host?.includes(',')) throw refused('databaseUrl names several hosts: pg connects to one')
  const connection: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && value !== null && value !== '')
  )
  // pg uses channel binding if the server offers it; it has no way to require it
  if (binding !== undefined && binding !== 'disable') connection['enableChannelBinding'] = true
  const port = rest.port ? `:${rest.port}` : ''
  return {
    driver: 'postgresql',
    database,
    schema: typeof schema === 'string' ? schema : undefined,
    connection,
    connectionTimeoutMillis: timeout === undefined ? undefined : Number(timeout) * 1000,
    label: `postgresql://${rest.host?.includes(':') ? `[${rest.host}]` : rest.host ?? ''}${port}/${database}`,
  }
}

type Parsed = ReturnType<typeof parse> & { connect_timeout?: string, channel_binding?: string }

function parsed (databaseUrl: string): Parsed {
  // pg 8 treats these modes as verify-full and warns that pg 9 will not, so write verify-full explicitly
  const strict = /[?&]uselibpqcompat=true/.test(databaseUrl)
    ? databaseUrl
    : databaseUrl.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
  try {
    // MikroORM would read only host, port, user, password and name, and drop parameters such as sslmode
    return parse(strict) as Parsed
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') {
      throw refused(`a certificate or key that databaseUrl names can't be read: ${message}`)
    }
    // the text of a URL that can't be parsed may contain a password
    const reason = error instanceof TypeError || error instanceof URIError
      ? `it is not a valid URL. ${ENCODING}`
      : message
    throw refused(`databaseUrl can't be read: ${reason}`)
  }
}

/**
 * Refuses URLs that parse, but not as intended: if a password contains an unescaped delimiter, its rest becomes part of
 * the path and messages would show it.
 */
function checkShape (databaseUrl: string): void {
  const [, , query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(databaseUrl) ?? []
  const location = databaseUrl.slice(databaseUrl.indexOf('://') + 3).split(/[?#]/)[0]!
  const [, ...names] = location.split('/')
  if (hash !== '' || query.includes('@') || names.join('/').includes('@') || names.length > 1) {
    throw refused(`databaseUrl can't be read: it has an unexpected @ / or #. ${ENCODING}`)
  }
  const seen = new Set<string>()
  for (const [name, value] of new URLSearchParams(query)) {
    checkParameter(name, value)
    if (seen.has(name)) throw refused(`databaseUrl has the parameter '${name}' twice`)
    seen.add(name)
  }
}

function checkParameter (name: string, value: string): void {
  if (!Object.hasOwn(PARAMETERS, name)) {
    // text that does not look like a parameter name may be part of a password
    const called = /^\w{1,40}$/.test(name) ? ` '${name}'` : ''
    const known = Object.keys(PARAMETERS)
    const sentence = `databaseUrl has a parameter${called} that has no effect here`
    throw refused(didYouMean(sentence, nearest(name, known), `Parameters: ${known.join(', ')}`))
  }
  const allowed = PARAMETERS[name]
  if (allowed === undefined || (allowed instanceof RegExp ? allowed.test(value) : allowed.includes(value))) return
  if (allowed instanceof RegExp) throw refused(`databaseUrl: ${name} must be a whole number`)
  throw refused(didYouMean(`databaseUrl: ${name} must be one of ${allowed.join(', ')}`, nearest(value, allowed)))
}

/**
 * Reads the path that follows `pglite://`, relative to the working directory or absolute. `memory` alone is not a path.
 */
function parsePglite (rest: string): PgliteTarget {
  if (rest === '') throw refused('databaseUrl names no folder. Write pglite://folder or pglite://memory')
  const [, query] = rest.split(/\?(.*)/s)
  if (query !== undefined) {
    const names = [...new URLSearchParams(query).keys()].filter((name) => /^\w{1,40}$/.test(name)).map((name) =>
      `'${name}'`
    )
    const what = names.length === 0
      ? "a '?', and PGlite takes no parameters"
      : `the parameter${names.length > 1 ? 's' : ''} ${names.join(', ')}, and PGlite takes none`
    throw refused(`databaseUrl has ${what}. Write pglite://folder or pglite://memory`)
  }
  if (rest === 'memory') return { driver: 'pglite', folder: undefined, label: 'pglite://memory' }
  if (rest === ':memory:' || rest === 'memory/') throw refused('a database in memory is pglite://memory')
  return { driver: 'pglite', folder: path.resolve(rest), label: `pglite://${rest}` }
}
