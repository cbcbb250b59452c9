/** A variant with a running server. */
import { request } from './client.ts'
import type { Dialect } from './dialects/dialect.ts'
import { ServerProcess } from './server-process.ts'
import type { Variant, VariantName } from './variants.ts'
import type { StartOptions } from './pool.ts'

export interface Contestant {
  readonly name: VariantName
  readonly dialect: Dialect
  readonly server: ServerProcess
  /** Cursors of pages deep in the set. */
  readonly cursors: readonly string[]
}

const STEP = 100
const SKIPPED_STEPS = 250
const STEPS = 50

/** @param execArgv options of Node */
export async function start (
  variant: Variant,
  options: StartOptions,
  execArgv: readonly string[]
): Promise<Contestant> {
  const { name, dialect } = variant
  const server = await ServerProcess.start(variant, options, execArgv)
  try {
    return { name, dialect, server, cursors: await deepCursors(dialect, server) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Collects cursors by reading page after page from the first one, because each server has its own form of cursors. */
async function deepCursors (dialect: Dialect, { port }: ServerProcess): Promise<string[]> {
  const cursors: string[] = []
  let cursor = ''
  for (let step = 0; step < SKIPPED_STEPS + STEPS; step++) {
    cursor = dialect.nextCursor(await request(port, dialect.request({ kind: 'cursor', cursor, perPage: STEP })))
    if (typeof cursor !== 'string' || cursor === '') throw new Error('the pages ended too soon')
    if (step >= SKIPPED_STEPS) cursors.push(cursor)
  }
  return cursors
}
