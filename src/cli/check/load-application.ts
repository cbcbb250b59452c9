/** Loads an application without letting it listen. */
import type { FastifyInstance } from 'fastify'
import diagnostics from 'node:diagnostics_channel'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { takeOffline } from '../../http/index.ts'
import { CommandFailure } from '../surroundings.ts'

/** The files that are tried if none is named. */
const USUAL = ['server', 'app', 'src/server', 'src/app', 'dist/server', 'dist/app']
  .flatMap((name) => [`${name}.ts`, `${name}.js`, `${name}.mjs`])

/** Fastify tells this channel of each instance that it makes. */
const CREATED = 'fastify.initialization'

/** Seconds that an application has until its servers are ready. */
const PATIENCE = 60

const EXPECTED = 'Let a server listen, or export it, or a function `buildApp` without parameters that returns it.'

/** The file of the application. */
export function applicationFile (folder: string, named: string | undefined): string {
  const found = (named === undefined ? USUAL : [named]).map((name) => path.resolve(folder, name))
    .find((file) => fs.existsSync(file))
  if (found !== undefined) return found
  throw new CommandFailure(
    named === undefined
      ? 'check: name the file of your application, such as check src/server.ts. There is none of the usual names here.'
      : `check: there is no file ${named}.`,
    2
  )
}

/**
 * Loads the file of an application, and gets its servers ready. A server that the file lets listen does not listen, and
 * neither does one that an exported function returns: `build`, `buildApp`, `createApp` or the default export.
 *
 * @param asks whether its servers may ask their databases while they start
 * @param hint what a message adds if it does not start
 * @throws {CommandFailure} if the application does not start
 */
export async function loadApplication (file: string, asks: boolean, hint: string): Promise<readonly FastifyInstance[]> {
  const created: FastifyInstance[] = []
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>()
  const take = (message: unknown): void => {
    const { fastify } = message as { readonly fastify: FastifyInstance }
    created.push(fastify)
    silence(fastify, listens)
    if (!asks) takeOffline(fastify)
  }
  diagnostics.subscribe(CREATED, take)
  const start = async (): Promise<void> => {
    const module = await import(pathToFileURL(file).href) as Readonly<Record<string, unknown>>
    await settle(module, created, listening)
    for (const instance of created) await instance.ready()
  }
  try {
    await within(PATIENCE, start(), () => {
      throw new Error(`after ${PATIENCE} seconds, an \`await\` has not ended, or no server listens. ${EXPECTED}`)
    })
  } catch (cause) {
    // an error that closing throws would hide the cause
    await Promise.allSettled([closeAll(created)])
    throw new CommandFailure(`${file} does not start: ${reasonOf(cause)}${hint}`, 1, { cause })
  } finally {
    diagnostics.unsubscribe(CREATED, take)
  }
  return created
}

/**
 * Sets exit code 1 if the application ends the process by itself: exit code 0 would say that nothing is wrong.
 *
 * @param hint what the message adds
 * @returns a function that lets the process end
 */
export function forbidExit (file: string, hint: string): () => void {
  const ended = (code: number): void => {
    if (code !== 0) return
    process.stderr.write(`${file} has ended the process.${hint}\n`)
    process.exitCode = 1
  }
  process.once('exit', ended)
  return () => process.off('exit', ended)
}

/** The message of what an application throws, and for a syntax error its file and line, with which the stack begins. */
function reasonOf (cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const [, file, line] = /^(file:.*):(\d+)\n/.exec(cause.stack ?? '') ?? []
  return file === undefined ? cause.message : `${cause.message} (${fileURLToPath(file)}:${line})`
}

/** Lets an instance get ready where it would listen, without the warnings that `check` prints itself. */
function silence (fastify: FastifyInstance, listens: () => void): void {
  if (fastify.log.level !== 'fatal' && fastify.log.level !== 'silent') fastify.log.level = 'error'
  const listen = async (...args: readonly unknown[]): Promise<string> => {
    await fastify.ready()
    listens()
    const callback = args.at(-1)
    if (typeof callback === 'function') callback(null, ADDRESS)
    return ADDRESS
  }
  Object.defineProperty(fastify, 'listen', { value: listen, configurable: true, writable: true })
}

const ADDRESS = 'http://127.0.0.1:0'

/** Waits until the file has made its servers. */
async function settle (
  module: Readonly<Record<string, unknown>>,
  created: readonly FastifyInstance[],
  listening: Promise<void>
): Promise<void> {
  const build = created.length > 0
    ? undefined
    : ['default', 'build', 'buildApp', 'createApp', 'app'].map((name) => module[name])
        .find((member) => typeof member === 'function')
  if (build !== undefined) {
    try {
      await (build as () => unknown)()
    } catch (cause) {
      if (build.length === 0) throw cause
      throw new Error(
        `${(cause as Error).message} (its exported function takes parameters, and check has none for it: name the ` +
          'file that starts the server)',
        { cause }
      )
    }
    if (created.length === 0) throw new Error(`it made no server. ${EXPECTED}`)
    return
  }
  const isExported = created.some((instance) => Object.values(module).includes(instance))
  if (!isExported) await listening
}

/** Seconds that servers have to close. The process ends afterwards. */
const CLOSE_PATIENCE = 3

/** Closes the servers, with their databases. One that never closes does not keep the process alive. */
export async function closeAll (instances: readonly FastifyInstance[]): Promise<void> {
  const close = async (): Promise<void> => { for (const instance of instances) await instance.close() }
  await within(CLOSE_PATIENCE, close(), () => {})
}

/** Waits for a promise. If it takes too long, the result is that of a function. */
async function within (seconds: number, promise: Promise<void>, late: () => void): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1_000)
  await Promise.race([promise, timeout.then(late)]).finally(() => clearTimeout(timer))
}
