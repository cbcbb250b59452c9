/** Checks the arguments of CrudBase's methods: the session, the query parameters, and the names of the options. */
import { isConnected, isEntityManager, SyncEngine, SyncSession } from '../database/index.ts'
import { ConfigError } from '../base/errors.ts'
import { isObject, isObjectLiteral } from '../base/is-object.ts'
import { checkOptions, hasOnly, quoted, shown } from '../base/option-checks.ts'
import { nearest } from '../base/suggest.ts'
import { parseQueryTree, TREE_MEMBERS, type QueryParams, type QueryTree } from '../query/index.ts'
import { RequestSession } from '../resource/index.ts'

const READ = ['scope', 'includeDeleted', 'context'] as const
const STREAM = [...READ, 'signal'] as const
const CREATE = ['scope', 'values', 'context'] as const

/** The options that each method takes. */
const OPTIONS = {
  list: READ,
  listJson: READ,
  aggregate: READ,
  get: READ,
  getJson: READ,
  count: READ,
  exists: READ,
  query: [...READ, 'order', 'limit'],
  stream: STREAM,
  streamJson: STREAM,
  create: CREATE,
  createMany: CREATE,
  upsert: ['on', 'scope', 'values', 'ifMatch', 'context'],
  update: ['scope', 'includeDeleted', 'ifMatch', 'values', 'context'],
  delete: ['scope', 'ifMatch', 'hard', 'context'],
  restore: ['scope', 'ifMatch', 'context'],
  updateMany: ['scope', 'includeDeleted', 'values', 'context', 'maxAffected', 'dryRun'],
  deleteMany: ['scope', 'hard', 'context', 'maxAffected', 'dryRun'],
} as const

/** The name of a method. */
type Method = keyof typeof OPTIONS

/**
 * Checks the arguments of a call. A correct call costs a few type checks and one look at the names of its options.
 *
 * @param crud the CrudBase whose method was called, for its name in errors
 * @throws {ConfigError} for a wrong argument; the message says what to pass
 */
export function checkCall (crud: object, method: Method, session: unknown, options: unknown, params: unknown): void {
  if (!isSession(session)) throw new ConfigError(wrongSession(nameOf(crud, method), session))
  if (params !== undefined && !isQueryParams(params) && !isQueryTree(params)) {
    throw new ConfigError(wrongParams(crud, method, params))
  }
  if (!hasOnly(options, OPTIONS[method])) checkOptions(nameOf(crud, method), options, OPTIONS[method])
  const wrong = options === undefined ? undefined : wrongValue(options as Readonly<Record<string, unknown>>)
  if (wrong !== undefined) throw new ConfigError(`${nameOf(crud, method)}: ${wrong}`)
}

/** The types of options that no other function reads: a wrong value would have no effect, or that of another value. */
const VALUES: Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, expected: string]>> = {
  includeDeleted: [(value) => typeof value === 'boolean', 'a boolean'],
  hard: [(value) => typeof value === 'boolean', 'a boolean'],
  dryRun: [(value) => typeof value === 'boolean', 'a boolean'],
  maxAffected: [(value) => Number.isSafeInteger(value) && value as number >= 1, 'an integer, at least 1'],
  ifMatch: [(value) => typeof value === 'string', 'the text of a header If-Match, such as \'"1"\''],
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  order: [(value) => typeof value === 'boolean', 'a boolean'],
  limit: [(value) => typeof value === 'boolean', 'a boolean'],
  context: [isObject, 'an object'],
}

/** The sentence that refuses the first option with a wrong value. An option that is undefined counts as not given. */
function wrongValue (options: Readonly<Record<string, unknown>>): string | undefined {
  for (const name in options) {
    const [value, rule] = [options[name], VALUES[name]]
    if (value === undefined || rule === undefined || rule[0](value)) continue
    return `'${name}' must be ${rule[1]}, got ${shown(value)}.`
  }
  return undefined
}

/**
 * The same check for methods that return values on a synchronous session and promises on others.
 *
 * @returns `undefined` for a correct call, else a promise that is rejected with the error
 * @throws {ConfigError} on a synchronous session
 */
