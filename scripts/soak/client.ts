/** Sends complete and interrupted requests on real sockets. */
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The result of a request: an answer, or none because the client disconnected (`cut`) or the connection broke
 * (`broken`).
 */
export type Outcome =
  | {
    readonly kind: 'answer',
    readonly status: number,
    readonly etag: string | undefined,
    readonly text: string,
    readonly complete: boolean,
  }
  | { readonly kind: 'cut' }
  | { readonly kind: 'broken', readonly reason: string }

export interface SendOptions {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds after which the client disconnects. */
  readonly cutAfter?: number
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export class Client {
  readonly #port: number
  readonly #agent = new http.Agent({ keepAlive: true, scheduling: 'lifo' })

  constructor (port: number) {
    this.#port = port
  }

  async send (method: Method, path: string, { body, headers = {}, cutAfter }: SendOptions = {}): Promise<Outcome> {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    return await new Promise((resolve) => {
      let cut: NodeJS.Timeout | undefined
      const settle = (outcome: Outcome): void => {
        clearTimeout(cut)
        resolve(outcome)
      }
      const request = http.request({
        port: this.#port,
        host: '127.0.0.1',
        method,
        path,
        agent: this.#agent,
        headers: payload === undefined
          ? headers
          : { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.once('close', () => {
          const { statusCode: status, headers: { etag }, complete } = response
          settle({ kind: 'answer', status: status!, etag, text, complete })
        })
        response.on('error', () => {})
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        settle({ kind: 'broken', reason: error.code ?? error.message })
      })
      if (cutAfter !== undefined) {
        cut = setTimeout(() => {
          settle({ kind: 'cut' })
          request.destroy()
        }, cutAfter)
      }
      request.end(payload)
    })
  }

  /** Reads an answer in small pieces with pauses, and disconnects before its end. */
  async readSlowly (path: string, accept: string, millis: number): Promise<void> {
    const socket = await this.#connect()
    if (socket === undefined) return
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: soak\r\nAccept: ${accept}\r\n\r\n`)
    const end = performance.now() + millis
    while (performance.now() < end && !socket.destroyed) {
      socket.read(4_096)
      await sleep(20)
    }
    socket.destroy()
  }

  /** Sends the beginning of a request, waits, and disconnects. */
  async sendHalf (text: string, millis: number): Promise<void> {
    const socket = await this.#connect()
    if (socket === undefined) return
    socket.write(text)
    await sleep(millis)
    socket.destroy()
  }

  close (): void {
    this.#agent.destroy()
  }

  async #connect (): Promise<net.Socket | undefined> {
    const socket = net.connect(this.#port, '127.0.0.1')
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(socket))
      socket.on('error', () => resolve(undefined))
    })
  }
}
