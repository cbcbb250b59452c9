/** Starts the server process and sends it messages. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Answer, AnswerOf, Question } from './messages.ts'

/** Number of lines of the server's log that are kept. */
const LOG_LINES = 20
/** Time limit for a question in milliseconds. While a pool is replaced after an outage, answers are late. */
const PATIENCE = 30_000
export const EXIT_TIMEOUT = 5_000

interface Closed {
  /** Whether `app.close()` has ended before its time limit. */
  readonly inTime: boolean
  /** The resources that were still active after closing. */
  readonly resources: readonly string[]
  /** Milliseconds until the process had ended. `undefined` if it has not ended within `EXIT_TIMEOUT`. */
  readonly exitMillis: number | undefined
}

export interface ServerProcess {
  readonly port: number
  /** The last lines of its log. */
  readonly log: readonly string[]
  readonly ask: <Kind extends 'memory' | 'pool'>(kind: Kind) => Promise<AnswerOf<Kind>>
  /** Closes the server and waits for the end of its process. */
  readonly close: () => Promise<Closed>
  readonly kill: () => void
}

export async function startServer (databaseUrl: string): Promise<ServerProcess> {
  const child = fork(path.join(import.meta.dirname, 'server.ts'), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, SOAK_DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const log: string[] = []
  for (const output of [child.stdout!, child.stderr!]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      log.push(...text.split('\n').filter(Boolean))
      log.splice(0, log.length - LOG_LINES)
    })
  }
  const { port } = await answerOf(child, 'listening', log)
  const ask = async <Kind extends 'memory' | 'pool'>(kind: Kind): Promise<AnswerOf<Kind>> => {
    const answer = answerOf(child, kind, log)
    child.send({ kind } satisfies Question)
    return await answer
  }
  const close = async (): Promise<Closed> => {
    const closed = answerOf(child, 'closed', log)
    child.send({ kind: 'close' } satisfies Question)
    const { inTime, resources } = await closed
    const started = performance.now()
    const exit = once(child, 'exit', { signal: AbortSignal.timeout(EXIT_TIMEOUT) }).then(() => true, () => false)
    const ended = child.exitCode !== null || await exit
    return { inTime, resources, exitMillis: ended ? Math.round(performance.now() - started) : undefined }
  }
  return {
    port,
    log,
    ask,
    close,
    kill: () => {
      child.kill('SIGKILL')
    },
  }
}

async function answerOf<Kind extends Answer['kind']> (
  child: ChildProcess,
  kind: Kind,
  log: readonly string[]
): Promise<AnswerOf<Kind>> {
  return await new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer)
      child.off('message', read).off('exit', ended)
    }
    const fail = (why: string): void => {
      done()
      reject(new Error(`${why}\n${log.join('\n')}`))
    }
    const read = (message: unknown): void => {
      if ((message as Answer).kind !== kind) return
      done()
      resolve(message as AnswerOf<Kind>)
    }
    const ended = (): void => fail(`the server process ended before it had answered '${kind}'`)
    const timer = setTimeout(() => fail(`the server process has not answered '${kind}'`), PATIENCE)
    child.on('message', read).once('exit', ended)
  })
}
