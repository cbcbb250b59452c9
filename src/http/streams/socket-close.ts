/**
 * Calls back when a socket closes, for any number of requests on it, by one listener. A client may pipeline hundreds of
 * requests, and Node.js warns of a leak if an event has more than ten listeners.
 */
import type { Socket } from 'node:net'

const callbacks = new WeakMap<Socket, Set<() => void>>()

/** Calls `callback` when the socket closes, unless `forgetClose` comes first. */
export function onClose (socket: Socket, callback: () => void): void {
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
export function forgetClose (socket: Socket, callback: () => void): void {
  callbacks.get(socket)?.delete(callback)
}
