/** MikroORM's driver packages, loaded when a URL asks for one: an application installs the one it uses. */
import { Utils } from '@mikro-orm/core'
import type { EntityManager, MikroORM, Options } from '@mikro-orm/postgresql'
import { createRequire } from 'node:module'
import { ConfigError } from '../errors.ts'
import type { DatabaseTarget } from './database-url.ts'

/** What the factory needs of a driver package. Both have PostgreSQL's interface. */
export interface DriverModule {
  readonly MikroORM: { new(options: Options): MikroORM, init: (options: Options) => Promise<MikroORM> }
  /** The class of its EntityManagers; a class to extend takes `any`, by TypeScript's rules for mixins. */
  readonly EntityManager: new(...args: any[]) => EntityManager
}

export type ImportModule = (name: string) => Promise<unknown>

const PACKAGES: Readonly<Record<DatabaseTarget['driver'], string>> = {
  postgresql: '@mikro-orm/postgresql',
  pglite: '@mikro-orm/pglite',
}

const importModule: ImportModule = (name) => import(name)

/**
 * The package of a driver.
 *
 * @throws ConfigError when it, or a package that it needs, isn't installed: with the command that installs it
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

/** The same without a promise. */
export function requireDriver (
  driver: DatabaseTarget['driver'],
  require: (name: string) => unknown = createRequire(import.meta.url)
): DriverModule {
  try {
    return require(PACKAGES[driver]) as DriverModule
  } catch (error) {
    throw notInstalled(driver, error) ?? error
  }
}

function notInstalled (driver: DatabaseTarget['driver'], error: unknown): ConfigError | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    ? /^Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1]
    : undefined
  if (missing === undefined) return undefined
  // MikroORM's packages have to be of one and the same version
  const install = missing === PACKAGES[driver] ? `${missing}@${Utils.getORMVersion()}` : missing
  return new ConfigError(`DatabaseFactory: ${driver}:// needs the package ${missing}: npm install ${install}`)
}
