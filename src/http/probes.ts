/**
 * Probes: requests that the server sends to its own routes with the headers of a client. A probe passes every hook of
 * the route, such as those that find out who the client is. It ends at the handler, which hands it back.
 */
import type { FastifyInstance, FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { RouteHandler } from './routes/route-input.ts'

/** Takes the place of a handler for one request. It gets the handler that it replaces. */
type RouteProbe = (handler: RouteHandler, ...args: Parameters<RouteHandler>) => ReturnType<RouteHandler>

/** Its value is a random text that only the server knows, so that no client can send a probe. */
const HEADER = 'x-fastify-crud-kit-probe'

const probes = new Map<string, RouteProbe>()

/** Wraps the handler of a route so that probes end at it. */
export function answersProbes (handler: RouteHandler): RouteHandler {
  return (request, reply) => {
    const token = request.headers[HEADER]
    const probe = token === undefined ? undefined : probes.get(String(token))
    return probe === undefined ? handler(request, reply) : probe(handler, request, reply)
  }
}

/** Headers of a request that belong to its connection, its body or its cache, and to no other request. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'keep-alive', 'range', 'te',
  'trailer', 'transfer-encoding', 'upgrade',
])

/**
 * Sends a probe with the headers and the address of a client's request.
 *
 * @returns the answer of the route, which is the probe's if the request has reached the handler
 */
export async function sendProbe (
  fastify: FastifyInstance,
  { headers, socket }: FastifyRequest,
  url: string,
  probe: RouteProbe
): Promise<LightMyRequestResponse> {
  const token = randomUUID()
  const own = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name) && !name.startsWith('if-'))
  const options: InjectOptions = {
    method: 'GET',
    url,
    headers: { ...Object.fromEntries(own), accept: 'application/json', [HEADER]: token } as Record<string, string>,
    ...(socket.remoteAddress !== undefined && { remoteAddress: socket.remoteAddress }),
  }
  probes.set(token, probe)
  try {
    return await fastify.inject(options)
  } finally {
    probes.delete(token)
  }
}
