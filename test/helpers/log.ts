/** The log of a server, kept for a test. */
import { Writable } from 'node:stream'

interface KeptLog {
  /** The option `stream` of Fastify's logger. */
  readonly stream: Writable
  /** All that was logged. */
  readonly text: string
  /** The same, line by line, as objects. */
  readonly lines: readonly any[]
  /** Forgets all that was logged. */
  readonly clear: () => void
}

/**
 * Keeps a log.
 *
 * @example const log = keptLog()
 *   const app = Fastify({ logger: { level: 'error', stream: log.stream } })
 *   t.match(log.lines[0].err, { code: 'FST_CRUD_SCOPE_INVALID' })
 */
export function keptLog (): KeptLog {
  let chunks: string[] = []
  return {
    stream: new Writable({
      write (chunk, _, done) {
        chunks.push(String(chunk))
        done()
      },
    }),
    get text () {
      return chunks.join('')
    },
    get lines () {
      return this.text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as unknown)
    },
    clear: () => {
      chunks = []
    },
  }
}
