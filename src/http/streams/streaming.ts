/**
 * Sends lists as streams of all records that match the filters, to clients that prefer a stream. Only servers that have
 * a resource with `stream` load this folder. Errors: those of a list, before the first record is sent.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OpenStream, type OpenBatches } from './open-stream.ts'
import { completed } from '../../base/option-checks.ts'
import { StreamOptionsSchema, type StreamOptions } from '../route-options.ts'
import type { StreamColumn } from '../routes/stream-columns.ts'
import { streamFormat, type StreamFormat } from './formats.ts'

/** The functions that the route of a list needs for streams. */
export interface Streaming {
  /** The stream format that a request prefers to JSON, if any. */
  formatOf(request: FastifyRequest): StreamFormat | undefined
  /**
   * Sends batches of records. It waits for the first batch, so that mistakes of a request have their status. A later
   * error is logged and can only break the connection off.
   *
   * @param columns returns the columns of the records, given the first record
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    format: StreamFormat,
    open: OpenBatches,
    columns: (first: string | undefined) => readonly StreamColumn[]
  ): Promise<FastifyReply>
}

/** The streams of a resource. When the server closes, they have some time to end, and then are ended. */
export function streamingOf (fastify: FastifyInstance, options: StreamOptions): Streaming {
  const { stallTimeoutMillis, timeoutMillis, closeTimeoutMillis, csv = {} } = completed(StreamOptionsSchema, options)
  const open = new Set<OpenStream>()
  let timer: NodeJS.Timeout | undefined
  fastify.addHook('preClose', async () => {
    if (open.size === 0) return
    fastify.log.info(`${open.size} streams are open: they have ${closeTimeoutMillis} milliseconds to end`)
    timer = setTimeout(() => {
      for (const stream of open) stream.breakOff('the server is closing')
    }, closeTimeoutMillis)
  })
  // the database is closed after this hook, and would wait for the streams' connections
  fastify.addHook('onClose', async () => {
    clearTimeout(timer)
    await Promise.all([...open].map(({ ended }) => ended))
  })
  return {
    formatOf: streamFormat,
    send: async (request, reply, format, openBatches, columns) => {
      reply.type(format.type)
      const stream = new OpenStream(request, reply, { stallTimeoutMillis, timeoutMillis }, openBatches)
      open.add(stream)
      stream.ended.then(() => open.delete(stream))
      const records = await stream.records(format.writer(columns, csv))
      if (records === undefined) return reply
      if (request.method !== 'HEAD') return reply.send(records)
      records.destroy()
      await stream.ended
      return reply.send()
    },
  }
}
