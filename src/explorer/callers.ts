/**
 * Finds out which resources the sender of a request may use, by asking the routes of each resource. So the hooks of the
 * routes, their scopes and their roles decide, as they do for the requests of the page.
 */
import type { FastifyInstance, FastifyRequest, LightMyRequestResponse } from 'fastify'
import { knownActorOf, keySegments, knownResources, sendProbe, type KnownResource } from '../http/index.ts'
import { exampleOf } from '../schema/index.ts'
import type { UsableResource } from './show-resource.ts'

/** The answers of the routes: which resources the caller may use, and how the others refuse. */
interface ResourceAnswers {
  readonly usable: readonly UsableResource[]
  /** The answers of resources that the caller may not use. */
  readonly refusals: readonly LightMyRequestResponse[]
}

/** The number of resources that are asked at the same time. The hooks of each may use the database. */
const CONCURRENCY = 8

/** Asks all resources of the server, in the order of their registration. */
export async function askResources (fastify: FastifyInstance, request: FastifyRequest): Promise<ResourceAnswers> {
  // the page cannot know the values of parameters in a prefix
  const asked = knownResources(fastify).filter(({ prefix }) => !prefix.includes(':') && !prefix.includes('*'))
  const answers = new Array<UsableResource | LightMyRequestResponse | undefined>(asked.length)
  const indices = asked.keys()
  const work = async (): Promise<void> => {
    for (const index of indices) answers[index] = await ask(fastify, request, asked[index]!)
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, asked.length) }, work))
  const usable: UsableResource[] = []
  const refusals: LightMyRequestResponse[] = []
  for (const answer of answers) {
    if (answer === undefined) continue
    if ('known' in answer) usable.push(answer)
    else refusals.push(answer)
  }
  return { usable, refusals }
}

/** Asks the route of lists, or if it refuses, the route of single records. Other resources are not in the document. */
async function ask (
  fastify: FastifyInstance,
  request: FastifyRequest,
  known: KnownResource
): Promise<UsableResource | LightMyRequestResponse | undefined> {
  let refusal: LightMyRequestResponse | undefined
  for (const url of urlsOf(known)) {
    let usable: UsableResource | undefined
    const answer = await sendProbe(fastify, request, url, async (_handler, probe, reply) => {
      await known.options.scope?.(probe)
      usable = { known, role: roleOf(probe, known) }
      return reply.code(204).send()
    })
    if (usable !== undefined && answer.statusCode === 204) return usable
    refusal ??= answer
  }
  return refusal
}

function urlsOf ({ prefix, routed: { bound, operations } }: KnownResource): string[] {
  const key = keySegments(bound.model).map(({ column: { type, codec } }) =>
    encodeURIComponent(codec === undefined ? String(exampleOf(type)) : 'example')
  )
  return [
    ...operations.includes('list') ? [prefix === '' ? '/' : prefix] : [],
    ...operations.includes('get') ? [[prefix, ...key].join('/')] : [],
  ]
}

/** The resource of the request's role. The guard of the route has settled the role. */
export function roleOf (request: FastifyRequest, { limits }: KnownResource): UsableResource['role'] {
  const actor = knownActorOf(request)
  if (limits === undefined || actor === undefined || actor instanceof Promise) return undefined
  return limits.resources.find(({ role }) => role === actor.role)
}

/**
 * The answer of a server that refuses all resources: the first demand for credentials, or else the first refusal.
 * `undefined` if there is no refusal.
 */
export function refusalOfAll (refusals: readonly LightMyRequestResponse[]): LightMyRequestResponse | undefined {
  return refusals.find(({ statusCode }) => statusCode === 401) ??
    refusals.find(({ statusCode }) => statusCode === 403) ?? refusals[0]
}
