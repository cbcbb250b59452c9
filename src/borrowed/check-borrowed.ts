/**
 * Checks that the installed versions of MikroORM, Kysely, pg and Fastify have the members that this package borrows.
 * A missing member throws a ConfigError at start-up. Without the check, a request would fail with a TypeError. Packages
 * of MikroORM that do not belong together are also refused: npm installs them with a warning, or with --force.
 */
import { EntityManager, QueryHelper, TransactionManager } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { createRequire } from 'node:module'
import { ConfigError } from '../base/errors.ts'
import { FASTIFY_MEMBERS, partsOf } from './fastify.ts'
import { FILTER_MEMBERS } from './mikro-orm-filters.ts'
import { buildersOf, JOIN_MEMBERS } from './mikro-orm-joins.ts'
import { KYSELY_MEMBERS } from './kysely.ts'
import type { Borrowed } from './borrowed-member.ts'
import { MIKRO_ORM_MEMBERS } from './mikro-orm.ts'
import { clientBeside, PG_MEMBERS, prepareValue } from './pg.ts'

/** All borrowed members. */
export const BORROWED: readonly Borrowed[] = [
  ...MIKRO_ORM_MEMBERS, ...FILTER_MEMBERS, ...JOIN_MEMBERS, ...KYSELY_MEMBERS, ...PG_MEMBERS, ...FASTIFY_MEMBERS,
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
  refuseMissing(JOIN_MEMBERS, buildersOf(em))
  refuseMissing(MIKRO_ORM_MEMBERS, {
    EntityManager: em,
    DatabaseDriver: driver,
    AbstractSqlConnection: driver.getConnection('write'),
    TransactionManager: TransactionManager.prototype,
    UnitOfWork: unit,
    IdentityMap: unit.getIdentityMap(),
    EntityComparator: em.getComparator(),
    Platform: em.getPlatform(),
    EntityMetadata: em.getMetadata().getAll().values().next().value,
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
  // PGlite's client is not one of pg's
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
    `${from}${shownVersion(from)} has no ${of}.${name}, which fastify-crud-kit needs. ` + (from === 'fastify'
      ? `fastify ${version} has it.`
      : `Install version ${MIKRO_ORM_MEMBERS[0]!.version} of all @mikro-orm packages. It has the member, and brings ` +
        'versions of pg and kysely that fit.')
  )
}

const require = createRequire(import.meta.url)

/** The version after a space, such as ` 7.2.1`. Empty for a package that does not export its package.json. */
function shownVersion (name: string): string {
  try {
    return ` ${versionOf(require, name)}`
  } catch {
    return ''
  }
}

const CORE = '@mikro-orm/core'

/** Packages that MikroORM releases with the same version as its core, and that use its internals. */
const SAME_VERSION = ['sql', 'postgresql', 'pglite', 'decorators', 'migrations'].map((name) => `@mikro-orm/${name}`)

/**
 * Checks that the installed packages of MikroORM have one version.
 *
 * @param from the module for which packages are resolved
 * @throws {ConfigError} that names the packages that differ, and the command to install one version of all
 */
export function checkVersions (from: string | URL = import.meta.url): void {
  const require = createRequire(from)
  const core = versionOf(require, CORE)
  if (core === undefined) return
  const others = SAME_VERSION.map((name) => ({ name, version: versionOf(require, name) }))
    .filter(({ version }) => version !== undefined)
  const different = others.filter(({ version }) => version !== core)
  if (different.length === 0) return
  const shown = different.map(({ name, version }) => `${name} ${version}`).join(', ')
  // @mikro-orm/sql comes with the drivers
  const all = [CORE, ...others.map(({ name }) => name).filter((name) => name !== '@mikro-orm/sql')]
  throw new ConfigError(
    `${CORE} ${core} does not fit ${shown}: all packages of MikroORM must have the same version. ` +
      `Run npm install ${all.map((name) => `${name}@${core}`).join(' ')}`
  )
}

function versionOf (require: NodeJS.Require, name: string): string | undefined {
  try {
    return (require(`${name}/package.json`) as { version: string }).version
  } catch (error) {
    // an optional package is not installed
    if ((error as { code?: unknown }).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Checks that an EntityManager is of the class that this package imports. A second copy of a package has classes of its
 * own, whose objects it does not know.
 *
 * @throws {ConfigError} if it comes from another copy of @mikro-orm/core
 */
export function checkCore (em: object): void {
  if (em instanceof EntityManager) return
  throw new ConfigError(
    `${CORE} is installed twice: MikroORM and fastify-crud-kit have found different copies. ` +
      `Run npm ls ${CORE}, then install the same version of all @mikro-orm packages, or run npm dedupe.`
  )
}
