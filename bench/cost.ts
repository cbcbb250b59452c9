/** The costs of requests: the time that a server and PostgreSQL take for each of them. */
import type { Backends } from './backends.ts'
import { Load, type NextRequest } from './load.ts'
import type { ServerProcess } from './server-process.ts'

/** CPU times are in microseconds for each request. */
export interface Cost {
  readonly cpu: number
  readonly postgresCpu: number | undefined
  readonly perSecond: number
  /** In milliseconds, sorted. */
  readonly latencies: Float64Array
}

/** A server that takes part in a round. */
export interface Party {
  readonly server: ServerProcess
  /** The name under which it is connected to PostgreSQL. */
  readonly owner: string
  readonly next: NextRequest
}

interface RoundOptions {
  readonly backends: Backends
  /** Connections of the client to each server. */
  readonly connections: number
  /** The time for which each server gets requests. They may end before. */
  readonly seconds: number
}

/**
 * The time for which a server gets requests before it is another one's turn, in milliseconds. What else happens on the
 * machine changes the CPU time of a request twofold within seconds, so that turns of half a second do not meet the same
 * conditions. Turns as short as this one do. In much shorter ones, connections would mostly start and end.
 */
const SLICE = 50

/**
 * Sends requests to all servers, which take turns in short slices of time, and measures what a request costs each of
 * them.
 *
 * @returns the costs in the order of `parties`
 */
export async function costsOf (
  parties: readonly Party[],
  { backends, connections, seconds }: RoundOptions
): Promise<readonly Cost[]> {
  const spent = () =>
    Promise.all(parties.map(async ({ server, owner }) => ({
      cpu: await server.cpu(),
      postgres: await backends.cpu(owner),
    })))
  const loads = await Promise.all(parties.map(({ server, next }) => Load.open(server.port, connections, next)))
  try {
    const before = await spent()
    for (let busy = loads; busy.length > 0;) {
      const more = new Set<Load>()
      // a server finds in the caches what the one before it has left there, so the order changes
      for (const load of shuffled(busy)) if (await load.run(SLICE) && load.seconds < seconds) more.add(load)
      busy = busy.filter((load) => more.has(load))
    }
    const after = await spent()
    return loads.map(({ requests, seconds, latencies }, index) => {
      if (requests === 0) throw new Error(`${parties[index]!.owner} got no request`)
      const [from, to] = [before[index]!, after[index]!]
      return {
        cpu: (to.cpu - from.cpu) / requests,
        postgresCpu: from.postgres === undefined || to.postgres === undefined
          ? undefined
          : (to.postgres - from.postgres) / requests,
        perSecond: requests / seconds,
        latencies,
      }
    })
  } finally {
    for (const load of loads) load.close()
  }
}

/** Copies the items in a random order, by the algorithm of Fisher and Yates. */
function shuffled<T> (items: readonly T[]): T[] {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const chosen = Math.floor(Math.random() * (last + 1))
    ;[order[last], order[chosen]] = [order[chosen]!, order[last]!]
  }
  return order
}

/**
 * Deals the numbers of requests to servers that share a sequence of them, so that no two of them write the same.
 *
 * @param length the number of requests
 * @param once whether each is sent at most once. Otherwise they start over
 */
export function sequence (length: number, once = false): () => number | undefined {
  let n = 0
  return () => once && n === length ? undefined : n++ % length
}

/** The requests of one server, by the numbers that it is dealt. */
export const dealt = (numbers: () => number | undefined, requests: readonly Buffer[]): NextRequest => () => {
  const n = numbers()
  return n === undefined ? undefined : requests[n]!
}

/**
 * Deals requests that may be sent once only. Each server has a share of its own, so that they send as many, even if one
 * of them could send all in its first turn.
 *
 * @param share which of the shares, from 0
 * @param shares the number of servers
 */
export function dealtShare (requests: readonly Buffer[], share: number, shares: number): NextRequest {
  const own = requests.filter((_, n) => n % shares === share)
  return dealt(sequence(own.length, true), own)
}
