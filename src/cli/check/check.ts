/** The command `check`: compares an application with its lock file, and its entities with the database. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import fs from 'node:fs'
import path from 'node:path'
import {
  differencesOf, guardFindings, indexLineOf, missingIndexesOf, type AdvisedResource,
} from '../../advice/index.ts'
import { messagesOf } from '../../comparison/index.ts'
import { knownResources } from '../../http/index.ts'
import { advisedOf, sharedEntities } from '../../../plugins/advice.ts'
import type { CommandInput } from '../command.ts'
import { CommandFailure, say, styled, type ExitCode, type Surroundings } from '../surroundings.ts'
import { compareSurfaces } from './compare-surfaces.ts'
import { applicationFile, closeAll, forbidExit, loadApplication } from './load-application.ts'
import { readLock, writeLock } from './lock-file.ts'
import { surfaceOf } from './surface.ts'

const LOCK = 'crud.lock.json'

export async function check ({ argument, options }: CommandInput, surroundings: Surroundings): Promise<ExitCode> {
  const file = applicationFile(surroundings.folder, argument)
  const lock = path.resolve(surroundings.folder, options.get('lock')?.[0] ?? LOCK)
  const asks = !options.has('no-database')
  const variables = options.get('env-file')?.[0]
  if (variables !== undefined) loadVariables(variables, surroundings)
  const hint = variables === undefined && fs.existsSync(path.resolve(surroundings.folder, '.env'))
    ? ' If it needs the variables in .env, add --env-file .env.'
    : ''
  const allowExit = forbidExit(file, hint)
  let servers: readonly FastifyInstance[] = []
  try {
    servers = await loadApplication(file, asks, hint)
    const update = options.has('update')
    const isLocked = await checkSurface(servers, lock, update, surroundings)
    const isSame = !asks || await checkDatabases(servers, surroundings)
    if (update && !isSame) {
      say(surroundings, `${path.basename(lock)} is written. The exit code is 1 because of the database.`)
    }
    return isLocked && isSame ? 0 : 1
  } finally {
    await closeAll(servers).finally(allowExit)
  }
}

/** Adds the variables of a file to the environment of the process. Those that are set already stay as they are. */
function loadVariables (file: string, { folder }: Surroundings): void {
  try {
    process.loadEnvFile(path.resolve(folder, file))
  } catch (cause) {
    throw new CommandFailure(`check: the file ${file} cannot be read: ${(cause as Error).message}`, 2, { cause })
  }
}

/** Compares the surface with the lock file. Returns whether nothing is wider. */
async function checkSurface (
  servers: readonly FastifyInstance[],
  lock: string,
  update: boolean,
  surroundings: Surroundings
): Promise<boolean> {
  const resources = servers.flatMap((server) => knownResources(server))
  if (resources.length === 0) {
    throw new CommandFailure(
      'The application has no resources of this installation of fastify-crud-kit. Run the program of the ' +
        "application's own folder: npx fastify-crud-kit check."
    )
  }
  const name = path.basename(lock)
  const surface = surfaceOf(resources)
  // a file that nothing can be compared with is replaced
  const old = update ? await readLock(lock).catch(() => undefined) : await readLock(lock)
  if (old === undefined && !update) {
    say(surroundings, styled('red', `There is no ${name} yet. Write it with --update, and commit it.`, surroundings))
    return false
  }
  const { widened, narrowed } = compareSurfaces(old ?? {}, surface)
  if (update) await writeLock(lock, surface)
  if (old !== undefined) {
    list(narrowed, 'Requests may do less than before:', 'green', surroundings)
    list(widened, 'Requests may do more than before:', update ? 'yellow' : 'red', surroundings)
  }
  say(
    surroundings,
    update
      ? `${name} is written.`
      : widened.length > 0
        ? `Update ${name} if this is meant: fastify-crud-kit check --update.`
        : narrowed.length > 0
          ? `${name} allows more than the application. Write it with --update.`
          : `${name} is the surface of the application.`
  )
  return update || widened.length === 0
}

function list (
  items: readonly string[],
  title: string,
  style: 'red' | 'green' | 'yellow',
  surroundings: Surroundings
): void {
  if (items.length === 0) return
  say(surroundings, styled('bold', title, surroundings))
  for (const item of items) say(surroundings, styled(style, `  ${item}`, surroundings))
}

/** Compares entities with their databases, and gives advice. Returns whether nothing differs. */
async function checkDatabases (servers: readonly FastifyInstance[], surroundings: Surroundings): Promise<boolean> {
  const byManager = new Map<EntityManager, { resources: AdvisedResource[], shared: Set<string> }>()
  for (const server of servers) {
    for (const known of knownResources(server)) {
      const { em } = known.instance.orm
      const group = byManager.get(em) ?? { resources: [], shared: new Set() }
      byManager.set(em, group)
      group.resources.push(advisedOf(known))
      for (const entity of sharedEntities(known.instance)) group.shared.add(entity)
    }
  }
  let isSame = true
  for (const [em, { resources, shared }] of byManager) {
    const [differences, missing] = await askDatabase(async () => [
      messagesOf(await differencesOf(em, resources)),
      (await missingIndexesOf(em, resources)).map(indexLineOf),
    ])
    list(differences, 'The database is not what the entities say:', 'red', surroundings)
    list(missing, 'Indexes are missing:', 'yellow', surroundings)
    const findings = await guardFindings(em, resources, [...shared])
    list(findings.map(({ message }) => message), 'Nothing guards these rows:', 'yellow', surroundings)
    isSame &&= differences.length === 0
  }
  if (isSame) say(surroundings, 'The database is what the entities say.')
  return isSame
}

async function askDatabase<T> (ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw new CommandFailure(
      `The database cannot be asked: ${(cause as Error).message} With --no-database, only the lock file is checked.`,
      1,
      { cause }
    )
  }
}
