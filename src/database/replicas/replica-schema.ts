/** The form of the option `replicas`. */
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { closed, refusedAs, secret, shown, withDefault } from '../../base/option-checks.ts'

// a URL may hold a password, and the value of an unset environment variable does not
const Url = secret(Type.String({ minLength: 1 }), (value) => typeof value === 'string' && value !== '')
const Interval = Type.Integer({ minimum: 10 })

export const ReplicaOptionsSchema = refusedAs(
  Type.Object({
    /**
     * postgresql:// URLs of hot standbys of the database. User, password, TLS and other parameters that they leave out
     * are taken from `databaseUrl`.
     */
    urls: Type.Array(Url, { minItems: 1 }),
    /**
     * Maximum lag in milliseconds of a replica that is read from. `false` turns measuring off, and every server that
     * answers is used. Default: 10 000.
     */
    maxLag: withDefault(
      refusedAs(
        Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(false)]),
        (value) => `maxLag must be milliseconds, at least 1, or false, got ${shown(value)}`
      ),
      10_000
    ),
    /** Milliseconds between two checks of the replicas. Default: 1 000. */
    checkInterval: withDefault(Interval, 1_000),
    /** Milliseconds that a check waits. A replica that does not answer is down. Default: 2 000. */
    checkTimeout: withDefault(Interval, 2_000),
  }, closed),
  (value, place) =>
    place === ''
      ? `expected a list of URLs or { urls, maxLag, checkInterval, checkTimeout }, got ${shown(value)}`
      : undefined
)

/** The servers to read from, and the conditions under which one is left out. */
export interface ReplicaOptions extends Readonly<Static<typeof ReplicaOptionsSchema>> {}