export function refusalOfCall (
  crud: object,
  method: Method,
  session: unknown,
  options: unknown,
  params: unknown
): Promise<never> | undefined {
  try {
    checkCall(crud, method, session, options, params)
    return undefined
  } catch (error) {
    if (session instanceof SyncSession || session instanceof SyncEngine || isDisconnected(session)) throw error
    return Promise.reject(error)
  }
}

const isSession = (value: unknown): boolean =>
  value instanceof RequestSession || value instanceof SyncSession ||
  (isEntityManager(value) && !isDisconnected(value))

/** Whether a value is the EntityManager of a synchronous session, or a fork of it. */
const isDisconnected = (value: unknown): boolean => isEntityManager(value) && !isConnected(value)

/** Whether a value has all members of query parameters. Copies such as `{ ...params, page: 2 }` are allowed. */
function isQueryParams (value: unknown): value is QueryParams {
  if (typeof value !== 'object' || value === null) return false
  const { filters, groups, sort, include, fields, fieldsByInclude, unknown, errors } = value as Partial<QueryParams>
  return Array.isArray(filters) && Array.isArray(groups) && Array.isArray(sort) && Array.isArray(include) &&
    Array.isArray(fields) &&
    Array.isArray(unknown) && Array.isArray(errors) && typeof fieldsByInclude === 'object' && fieldsByInclude !== null
}

/** Whether a value is an object with members of a tree only. */
const isQueryTree = (value: unknown): value is QueryTree =>
  isObjectLiteral(value) && Object.keys(value).every((name) => TREE_MEMBERS.has(name))

/** Query parameters as the methods take them: parsed, or as an object. */
export type CrudParams = QueryParams | QueryTree

/** The query parameters of a method, whose form has been checked. */
export const readParams = (params: CrudParams): QueryParams => isQueryParams(params) ? params : parseQueryTree(params)

const nameOf = (crud: object, method: Method): string => `${crud.constructor.name}.${method}`

function wrongSession (name: string, given: unknown): string {
  if (given instanceof SyncEngine) {
    return `${name} takes a session first: database.getSessionMaker(engine)(); it got a SyncEngine.`
  }
  if (isDisconnected(given)) {
    return `${name} takes a synchronous session first; it got the session's EntityManager, which has no connection: ` +
      'pass the session itself, which is context.session in a hook.'
  }
  return `${name} takes an EntityManager first: request.em in a route, orm.em.fork() elsewhere; it got ${
    kindOf(given)
  }.`
}

/** The name of a value that was passed instead of an EntityManager, for the error. */
function kindOf (given: unknown): string {
  if (typeof given !== 'object' || given === null) return shown(given)
  if ('inject' in given && 'register' in given) return 'the Fastify instance'
  if ('raw' in given && 'request' in given) return 'a Fastify reply'
  if ('raw' in given && 'routeOptions' in given) return 'a Fastify request'
  if ('em' in given && isEntityManager(given.em)) return 'a MikroORM instance'
  return isQueryParams(given) ? 'query parameters' : shown(given)
}

/** The members of an object with query parameters, if one of its names is nearly that of a member. */
function misspelt (names: readonly string[]): string {
  const members = [...TREE_MEMBERS]
  for (const name of names) {
    const near = TREE_MEMBERS.has(name) ? undefined : nearest(name, members)
    if (near !== undefined) return ` Did you mean '${near}'? Its members are ${quoted(members)}.`
  }
  return ''
}

function wrongParams (crud: object, method: Method, given: unknown): string {
  // the text may come from a client, so the error does not quote it
  const got = typeof given === 'string' ? 'a text' : shown(given)
  const options: readonly string[] = OPTIONS[method]
  const names = typeof given === 'object' && given !== null ? Object.keys(given) : []
  const misplaced = names.some((key) => options.includes(key))
  const name = nameOf(crud, method)
  const hint = misplaced ? " Options come after 'params', which may be undefined." : misspelt(names)
  return `${name} takes query parameters as 'params': pass parseQueryParams(...), request.queryParams or ` +
    `an object such as { filter: { name: 'x' } }; it got ${got}.${hint}`
}
