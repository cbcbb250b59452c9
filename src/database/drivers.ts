/** Loads MikroORM's driver packages on demand: an application installs only the driver that its URL needs. */
import { Utils } from '@mikro-orm/core'
import type { EntityManager, MikroORM, Options } from '@mikro-orm/postgresql'
import { createRequire } from 'node:module'
import { ConfigError } from '../base/errors.ts'
import type { DatabaseTarget } from './database-url.ts'

/** The exports of a driver package that the factory uses. Both packages have PostgreSQL's interface. */
interface DriverModule {
  readonly MikroORM: { new(options: Options): MikroORM, init: (options: Options) => Promise<MikroORM> }
  /** The package's class of EntityManagers. */
  readonly EntityManager: new(...args: any[]) => EntityManager // any: a mixin extends the class (TS2545)
}

type ImportModule = (name: string) => Promise<unknown>

const PACKAGES: Readonly<Record<DatabaseTarget['driver'], string>> = {
  postgresql: '@mikro-orm/postgresql',
  pglite: '@mikro-orm/pglite',
}

const importModule: ImportModule = (name) => import(name)

/**
 * Loads the package of a driver.
 *
 * @throws ConfigError when the package, or one that it depends on, isn't installed. The message has the command to
 *   install it
 */
export async function loadDriver (
  driver: DatabaseTarget['driver'],
  load: ImportModule = importModule
): Promise<DriverModule> {
  try {
    return await load(PACKAGES[driver]) as DriverModule
  } catch (error) {
    throw notInstalled(driver, error) ?? error
  }
}

/** Does the same without a promise. */
export function requireDriver (driver: DatabaseTarget['driver']): DriverModule {
  try {
    return createRequire(import.meta.url)(PACKAGES[driver]) as DriverModule
  } catch (error) {
    throw notInstalled(driver, error) ?? error
  }
}

const SAME_VERSION =
  'All packages of MikroORM must have the same version: if npm lacks this one, install one that it has of all'

function notInstalled (driver: DatabaseTarget['driver'], error: unknown): ConfigError | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    ? /^Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1]
    : undefined
  if (missing === undefined) return undefined
  const version = missing === PACKAGES[driver] ? `@${Utils.getORMVersion()}. ${SAME_VERSION}` : ''
  return new ConfigError(`DatabaseFactory: ${driver}:// needs the package ${missing}: npm install ${missing}${version}`)
}
