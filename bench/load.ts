/** A minimal HTTP/1.1 client: keep-alive connections that send one request at a time. */
import { once } from 'node:events'
import net from 'node:net'
import type { HttpRequest } from './dialects/dialect.ts'

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** In milliseconds, sorted. */
  readonly latencies: Float64Array
}

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Complete HTTP requests as bytes, sent in turn. */
  readonly requests: readonly Buffer[]
  /** Whether each request is sent at most once, also if that ends the load before its time. */
  readonly once?: boolean
}

export function encode ({ method, path, body }: HttpRequest): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body)
  const type = body === undefined
    ? ''
    : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n`
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n${type}\r\n${json}`)
}

/** @throws Error for any answer with another status than 200 or 201 */
export async function load ({ port, connections, seconds, requests, once: isOnce }: LoadOptions): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connect(port)))
  const latencies: number[] = []
  let next = 0
  const started = performance.now()
  const end = started + seconds * 1000
  await Promise.all(sockets.map((socket) =>
    new Promise<void>((resolve, reject) => {
      let sent = 0
      const send = () => {
        sent = performance.now()
        socket.write(requests[next++ % requests.length]!)
      }
      readAnswers(socket, () => {
        const now = performance.now()
        latencies.push(now - sent)
        if (now < end && (isOnce !== true || next < requests.length)) send()
        else resolve()
      }, reject)
      send()
    })
  ))
  const took = (performance.now() - started) / 1000
  for (const socket of sockets) socket.destroy()
  return { requests: latencies.length, seconds: took, latencies: Float64Array.from(latencies).sort() }
}

async function connect (port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  return socket
}

/** Calls `onAnswer` at the end of each answer. All answers must have a content-length. */
function readAnswers (socket: net.Socket, onAnswer: () => void, onError: (error: Error) => void): void {
  let head = ''
  let missing = 0
  socket.on('error', onError)
  socket.on('close', () => onError(new Error('the server closed a connection')))
  socket.on('data', (chunk) => {
    if (missing === 0) {
      head += chunk.toString('latin1')
      const bodyStart = head.indexOf('\r\n\r\n') + 4
      if (bodyStart === 3) return
      const length = /content-length: (\d+)/i.exec(head)?.[1]
      if (!/^HTTP\/1\.1 20[01]/.test(head) || length === undefined) {
        return onError(new Error(`unexpected answer:\n${head}`))
      }
      missing = Number(length) - (head.length - bodyStart)
      head = ''
    } else {
      missing -= chunk.length
    }
    if (missing === 0) onAnswer()
  })
}
