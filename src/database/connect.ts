/** The first connection: whether the database is there, or what has to be mended so that it can be. */
import type { MikroORM } from '@mikro-orm/postgresql'
import { ConfigError, UnavailableError } from '../errors.ts'
import type { DatabaseTarget } from './database-url.ts'

/**
 * Connects, so that a database that isn't there is known at start-up.
 *
 * @throws {ConfigError} when the server is there and lets nobody in by this URL: waiting would not help
 * @throws {UnavailableError} when it can't be reached
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
  /** What pg or a pooler says without one of its own. */
  readonly text?: RegExp
  readonly sentence: (message: string) => string
}

const LOGIN =
  "Check user and password in databaseUrl (characters like @ : / # ? in a password are written as %40 %3A %2F %23 %3F), and the server's pg_hba.conf"

const REFUSALS: readonly Refusal[] = [
  {
    text: /password must be a (non-empty )?string/,
    sentence: () => ` asks for a password, and there is none. ${LOGIN}`,
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
      ' offers no TLS, which sslmode in databaseUrl demands. Turn it on in the server, or check host and port; sslmode=disable connects without, where the network can be trusted',
  },
  // unknown, a value that it can't have, one that a connection can't set, and an option that can't be read
  {
    codes: ['42704', '22023', '55P02', '42601'],
    sentence: (message) =>
      ` refuses a setting: ${message}. Check options and the other parameters of databaseUrl, and driverOptions`,
  },
  // a pooler has a code of its own for all that it refuses
  {
    codes: ['3D000'],
    text: /^(no such database|database ".*" does not exist)/,
    sentence: (message) => `: ${message}. Create it, or mend its name in databaseUrl: it is not made by opening it`,
  },
  {
    codes: ['42501'],
    sentence: (message) => ` refuses the login: ${message}. Grant it to the user of databaseUrl, or check the user`,
  },
]
