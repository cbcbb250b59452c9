/**
 * A proxy in front of a server that decides about every piece of the stream, to simulate network failures at a certain
 * statement.
 */
import { once } from 'node:events'
import net from 'node:net'
import type { Test } from 'tap'

/**
 * The fate of a piece of the stream: it passes, it disappears as in a dead network, or the connection is cut, before or
 * after it has passed.
 */
export type Fate = 'pass' | 'lose' | 'cut' | 'pass and cut'
/** A piece whose fate is a promise waits, and so do the following ones. */
export type Rule = (text: string, from: 'client' | 'server') => Fate | Promise<Fate>

export interface Proxy {
  /** The server's URL through the proxy. */
  readonly url: string
  rule: Rule
}

export async function startProxy (t: Test, url: string): Promise<Proxy> {
  const target = new URL(url)
  const { port, hostname } = target
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname)
    const ends = [client, upstream] as const
    const cut = () => ends.forEach((socket) => socket.destroy())
    for (const [from, to, name] of [[client, upstream, 'client'], [upstream, client, 'server']] as const) {
      sockets.add(from)
      from.on('error', cut)
      from.on('close', () => {
        sockets.delete(from)
        cut()
      })
      let before: Promise<unknown> | undefined
      from.on('data', (data) => {
        const fate = proxy.rule(data.toString('latin1'), name)
        if (before === undefined && typeof fate === 'string') return meet(fate, data)
        before = Promise.all([fate, before]).then(([fate]) => meet(fate, data))
      })
      const meet = (fate: Fate, data: Buffer): void => {
        if (fate === 'cut') return cut()
        if (fate === 'pass') to.write(data)
        if (fate === 'pass and cut') to.write(data, () => from.destroy())
      }
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  })
  target.port = String((server.address() as net.AddressInfo).port)
  const proxy: Proxy = { url: target.href, rule: () => 'pass' }
  return proxy
}
