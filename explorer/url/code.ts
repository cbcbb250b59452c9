/** Writes a request in the forms that people copy: a curl command, a fetch call, a call of the package's client. */
import type { GroupStep } from '../../src/query/filter-names.ts'
import { formatQuery, type Pair } from './address.ts'
import { filtersOf } from './filter-tree.ts'
import { itemsOf } from './filters.ts'
import { namesOf, valueOf } from './names.ts'

/** A request of the page. */
export interface Request {
  readonly method: string
  readonly origin: string
  readonly path: string
  readonly params: readonly Pair[]
  readonly headers: readonly Pair[]
  readonly body?: unknown
  /** The version of the record that the request changes. */
  readonly ifMatch?: string | undefined
  /** The value of Idempotency-Key. */
  readonly key?: string | undefined
}

/** The whole URL of a request. */
export function toUrl ({ origin, path, params }: Request): string {
  return origin + path + formatQuery(params)
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A command for a POSIX shell. `--globoff` keeps curl from interpreting the brackets of the URL. */
export function toCurl (request: Request): string {
  const { method, body } = request
  const parts = [
    `curl --globoff${method === 'GET' ? '' : ` --request ${method}`} ${shellQuote(toUrl(request))}`,
    ...headersOf(request).map(([name, value]) => `--header ${shellQuote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data ${shellQuote(JSON.stringify(body))}`]),
  ]
  return parts.join(' \\\n  ')
}

function headersOf ({ headers, body, ifMatch, key }: Request): readonly Pair[] {
  return [
    ...headers,
    ...(ifMatch === undefined ? [] : [['if-match', ifMatch] as const]),
    ...(key === undefined ? [] : [['idempotency-key', key] as const]),
    ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
  ]
}

const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** A call of fetch. */
export function toFetch (request: Request): string {
  const { method, body } = request
  const headers = headersOf(request)
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0
      ? []
      : [`  headers: { ${headers.map(([name, value]) => `${quote(name)}: ${quote(value)}`).join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, '  ')}),`]),
  ]
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  return `const response = await fetch(${quote(toUrl(request))}${second})\nconst data = await response.json()`
}

/** The kind of literal that stands for a filter's value in code. */
export type ValueKind = 'number' | 'boolean' | 'text'

/** The method of the package's client that sends a request. */
export interface ClientMethod {
  readonly name: 'list' | 'aggregate' | 'create' | 'update' | 'updateMany' | 'deleteMany'
  /** The key of the record. */
  readonly key?: unknown
}

/** The types of filters. */
export interface FilterTypes {
  /** The type of a filter's values. */
  readonly kindOf: (field: string, operator: string | undefined) => ValueKind
  /** Whether an operator takes a list. */
  readonly isList: (field: string, operator: string | undefined) => boolean
}

/** A call of `fastify-crud-kit/client`. */
export function toClient (request: Request, { name, key }: ClientMethod, types: FilterTypes): string {
  const { origin, path, params, headers, body, ifMatch, key: writeKey } = request
  const options = headers.length === 0
    ? ''
    : `, {\n  headers: { ${headers.map(([name, value]) => `${quote(name)}: ${quote(value)}`).join(', ')} },\n}`
  const query = queryOf(params, types)
  const isBatch = name === 'create' && Array.isArray(body)
  const isMany = name === 'updateMany' || name === 'deleteMany'
  const last = defined({
    ifMatch,
    idempotencyKey: writeKey === undefined ? undefined : true,
    hard: valueOf(params, 'hard') === 'true' || undefined,
    dryRun: valueOf(params, 'dry_run') === 'true' || undefined,
  })
  const given = [key, isMany || Object.keys(query).length > 0 ? query : undefined, body]
  const values = [...given.filter((value) => value !== undefined), ...Object.keys(last).length > 0 ? [last] : []]
  const line = values.map((value) => literal(value, '')).join(', ')
  const lines = values.map((value) => `\n  ${literal(value, '  ')}`).join(',')
  return "import { createClient } from 'fastify-crud-kit/client'\n\n" +
    `const api = createClient(${quote(origin)}${options})\n` +
    `const ${isBatch ? 'records' : RESULTS[name]} = await api[${quote(path)}].${isBatch ? 'createMany' : name}` +
    (values.length === 1 || line.length <= 40 ? `(${line})` : `(${lines}\n)`)
}

/** The variables that get the results of methods. */
const RESULTS: Readonly<Record<ClientMethod['name'], string>> = {
  list: 'page',
  aggregate: 'page',
  create: 'record',
  update: 'record',
  updateMany: '{ affected }',
  deleteMany: '{ affected }',
}

function queryOf (params: readonly Pair[], { kindOf, isList }: FilterTypes): Record<string, unknown> {
  const filter: Level = {}
  for (const use of filtersOf(params)) {
    const { field, operator, path = [] } = use
    const level = levelAt(filter, path)
    const kind = kindOf(field, operator)
    const listed = typeof use.value !== 'string' || isList(field, operator)
    const value = listed ? itemsOf(use.value).map((item) => typed(item, kind)) : typed(use.value as string, kind)
    const present = level[field]
    if (operator === undefined) level[field] ??= value
    else {
      level[field] = {
        ...(typeof present === 'object' && !Array.isArray(present) ? present : {}),
        [operator]: value,
      }
    }
  }
  const byInclude = params.flatMap(([name]) => /^fields\[([^\]]+)\]/.exec(name)?.[1] ?? [])
  const number = (name: string): number | undefined => {
    const text = valueOf(params, name)
    return text === undefined ? undefined : Number(text)
  }
  return defined({
    group: namesOf(params, 'group'),
    aggregate: namesOf(params, 'aggregate'),
    filter: Object.keys(filter).length === 0 ? undefined : filter,
    sort: namesOf(params, 'sort'),
    include: namesOf(params, 'include'),
    fields: namesOf(params, 'fields'),
    fieldsByInclude: byInclude.length === 0
      ? undefined
      : Object.fromEntries(byInclude.map((path) => [path, namesOf(params, `fields[${path}]`)])),
    facets: namesOf(params, 'facets'),
    page: number('page'),
    per_page: number('per_page'),
    limit: number('limit'),
    offset: number('offset'),
    cursor: valueOf(params, 'cursor'),
  })
}

/** Conditions and groups that all hold, as the client takes them. */
interface Level {
  [name: string]: unknown
}

/** The level at the end of a path of groups, which is made if it does not exist. */
function levelAt (level: Level, [step, ...more]: readonly GroupStep[]): Level {
  if (step === undefined) return level
  const { word, index } = step
  const members = (level[word] ??= word === 'not' ? {} : []) as Level | Level[]
  if (!Array.isArray(members)) return levelAt(members, more)
  const member = members[index] ?? {}
  members[index] = member
  return levelAt(member, more)
}

const defined = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

function typed (text: string, kind: ValueKind): unknown {
  if (kind === 'number' && text.trim() !== '' && String(Number(text)) === text) return Number(text)
  return kind === 'boolean' && /^(?:true|false)$/.test(text) ? text === 'true' : text
}

const isPlainName = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

/** A value as source text: short lists and objects on one line. */
function literal (value: unknown, indent: string): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${isPlainName(name) ? name : quote(name)}: ${literal(item, inner)}`)
  const [open, close, pad] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return open + close
  const line = `${open}${pad}${parts.join(', ')}${pad}${close}`
  if (line.length + indent.length <= 72 && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close}`
}
