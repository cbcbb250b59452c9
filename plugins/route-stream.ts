/** Lists as streams: all records that the filters keep, as NDJSON or CSV, where the client accepts that rather than JSON. */
import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { STREAM_TYPES } from './options.ts'

const JSON_TYPE = 'application/json'

/** How long a client may take to read what it has been sent, unless configured. */
export const DEFAULT_STALL_MILLIS = 30_000

/** How records are written: what stands before the first one, and a batch of them. */
export interface StreamFormat {
  readonly type: string
  readonly writer: (columns: (first: string | undefined) => readonly string[]) => (batch: readonly string[], isFirst: boolean) => string
}

/** A line for each record (the format has no RFC; media type and line ends are those of ndjson.org). */
const ndjson: StreamFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  writer: () => (batch) => batch.length === 0 ? '' : `${batch.join('\n')}\n`,
}

/** A header, and a line for each record (RFC 4180). What is no text, number or boolean stands as JSON in its field. */
const csv: StreamFormat = {
  type: 'text/csv; charset=utf-8; header=present',
  writer: (columnsOf) => {
    let columns: readonly string[] | undefined
    return (batch, isFirst) => {
      columns ??= columnsOf(batch[0])
      const records = batch.map((json) => JSON.parse(json) as object)
      return stringify(records, { header: isFirst, columns: [...columns], record_delimiter: 'windows', cast: { boolean: String, object: (value) => JSON.stringify(value) } })
    }
  },
}

const FORMATS: Readonly<Record<string, StreamFormat>> = { 'application/x-ndjson': ndjson, 'text/csv': csv } satisfies Record<typeof STREAM_TYPES[number], StreamFormat>

/** The format of a stream that a request prefers to JSON (RFC 9110 section 12.5.1), if there is one. */
export function streamFormat ({ headers }: FastifyRequest): StreamFormat | undefined {
  const { accept } = headers
  // most requests say nothing of streams
  if (accept === undefined || !/ndjson|csv/i.test(accept)) return undefined
  return FORMATS[new Negotiator({ headers }).mediaType([JSON_TYPE, ...STREAM_TYPES]) ?? JSON_TYPE]
}

/** The options of streams. */
export interface StreamOptions {
  /**
   * How long a client may leave what it has been sent unread, in milliseconds, before it is disconnected: a stream
   * occupies a connection of the pool. Default: 30 000.
   */
  readonly stallTimeoutMillis?: number
}

/**
 * Sends batches of records. The first one is waited for, so that what is wrong with a request still has its status; an
 * error after that can only break the connection off, and is logged.
 *
 * @param columns of a table of the records, given the first one
 */
export async function sendStream ({ method }: FastifyRequest, reply: FastifyReply, format: StreamFormat, batches: AsyncGenerator<string[], void, undefined>, columns: (first: string | undefined) => readonly string[], { stallTimeoutMillis = DEFAULT_STALL_MILLIS }: StreamOptions): Promise<FastifyReply> {
  if (method === 'HEAD') {
    await batches.return()
    return reply.type(format.type).send()
  }
  const first = await batches.next()
  const write = format.writer(columns)
  async function * chunks () {
    let stalled: NodeJS.Timeout | undefined
    /** Goes on when there is room for more. */
    const sent = (chunk: string): string => {
      stalled = setTimeout(() => reply.raw.destroy(), stallTimeoutMillis).unref()
      return chunk
    }
    try {
      yield sent(write(first.value ?? [], true))
      clearTimeout(stalled)
      if (first.done) return
      for await (const batch of batches) {
        yield sent(write(batch, false))
        clearTimeout(stalled)
      }
    } finally {
      clearTimeout(stalled)
      // a stream that is destroyed before it was read has asked for nothing yet
      await batches.return()
    }
  }
  return reply.type(format.type).send(Readable.from(chunks(), { objectMode: false }))
}
