/** Lists as streams: all records that the filters keep, to clients that ask for them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OpenStream, type OpenBatches } from './open-stream.ts'
import { DEFAULT_STREAM } from '../options.ts'
import { streamFormat, type CsvOptions, type StreamColumn, type StreamFormat } from './formats.ts'

/** The options of streams. */
export interface StreamOptions {
  /**
   * How long a client may read nothing of what it has been sent, in milliseconds, before it is disconnected: a stream
   * occupies a connection of the pool. Default: 30 000.
   */
  readonly stallTimeoutMillis?: number
  /** How long a stream may take as a whole, in milliseconds; 0 for any time. Default: 3 600 000, an hour. */
  readonly timeoutMillis?: number
  /** How long open streams may go on when the server closes, in milliseconds. Default: 10 000. */
  readonly closeTimeoutMillis?: number
  readonly csv?: CsvOptions
}

/** What the route of a list needs for streams. */
export interface Streaming {
  /** The format of a stream that a request prefers to JSON, if there is one. */
  formatOf(request: FastifyRequest): StreamFormat | undefined
  /**
   * Sends batches of records. The first one is waited for, so that what is wrong with a request still has its status;
   * an error after that can only break the connection off, and is logged.
   *
   * @param columns of a table of the records, given the first one
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    format: StreamFormat,
    open: OpenBatches,
    columns: (first: string | undefined) => readonly StreamColumn[]
  ): Promise<FastifyReply>
}

/** The streams of a resource. A server that closes gives them some time to end, and then ends them. */
export function streamingOf (fastify: FastifyInstance, options: StreamOptions): Streaming {
  const {
    stallTimeoutMillis = DEFAULT_STREAM.stallTimeoutMillis,
    timeoutMillis = DEFAULT_STREAM.timeoutMillis,
    closeTimeoutMillis = DEFAULT_STREAM.closeTimeoutMillis,
    csv = {},
  } = options
  const open = new Set<OpenStream>()
  let timer: NodeJS.Timeout | undefined
  fastify.addHook('preClose', async () => {
    if (open.size === 0) return
    fastify.log.info(`${open.size} streams are open: they have ${closeTimeoutMillis} milliseconds to end`)
    timer = setTimeout(() => {
      for (const stream of open) stream.breakOff('the server is closing')
    }, closeTimeoutMillis)
  })
  // a database that is closed next waits for their connections
  fastify.addHook('onClose', async () => {
    clearTimeout(timer)
    await Promise.all([...open].map(({ ended }) => ended))
  })
  return {
    formatOf: streamFormat,
    send: async (request, reply, format, openBatches, columns) => {
      reply.type(format.type)
      if (request.method === 'HEAD') return reply.send()
      const stream = new OpenStream(request, reply, { stallTimeoutMillis, timeoutMillis }, openBatches)
      open.add(stream)
      stream.ended.then(() => open.delete(stream))
      const records = await stream.records(format.writer(columns, csv))
      return records === undefined ? reply : reply.send(records)
    },
  }
}
