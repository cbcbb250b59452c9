/** Reads the query string of a request, by the kind that its operation has. */
import type { FastifyRequest } from 'fastify'
import { removes, type OperationFacts } from '../../config/index.ts'
import {
  checkGet, checkWriteQuery, hasUnknown, planAggregate, planList, planMany, planStream, readUpsertKey,
  type AggregatePlan, type ManyTarget, type QueryRules, type Selection, type UpsertKey,
} from '../../plan/index.ts'
import { MAX_QUERY_BYTES, type QueryParamError, type QueryParams } from '../../query/index.ts'
import type { CheckedQuery } from '../../resource/index.ts'
import { declaredParameters } from '../declared-parameters.ts'
import type { CrudOperation } from '../route-options.ts'
import { startOfQuery } from '../start-of-query.ts'
import type { StreamFormat } from '../streams/formats.ts'
import type { SeenResource } from './seen-resource.ts'

type QueryKind = OperationFacts['query']

/** What a query string says, by its kind. `options` are those of the operation. */
export type ReadQuery =
  | {
    readonly kind: 'list',
    /** A stream has no plan of a page. It plans itself. */
    readonly checked: CheckedQuery,
    /** The properties, includes and numbers of the records. */
    readonly selection: Selection,
  }
  | { readonly kind: 'record', readonly checked: CheckedQuery }
  | { readonly kind: 'groups', readonly plan: AggregatePlan }
  | { readonly kind: 'none', readonly options: { readonly hard: boolean } | undefined }
  | { readonly kind: 'key', readonly key: UpsertKey }
  | {
    readonly kind: 'filters',
    readonly target: ManyTarget,
    readonly options: { readonly dryRun: boolean, readonly hard?: boolean },
  }

/** The input of a route, as far as its query string needs it. */
interface QueryInput {
  readonly request: FastifyRequest & { readonly query: Readonly<Record<string, unknown>> }
  readonly operation: CrudOperation
  readonly seen: SeenResource
  readonly format: StreamFormat | undefined
}

/**
 * Reads the query strings of each kind.
 *
 * @throws one error for all mistakes in the query string
 */
export const QUERY_STRINGS: {
  readonly [Kind in QueryKind]: (input: QueryInput) => ReadQuery & { readonly kind: Kind }
} = {
  list: (input) => {
    const { request: { queryParams: params }, seen: { whitelist } } = input
    if (input.format !== undefined) {
      const { selection } = planStream(params, whitelist, rulesFor(input))
      return { kind: 'list', checked: checkedBy(input, undefined), selection }
    }
    const plan = planList(params, whitelist, rulesFor(input))
    return { kind: 'list', checked: checkedBy(input, plan), selection: plan.selection }
  },

  record: (input) => {
    checkGet(input.request.queryParams, input.seen.whitelist, rulesFor(input))
    return { kind: 'record', checked: checkedBy(input, undefined) }
  },

  groups: (input) => {
    const { request: { queryParams }, seen: { resource: { whitelist } }, format } = input
    const rules = { ...rulesFor(input), allGroups: format !== undefined }
    return { kind: 'groups', plan: planAggregate(queryParams, whitelist, rules) }
  },

  none: (input) => {
    checkNames(input, ['hard'], ownParameters(input), mistakesOf({ hard: hardMistake(input) }))
    if (!removes(input.operation)) return NOTHING
    return input.request.query['hard'] === 'true' ? REMOVING_HARD : REMOVING_NOTHING_MORE
  },

  key: (input) => {
    const { key, error } = readUpsertKey(input.request.query['on'], input.seen.resource.upsertKeys)
    checkNames(input, ON, ON, error === undefined ? NO_MISTAKES : [error])
    return { kind: 'key', key: key! }
  },

  filters: (input) => {
    const { request: { queryParams, query }, operation, seen: { resource: { whitelist, model } } } = input
    const dryRun = query['dry_run'] === 'true'
    const hard = removes(operation) ? query['hard'] === 'true' : undefined
    const target = planMany(
      without(queryParams, STRICT),
      whitelist,
      {
        ...rulesOfWrite(input, ['dry_run', ...ownParameters(input)]),
        onlyLive: model.deletedAt !== undefined && hard !== true,
      },
      mistakesOf({
        hard: hardMistake(input),
        dry_run: isFlag(query['dry_run']) ? undefined : "'dry_run' is true or false.",
      })
    )
    return { kind: 'filters', target, options: hard === undefined ? { dryRun } : { dryRun, hard } }
  },
}

