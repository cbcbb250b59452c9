/** MikroORM's driver packages, loaded when a URL asks for one: an application installs the one it uses. */
import type { MikroORM, Options } from '@mikro-orm/postgresql'
import { ConfigError } from '../errors.ts'
import type { DatabaseTarget } from './database-url.ts'

/** What the factory needs of a driver package. Both have PostgreSQL's interface. */
export interface DriverModule {
  readonly MikroORM: { init: (options: Options) => Promise<MikroORM> }
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
 * @throws ConfigError when it isn't installed: with the command that installs it.
 */
export async function loadDriver (driver: DatabaseTarget['driver'], load: ImportModule = importModule): Promise<DriverModule> {
  const name = PACKAGES[driver]
  try {
    return await load(name) as DriverModule
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(name)) throw error
    throw new ConfigError(`DatabaseFactory: ${driver}:// needs the package ${name}: npm install ${name}`)
  }
}
