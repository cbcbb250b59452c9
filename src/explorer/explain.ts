/** Explains a request: the statements that it runs, PostgreSQL's plans of them, and indexes that it lacks. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyReply, FastifyRequest, LightMyRequestResponse } from 'fastify'
import { missingIndexes, ownerColumns } from '../advice/index.ts'
import { knownResources, sendProbe, type KnownResource } from '../http/index.ts'
import { DEFAULT_SORT } from '../plan/index.ts'
import type { FilterLevel } from '../query/index.ts'
import { preparedValues, recorded, run, type RecordedStatement } from '../run/index.ts'
import { roleOf } from './callers.ts'
import type { ExplainedStatement, Explanation } from './description.ts'

/**
 * Sends a GET as the caller would, and explains the statements that it has run. Each of them runs a second time.
 *
 * @param path the path and the query string, from the root of the API
 * @returns the explanation, or if the request has failed or is not one of a generated route, its answer
 */
export async function explain (
  fastify: FastifyInstance,
  request: FastifyRequest,
  path: string
): Promise<Explanation | LightMyRequestResponse> {
  let explanation: Explanation | undefined
  const answer = await sendProbe(fastify, request, path, async (handler, probe, reply) => {
    // `send` sends nothing, because the end of a request cancels its statements. Without `then`, `await` does not wait
    // until the reply is sent
    const silent = Object.create(reply, { send: { value: () => silent }, then: { value: undefined } }) as FastifyReply
    const statements = await recorded(async () => await handler(probe, silent))
    explanation = await explainAll(fastify, probe, statements)
    return reply.code(204).send()
  })
  return explanation ?? answer
}

async function explainAll (
  fastify: FastifyInstance,
  probe: FastifyRequest,
  statements: readonly RecordedStatement[]
): Promise<Explanation> {
  const { resource: name } = probe.routeOptions.config.crud!
  const known = knownResources(fastify).find(({ routed }) => routed.name === name)
  return {
    statements: await Promise.all(statements.map(async (statement) => await explained(probe.em, statement))),
    advice: known === undefined ? [] : await adviceFor(probe, known),
  }
}

async function explained (em: EntityManager, statement: RecordedStatement): Promise<ExplainedStatement> {
  const { text, values, readOnly, duration } = statement
  const rows = readOnly === true
    ? await run(em, { text: `explain (analyze, buffers) ${text}`, values, readOnly })
    : []
  return {
    sql: text,
    parameters: preparedValues(values).map((value) => value === null ? null : String(value)),
    plan: rows.map((row) => String(Object.values(row)[0])),
    milliseconds: Math.round(duration * 100) / 100,
  }
}

/** A sentence for each missing index that this request would use. */
async function adviceFor (probe: FastifyRequest, known: KnownResource): Promise<string[]> {
  const { whitelist } = (roleOf(probe, known) ?? known.routed).bound
  const uses = usesOf(probe)
  const { limits, options: { scope }, routed } = known
  const owners = ownerColumns([...limits?.access.roles.values() ?? []], scope === undefined ? [] : [routed.bound.model])
  const missing = await missingIndexes(probe.em, [whitelist], owners)
  return missing.flatMap(({ sql, uses: wanted, guess }) => {
    const own = wanted.filter((use) => uses.has(use))
    const rows = guess === undefined ? '' : `; -- for rows that ${guess} limits`
    return own.length === 0 ? [] : [`There is no index behind ${own.join(', ')}: ${sql}${rows}`]
  })
}

/** The uses of indexes that a request has, in the words of the advice. Only a list has an order of rows. */
function usesOf ({ queryParams, routeOptions }: FastifyRequest): ReadonlySet<string> {
  const { sort, include } = queryParams
  const isList = routeOptions.config.crud!.operation === 'list'
  return new Set([
    ...fieldsOf(queryParams).map((field) => `filter[${field}]`),
    ...isList ? sort.map((item) => `sort=${item.replace(/^[+\- ]/, '')}`) : [],
    ...isList && sort.length === 0 ? [DEFAULT_SORT] : [],
    ...include.map((path) => `include=${path}`),
  ])
}

/** The filters of a level, and of all groups in it. */
const fieldsOf = ({ filters, groups }: FilterLevel): string[] => [
  ...filters.map(({ field }) => field),
  ...groups.flatMap(({ members }) => members.flatMap(fieldsOf)),
]
