/**
 * A stream from its request to its end. It occupies a connection of the pool, so it ends as soon as its answer ends: by
 * the stream itself, the response, the socket, a time limit, or the server. All of them end it even if its records have
 * not been read.
 * `#look` notices a client that stalls, and `breakOff` ends its answer.
 */
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AbortedError, UnavailableError } from '../../base/errors.ts'
import { RecordStream } from './record-stream.ts'
import type { RecordWriter } from './formats.ts'

interface StreamLimits {
  /** Milliseconds in which a client must read one mebibyte, unless it waits for the database. */
  readonly stallTimeoutMillis: number
  /** Maximum duration of a stream in milliseconds; 0 for no limit. */
  readonly timeoutMillis: number
}

/** Returns batches of records, until the signal aborts. */
export type OpenBatches = (signal: AbortSignal) => AsyncGenerator<string[], void, undefined>

/** Maximum number of milliseconds between two checks of a stream. */
const MAX_TICK = 1_000
/** Bytes that a client must read within `stallTimeoutMillis`. */
const MIN_READ = 2 ** 20
/**
 * Maximum number of sent bytes in the buffers of both operating systems. A client that reads them makes no visible
 * progress, since the sending side reports room only when a third of its buffer is free.
 */
const MAX_BUFFERED = 8 * 2 ** 20

export class OpenStream {
  /** Settles when the stream has released its connection. */
  readonly ended: Promise<void>
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #limits: StreamLimits
  /** The socket, if its answers are sent one after the other (HTTP/1). */
  readonly #socket: Socket | undefined
  readonly #stop = new AbortController()
  readonly #batches: AsyncGenerator<string[], void, undefined>
  readonly #timer: NodeJS.Timeout
  readonly #started = performance.now()
  readonly #ended = Promise.withResolvers<void>()
  #records: RecordStream | undefined
  #isEnded = false
  /** The time at which the client last read, or may have read bytes from buffers. */
  #progressAt = this.#started
  #lookedAt = this.#started
  #sent = 0
  #taken = 0
  /** Sent bytes that the slowest allowed client may not have read yet. */
  #buffered = 0

  constructor (request: FastifyRequest, reply: FastifyReply, limits: StreamLimits, open: OpenBatches) {
    this.#request = request
    this.#reply = reply
    this.#limits = limits
    const { httpVersionMajor, socket } = request.raw
    if (httpVersionMajor === 1 && socket instanceof Socket) this.#socket = socket
    this.#sent = this.#sentBytes()
    this.ended = this.#ended.promise
    this.#batches = open(this.#stop.signal)
    this.#timer = setInterval(() => this.#look(), Math.min(MAX_TICK, Math.ceil(limits.stallTimeoutMillis / 4)))
    this.#timer.unref()
    // response, socket and stream are watched: a pipelined response gets no events of its socket, and a response that
    // is replaced gets none of the stream
    for (const event of ['close', 'finish']) reply.raw.once(event, this.#end)
    if (this.#socket !== undefined) onClose(this.#socket, this.#end)
    if (reply.raw.destroyed || reply.raw.writableEnded || this.#socket?.destroyed === true) this.#end()
  }

  /**
   * Waits for the first batch and returns the stream of records.
   *
   * @returns `undefined` if the request has been answered in the meantime
   */
  async records (write: RecordWriter): Promise<RecordStream | undefined> {
    try {
      const first = await this.#batches.next()
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason
      this.#records = new RecordStream(first, this.#batches, write)
    } catch (error) {
      this.#end()
      if (this.#reply.sent) return undefined
      throw error
    }
    this.#records.once('error', () => this.#cut())
    this.#records.once('close', this.#end)
    return this.#records
  }

  /** Breaks the answer off, so that no client considers it complete. Refuses the request if nothing has been sent. */
  breakOff (why: string): void {
    if (this.#stop.signal.aborted) return
    this.#request.log.warn(`a stream has been broken off: ${why}`)
    this.#stop.abort(new UnavailableError(`The stream has been broken off: ${why}.`))
    if (this.#records !== undefined) this.#cut()
  }

  readonly #end = (): void => {
    if (this.#isEnded) return
    this.#isEnded = true
    clearInterval(this.#timer)
    for (const event of ['close', 'finish']) this.#reply.raw.off(event, this.#end)
    if (this.#socket !== undefined) forgetClose(this.#socket, this.#end)
    if (!this.#stop.signal.aborted) this.#stop.abort(new AbortedError())
    this.#records?.destroy()
    this.#batches.return().catch((error: unknown) => {
      this.#request.log.error({ err: error }, 'a stream could not be ended')
    }).finally(this.#ended.resolve)
  }

  #look (): void {
    const { stallTimeoutMillis, timeoutMillis } = this.#limits
    const now = performance.now()
    if (timeoutMillis > 0 && now - this.#started >= timeoutMillis) {
      return this.breakOff(`it has taken ${timeoutMillis} milliseconds`)
    }
    const sent = this.#sentBytes()
    const taken = this.#records?.taken ?? 0
    const read = (now - this.#lookedAt) / stallTimeoutMillis * MIN_READ
    this.#buffered = Math.min(MAX_BUFFERED, Math.max(0, this.#buffered - read) + sent - this.#sent)
    if (
      sent !== this.#sent || taken !== this.#taken || this.#buffered > 0 || this.#records === undefined ||
      this.#records.waiting
    ) this.#progressAt = now
    this.#sent = sent
    this.#taken = taken
    this.#lookedAt = now
    if (now - this.#progressAt >= stallTimeoutMillis) {
      this.breakOff(`its client has read less than ${MIN_READ} bytes in ${stallTimeoutMillis} milliseconds`)
    }
  }

  /**
   * Bytes that the socket has sent. With pipelined requests, they may belong to an answer before this one.
   */
  #sentBytes (): number {
    return this.#socket === undefined ? 0 : this.#socket.bytesWritten - this.#socket.writableLength
  }

  /** Ends a connection in the middle of an answer. */
  #cut (): void {
    const { raw } = this.#reply
    const socket = this.#socket
    // nothing has been sent, so the error can still be answered
    if (!raw.headersSent && this.#records?.errored != null) return
    // in HTTP/1.0 only the end of the connection ends an answer, so a reset must show that the answer is incomplete
    if (this.#request.raw.httpVersion === '1.0' && socket?.remoteFamily !== undefined && !('encrypted' in socket)) {
      socket.resetAndDestroy()
    } else socket?.destroy()
    raw.destroy()
    this.#end()
  }
}

/**
 * What waits for a socket to close, by one listener for all requests on it. A client may pipeline hundreds of requests,
 * and Node.js warns of a leak if an event has more than ten listeners.
 */
const callbacks = new WeakMap<Socket, Set<() => void>>()

/** Calls `callback` when the socket closes, unless `forgetClose` comes first. */
function onClose (socket: Socket, callback: () => void): void {
  let waiting = callbacks.get(socket)
  if (waiting === undefined) {
    const all = waiting = new Set()
    callbacks.set(socket, all)
    socket.once('close', () => {
      for (const one of [...all]) one()
    })
  }
  waiting.add(callback)
}

/** Removes a callback of `onClose`. */
function forgetClose (socket: Socket, callback: () => void): void {
  callbacks.get(socket)?.delete(callback)
}
