/** Refuses packages of MikroORM that do not belong together: npm installs them with a warning, or with --force. */
import { EntityManager } from '@mikro-orm/core'
import { createRequire } from 'node:module'
import { ConfigError } from '../base/errors.ts'

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
