/** The form of the option `replicas`. */
import { Type, type Static } from '@sinclair/typebox'

export const ReplicaOptionsSchema = Type.Object({
  urls: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    description:
      'postgresql:// URLs of hot standbys of the database. User, password, TLS and other parameters that they ' +
      'leave out are taken from databaseUrl.',
  }),
  maxLag: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1 }), Type.Literal(false)], {
      description:
        'Largest lag in milliseconds of a replica that is read from. false turns measuring off: every server that ' +
        'answers is used. Default 10000.',
    })
  ),
  checkInterval: Type.Optional(
    Type.Integer({ minimum: 10, description: 'Milliseconds between two checks of the replicas. Default 1000.' })
  ),
  checkTimeout: Type.Optional(
    Type.Integer({
      minimum: 10,
      description: 'Milliseconds that a check waits; a replica that does not answer is down. Default 2000.',
    })
  ),
}, { additionalProperties: false })

/** The servers to read from, and the conditions under which one is left out. */
export interface ReplicaOptions extends Readonly<Static<typeof ReplicaOptionsSchema>> {
  /**
   * postgresql:// URLs of hot standbys of the database. User, password, TLS and other parameters that they leave out
   * are taken from `databaseUrl`.
   */
  readonly urls: string[]
  /**
   * Maximum lag in milliseconds of a replica that is read from. `false` turns measuring off, and every server that
   * answers is used. Default: 10 000.
   */
  readonly maxLag?: number | false
  /** Milliseconds between two checks of the replicas. Default: 1 000. */
  readonly checkInterval?: number
  /** Milliseconds that a check waits. A replica that does not answer is down. Default: 2 000. */
  readonly checkTimeout?: number
}
