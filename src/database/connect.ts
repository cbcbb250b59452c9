/** Makes the first connection, and turns a refusal into an error that says what to correct. */
import type { MikroORM } from '@mikro-orm/postgresql'
import { ConfigError, UnavailableError } from '../base/errors.ts'
import type { DatabaseTarget } from './database-url.ts'

/**
 * Connects, so that an unreachable database is reported at start-up.
 *
 * @throws {ConfigError} when the server answers but refuses this URL, so that waiting would not help
 * @throws {UnavailableError} when the server can't be reached
 */
export async function connect (engine: MikroORM, { label }: DatabaseTarget): Promise<void> {
  try {
    await engine.connect()
    const { ok, error } = await engine.checkConnection() as { ok: boolean, error?: Error }
    if (!ok) throw error
  } catch (cause) {
    const { code, message } = cause as { code?: unknown, message: string }
    const mistake = REFUSALS.find(({ codes, text }) =>
      codes?.includes(String(code)) === true || text?.test(message) === true
    )
    if (mistake !== undefined) throw new ConfigError(`DatabaseFactory: ${label}${mistake.sentence(message)}`, { cause })
    throw new UnavailableError(`${label} can't be reached: ${message}`, { cause })
  }
}

/** Whether a server, or a pooler in front of it, refuses statement_timeout as a setting of a new connection. */
export function refusesTimeout (error: unknown): boolean {
  const { cause } = error as { cause?: { message?: string } }
  return /^unsupported startup parameter\b.*\bstatement_timeout\b/.test(cause?.message ?? '')
}

interface Refusal {
  /** SQLSTATEs. */
  readonly codes?: readonly string[]
  /** Matches messages of pg or of a pooler that come without a SQLSTATE. */
  readonly text?: RegExp
  readonly sentence: (message: string) => string
}

const LOGIN =
  'Check user and password in databaseUrl (characters like @ : / # ? in a password are written as %40 %3A %2F %23 ' +
  "%3F), and the server's pg_hba.conf"

const REFUSALS: readonly Refusal[] = [
  {
    text: /password must be a (non-empty )?string/,
    sentence: () => ` asks for a password, and databaseUrl has none. ${LOGIN}`,
  },
  {
    codes: ['28000', '28P01'],
    text: /password authentication failed/,
    sentence: (message) => ` refuses the login: ${message}. ${LOGIN}`,
  },
  {
    text: /^unsupported startup parameter/,
    sentence: (message) => {
      const name = /: (\w+)/.exec(message)?.[1] ?? 'such setting'
      return ` takes no ${name} when connecting, as PgBouncer does. Leave ${
        name === 'statement_timeout'
          ? 'statementTimeoutMillis, or statement_timeout in databaseUrl,'
          : `${name} in databaseUrl`
      } out, and set it for the role: alter role ... set ...`
    },
  },
  {
    text: /^The server does not support SSL connections/,
    sentence: () =>
      ' offers no TLS, which sslmode in databaseUrl demands. Turn it on in the server, or check host and port; ' +
      'sslmode=disable connects without TLS, which is safe only on a trusted network',
  },
  // unknown setting, invalid value, a setting that a connection can't change, unreadable option
  {
    codes: ['42704', '22023', '55P02', '42601'],
    sentence: (message) =>
      ` refuses a setting: ${message}. Check options and the other parameters of databaseUrl, and driverOptions`,
  },
  // PgBouncer uses one SQLSTATE for everything that it refuses, so its message is also matched
  {
    codes: ['3D000'],
    text: /^(no such database|database ".*" does not exist)/,
    sentence: (message) => `: ${message}. Create it, or correct its name in databaseUrl: opening does not create it`,
  },
  {
    codes: ['42501'],
    sentence: (message) => ` refuses the login: ${message}. Grant it to the user of databaseUrl, or check the user`,
  },
]
