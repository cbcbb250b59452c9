/** A minimal HTTP/1.1 client: keep-alive connections that send one request at a time. */
import { once } from 'node:events'
import net from 'node:net'
import type { HttpRequest } from './dialects/dialect.ts'

/** A complete HTTP request as bytes. `undefined` if there are no more. */
export type NextRequest = () => Buffer | undefined

export function encode ({ method, path, body }: HttpRequest): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body)
  const type = body === undefined
    ? ''
    : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n`
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${type}\r\n${json}`)
}

/** Connections to one server, which send requests now and then. It counts what they did. */
export class Load {
  readonly #connections: readonly Connection[]
  readonly #next: NextRequest
  readonly #latencies: number[] = []
  #milliseconds = 0

  private constructor (connections: readonly Connection[], next: NextRequest) {
    this.#connections = connections
    this.#next = next
  }

  static async open (port: number, connections: number, next: NextRequest): Promise<Load> {
    return new Load(await Promise.all(Array.from({ length: connections }, () => Connection.open(port))), next)
  }

  /**
   * Sends requests on all connections for some milliseconds, at least one on each, and waits for the answers.
   *
   * @returns whether there are more requests
   * @throws Error for any answer with another status than 200 or 201
   */
  async run (milliseconds: number): Promise<boolean> {
    const started = performance.now()
    const end = started + milliseconds
    const more = await Promise.all(this.#connections.map((connection) => this.#send(connection, end)))
    this.#milliseconds += performance.now() - started
    return !more.includes(false)
  }

  async #send (connection: Connection, end: number): Promise<boolean> {
    for (;;) {
      const request = this.#next()
      if (request === undefined) return false
      const sent = performance.now()
      await connection.send(request)
      const now = performance.now()
      this.#latencies.push(now - sent)
      if (now >= end) return true
    }
  }

  get requests (): number {
    return this.#latencies.length
  }

  /** The time in which connections had requests. */
  get seconds (): number {
    return this.#milliseconds / 1000
  }

  /** In milliseconds, sorted. */
  get latencies (): Float64Array {
    return Float64Array.from(this.#latencies).sort()
  }

  close (): void {
    for (const connection of this.#connections) connection.close()
  }
}

/** A connection on which all answers have a content-length. */
class Connection {
  readonly #socket: net.Socket
  #head = ''
  /** Bytes that the answer's body still lacks. */
  #missing = 0
  #resolve: () => void = () => {}
  #reject: (error: Error) => void = () => {}
  /** Why the connection has ended, which may be while it has no request. */
  #failed: Error | undefined

  private constructor (socket: net.Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed a connection')))
  }

  #fail (error: Error): void {
    this.#failed ??= error
    this.#reject(error)
  }

  static async open (port: number): Promise<Connection> {
    const socket = net.connect(port, '127.0.0.1').setNoDelay()
    await once(socket, 'connect')
    return new Connection(socket)
  }

  /** Resolves at the end of the answer. */
  send (request: Buffer): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(request)
    })
  }

  #read (chunk: Buffer): void {
    if (this.#missing === 0) {
      this.#head += chunk.toString('latin1')
      const bodyStart = this.#head.indexOf('\r\n\r\n') + 4
      if (bodyStart === 3) return
      const length = /content-length: (\d+)/i.exec(this.#head)?.[1]
      if (!/^HTTP\/1\.1 20[01]/.test(this.#head) || length === undefined) {
        return this.#reject(new Error(`unexpected answer:\n${this.#head}`))
      }
      this.#missing = Number(length) - (this.#head.length - bodyStart)
      this.#head = ''
    } else {
      this.#missing -= chunk.length
    }
    if (this.#missing === 0) this.#resolve()
  }

  close (): void {
    this.#socket.destroy()
  }
}
