/**
 * Checks that the installed versions of MikroORM, Kysely, pg and Fastify have the members that this package borrows.
 * A missing member throws a ConfigError at start-up. Without the check, a request would fail with a TypeError.
 */
import { QueryHelper, TransactionManager } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { createRequire } from 'node:module'
import { ConfigError } from '../base/errors.ts'
import { FASTIFY_MEMBERS, partsOf } from './fastify.ts'
import { FILTER_MEMBERS } from './filters.ts'
import { KYSELY_MEMBERS } from './kysely.ts'
import type { Borrowed } from './members.ts'
import { MIKRO_ORM_MEMBERS } from './mikro-orm.ts'
import { clientBeside, PG_MEMBERS, prepareValue } from './pg.ts'
import { checkCore, checkVersions } from './versions.ts'

/** All borrowed members. */
export const BORROWED: readonly Borrowed[] = [
  ...MIKRO_ORM_MEMBERS,
  ...FILTER_MEMBERS,
  ...KYSELY_MEMBERS,
  ...PG_MEMBERS,
  ...FASTIFY_MEMBERS,
]

/** Objects of a running application, by their owner names in the lists. */
type Owners = Readonly<Record<string, object | undefined>>

/**
 * Checks MikroORM, before it connects.
 *
 * @throws {ConfigError} when a member is missing. It names the package, the member and the versions that work. Also
 *   when packages of MikroORM have different versions, or are installed twice.
 */
export function checkMikroOrm ({ em, driver }: MikroORM): void {
  checkVersions()
  checkCore(em)
  const unit = em.getUnitOfWork(false)
  refuseMissing(FILTER_MEMBERS, { EntityManager: em })
  refuseMissing(MIKRO_ORM_MEMBERS, {
    EntityManager: em,
    DatabaseDriver: driver,
    AbstractSqlConnection: driver.getConnection('write'),
    TransactionManager: TransactionManager.prototype,
    UnitOfWork: unit,
    IdentityMap: unit.getIdentityMap(),
    EntityComparator: em.getComparator(),
    Platform: em.getPlatform(),
  })
}

/**
 * Checks what synchronous sessions use of MikroORM in addition.
 *
 * @throws {ConfigError} as `checkMikroOrm` does
 */
export function checkSyncSessions (): void {
  refuseMissing(FILTER_MEMBERS, { QueryHelper })
}

/** A client of PGlite. Its own type is not used, because not every application has the package. */
export interface PgliteClient {
  readonly waitReady: Promise<void>
  query<Row>(text: string, values?: unknown[]): Promise<{ readonly rows: Row[] }>
}

/**
 * Checks what a connection of MikroORM uses, after it was opened.
 *
 * @param kysely the Kysely instance of the connection
 * @throws {ConfigError} as `checkMikroOrm` does
 */
export function checkClient (kysely: object, pool: Pool | PgliteClient): void {
  refuseMissing(KYSELY_MEMBERS, { Kysely: kysely })
  // PGlite has none of pg's members
  if ('waitReady' in pool) return
  refuseMissing(PG_MEMBERS, { Pool: pool, 'pg/lib/utils.js': { prepareValue } })
  const client = clientBeside(pool)
  refuseMissing(PG_MEMBERS, { Client: client, Connection: client.connection })
}

/**
 * Checks the instance on which routes are registered.
 *
 * @throws {ConfigError} as `checkMikroOrm` does
 */
export function checkFastify (fastify: FastifyInstance): void {
  refuseMissing(FASTIFY_MEMBERS, { FastifyInstance: partsOf(fastify) })
}

function refuseMissing (members: readonly Borrowed[], found: Owners): void {
  const missing = members.find(({ of, name, without }) => {
    const owner = found[of] as Readonly<Record<string, unknown>> | undefined
    return owner !== undefined && owner[name] === undefined && without === undefined
  })
  if (missing === undefined) return
  const { from, version, of, name } = missing
  throw new ConfigError(
    `${from}${versionOf(from)} has no ${of}.${name}, which fastify-crud-kit needs. ` + (from === 'fastify'
      ? `fastify ${version} has it.`
      : `Install version ${MIKRO_ORM_MEMBERS[0]!.version} of all @mikro-orm packages. It has the member, and brings ` +
        'versions of pg and kysely that fit.')
  )
}

const require = createRequire(import.meta.url)

/** The version after a space, such as ` 7.2.1`; empty for a package that does not export its package.json. */
function versionOf (name: string): string {
  try {
    return ` ${(require(`${name}/package.json`) as { version: string }).version}`
  } catch {
    return ''
  }
}
