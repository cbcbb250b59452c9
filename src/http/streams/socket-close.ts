/**
 * The end of a socket, for any number of requests on it. A client may send hundreds of requests in a pipeline, and Node.js
 * takes more than ten listeners of one event for a leak.
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

/** Takes back what `onClose` was asked for. */
export function forgetClose (socket: Socket, callback: () => void): void {
  callbacks.get(socket)?.delete(callback)
}
