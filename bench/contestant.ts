/** A variant with a running server. */
import { request, succeeds } from './client.ts'
import { LARGEST_PAGE, type Dialect } from './dialects/dialect.ts'
import { ServerProcess } from './server-process.ts'
import type { Operation, OperationName } from './operations.ts'
import type { StartOptions } from './pool.ts'
import type { Variant, VariantName } from './variants.ts'

export interface Contestant {
  readonly name: VariantName
  readonly dialect: Dialect
  /** Whether it takes part in every second round only. */
  readonly rarely: boolean
  readonly server: ServerProcess
  /** Cursors of pages deep in the set, if an operation needs them. */
  readonly cursors: readonly string[]
  /** Operations that the benchmark of another checkout does not have. */
  readonly without: ReadonlySet<OperationName>
}

interface ContestantOptions extends StartOptions {
  /** Options of Node. */
  readonly execArgv: readonly string[]
  /** All operations that are measured with this process. */
  readonly operations: readonly Operation[]
}

/** Rows that are read before the first cursor, and up to the last one. */
const FIRST = 25_000
const LAST = 30_000

export async function start (
  variant: Variant,
  { execArgv, operations, ...options }: ContestantOptions
): Promise<Contestant> {
  const { name, dialect } = variant
  const server = await ServerProcess.start(variant, options, execArgv)
  try {
    const cursors = operations.some(({ name }) => name === 'cursor-deep') ? await deepCursors(dialect, server) : []
    const without = new Set<OperationName>()
    if (variant.elsewhere !== undefined) {
      for (const operation of operations.filter(({ own }) => own)) {
        if (!await succeeds(server.port, dialect.request(operation.call(0, cursors)))) without.add(operation.name)
      }
    }
    return { name, dialect, rarely: variant.rarely === true, server, cursors, without }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Collects cursors by reading page after page from the first one, because each server has its own form of cursors. */
async function deepCursors (dialect: Dialect, { port }: ServerProcess): Promise<string[]> {
  const cursors: string[] = []
  let cursor = ''
  for (let read = 0; read < LAST;) {
    const perPage = read < FIRST ? dialect.largestPage ?? LARGEST_PAGE : LARGEST_PAGE
    cursor = dialect.nextCursor(await request(port, dialect.request({ kind: 'cursor', cursor, perPage })))
    if (typeof cursor !== 'string' || cursor === '') throw new Error('the pages ended too soon')
    read += perPage
    if (read > FIRST) cursors.push(cursor)
  }
  return cursors
}