/** The query string of an input, which has been checked. */
const checkedBy = (
  { request: { queryParams: params }, seen: { resource, whitelist } }: QueryInput,
  plan: CheckedQuery['plan']
): CheckedQuery => ({ params, of: resource.whitelist, whitelist, plan })

const ON: readonly string[] = ['on']
const NO_MISTAKES: readonly QueryParamError[] = []
const NOTHING = { kind: 'none', options: undefined } as const
const REMOVING_HARD = { kind: 'none', options: { hard: true } } as const
const REMOVING_NOTHING_MORE = { kind: 'none', options: { hard: false } } as const

/**
 * Refuses parameters that a write does not take. Most requests have only those that the write reads itself.
 *
 * @param own the parameters that the write reads itself
 * @param taken those of them that the route takes
 * @param mistakes the errors of the parameters that the write reads itself
 */
function checkNames (
  input: QueryInput,
  own: readonly string[],
  taken: readonly string[],
  mistakes: readonly QueryParamError[]
): void {
  const { request, seen: { resource: { whitelist } } } = input
  if (mistakes.length === 0 && hasOnly(own, request)) return
  checkWriteQuery(without(request.queryParams, own), whitelist, rulesOfWrite(input, taken), mistakes)
}

/**
 * Whether a query string certainly has only parameters with these names. One that is too long or encoded may be refused
 * for another reason, so it takes the full check.
 */
function hasOnly (names: readonly string[], { url, query, server }: QueryInput['request']): boolean {
  for (const name of Object.keys(query)) if (!names.includes(name)) return false
  const start = startOfQuery(url, server)
  return start === -1 || (url.length - start <= MAX_QUERY_BYTES && !url.includes('%', start))
}

/** The rules of a write that takes these parameters, beside those that a schema of the application has. */
const rulesOfWrite = (input: QueryInput, taken: readonly string[]): QueryRules => ({
  ...rulesWith(input, taken),
  strict: STRICT,
})

/**
 * The parameters that are refused even if unknown parameters are ignored: without `hard`, the row would not be removed,
 * and without `dry_run`, it would be written.
 */
const STRICT: readonly string[] = ['hard', 'dry_run']

/** The rules of the route for the query string of a request. Most requests have no unknown parameters. */
const rulesFor = (input: QueryInput): QueryRules => {
  if (hasUnknown(input.request.queryParams)) return rulesWith(input, [])
  return input.seen.options.query === true ? WITH_GROUPS : WITHOUT_GROUPS
}

const WITH_GROUPS: QueryRules = { groups: true }
const WITHOUT_GROUPS: QueryRules = { groups: false }

/** The same, with other parameters that the route takes: its own, and those that a schema of the application has. */
function rulesWith ({ request, seen }: QueryInput, own: readonly string[]): QueryRules {
  const { names, open } = declaredParameters(request)
  return {
    refuseUnknown: seen.options.unknownParameters !== 'ignore' && !open,
    declared: [...own, ...names],
    groups: seen.options.query === true,
  }
}

const allowsHard = ({ seen, operation }: QueryInput): boolean =>
  removes(operation) && seen.options.allowHardDelete === true

const ownParameters = (input: QueryInput): readonly string[] => allowsHard(input) ? ['hard'] : []

/** Query parameters without some that the route checks itself. */
function without (params: QueryParams, names: readonly string[]): QueryParams {
  return { ...params, unknown: params.unknown.filter((name) => !names.includes(name)) }
}

/** The errors of parameters, by their names. */
function mistakesOf (mistakes: Readonly<Record<string, string | undefined>>): readonly QueryParamError[] {
  return Object.entries(mistakes).flatMap(([parameter, detail]) =>
    detail === undefined ? [] : [{ source: { parameter }, code: 'FST_CRUD_QUERY_INVALID', detail }]
  )
}

const isFlag = (value: unknown): boolean => value === undefined || value === 'true' || value === 'false'

function hardMistake (input: QueryInput): string | undefined {
  const hard = input.request.query['hard']
  if (hard === undefined) return undefined
  if (!removes(input.operation)) return "'hard' belongs to DELETE."
  if (!allowsHard(input)) return "'hard' is not enabled for this resource."
  return isFlag(hard) ? undefined : "'hard' is true or false."
}
