/** A network between an application and its server that breaks when a test requests it. */
import { once } from 'node:events'
import net from 'node:net'
import type { Test } from 'tap'

export interface Proxy {
  readonly port: number
  /** Connections through the proxy, including broken ones. */
  readonly count: number
  /** The first bytes that the application sent on each connection. */
  readonly greetings: readonly Buffer[]
  /**
   * From now on, existing connections break when the application next sends something, as if the server went away
   * unnoticed.
   */
  readonly breakOnUse: () => void
  /**
   * Calls back when the application sends something on any connection. The connection breaks if the result is `break`.
   */
  readonly onSend: (callback: (() => 'break' | void) | undefined) => void
  /** Delays everything sent on existing connections, until the returned function is called. */
  readonly holdBack: () => () => void
  /** Replaces the next bytes that the server sends on each connection. */
  readonly replaceNext: (bytes: Buffer) => void
  /** Drops everything in both directions from now on, without closing connections. */
  readonly fallSilent: () => void
}

/** A proxy for the server on a port. It stops when the test ends. */
export async function startProxy (t: Test, target: { readonly port: number, readonly host: string }): Promise<Proxy> {
  let count = 0
  let silent = false
  let held: Map<net.Socket, Array<() => void>> | undefined
  let watcher: (() => 'break' | void) | undefined
  const doomed = new WeakSet<net.Socket>()
  const replaced = new WeakMap<net.Socket, Buffer>()
  const open = new Set<net.Socket>()
  const greetings: Buffer[] = []
  const proxy = net.createServer((client) => {
    count++
    const server = net.connect(target.port, target.host)
    const end = (): void => {
      for (const socket of [client, server]) {
        socket.destroy()
        open.delete(socket)
      }
    }
    open.add(client)
    client.once('data', (data) => greetings.push(data))
    client.on('data', (data) => {
      if (watcher?.() === 'break' || doomed.has(client)) {
        client.resetAndDestroy()
        end()
      } else if (held?.has(client)) held.get(client)!.push(() => server.write(data))
      else if (!silent) server.write(data)
    }).on('error', end).on('close', end)
    server.on('data', (data) => {
      if (silent) return
      client.write(replaced.get(client) ?? data)
      replaced.delete(client)
    }).on('error', end).on('close', end)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  return {
    port: (proxy.address() as net.AddressInfo).port,
    get count () {
      return count
    },
    greetings,
    breakOnUse: () => {
      for (const socket of open) doomed.add(socket)
    },
    onSend: (callback) => {
      watcher = callback
    },
    holdBack: () => {
      const waiting = new Map([...open].map((client): [net.Socket, Array<() => void>] => [client, []]))
      held = waiting
      return () => {
        held = undefined
        for (const sends of waiting.values()) for (const send of sends) send()
      }
    },
    replaceNext: (bytes) => {
      for (const socket of open) replaced.set(socket, bytes)
    },
    fallSilent: () => {
      silent = true
    },
  }
}
