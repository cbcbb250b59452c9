/** Writes the options of a request as a query string of the API. */
import type { PageParameterName, PageValues } from '../base/page-styles.ts'
import type { AnyValue } from './input-values.ts'

type PageOptions = { readonly [Name in PageParameterName]?: PageValues[Name] | undefined }

/** The query options of all methods, without the restrictions of a resource. Absent and `undefined` mean the same. */
export interface AnyQuery extends PageOptions {
  readonly filter?: object | undefined
  readonly sort?: readonly string[] | undefined
  readonly include?: readonly string[] | undefined
  readonly fields?: readonly string[] | undefined
  readonly fieldsByInclude?: object | undefined
  readonly facets?: readonly string[] | undefined
  readonly group?: readonly string[] | undefined
  readonly aggregate?: readonly string[] | undefined
  readonly hard?: boolean | undefined
  readonly dry_run?: boolean | undefined
  readonly on?: string | readonly string[] | undefined
}

/** The parameters of pages that are counted from the first record. */
export const PLACES = ['page', 'per_page', 'limit', 'offset'] as const satisfies readonly PageParameterName[]

/** The parameters of the pagination. */
export const PAGINATION = [...PLACES, 'cursor', 'count'] as const satisfies readonly PageParameterName[]

/** The parameters with a value or a list of names, in the order of query strings. */
const PARAMETERS = [
  'sort', 'include', 'fields', 'facets', 'group', 'aggregate', 'on', ...PAGINATION, 'hard', 'dry_run',
] as const

/**
 * Writes a query string, including its `?`. Returns the empty text if there are no parameters.
 *
 * @param isComplete whether there must be a filter, with a value for each condition. A condition that is undefined or
 *   empty is an error then. Otherwise it is left out, so that more records match
 * @throws {TypeError} for a value that has no text: NaN, an invalid date, half a character, null in a list, an object;
 *   and for a group without a condition
 */
export function queryString (query: AnyQuery, isComplete = false): string {
  const write: Write = (name, value) =>
    value === undefined && !isComplete ? [] : [`${encode(name)}=${encode(textOf(name, value))}`]
  const { filter = {}, fieldsByInclude = {} } = query
  const pairs = conditionsOf(write, 'filter', filter)
  if (isComplete) checkConditions('filter', pairs)
  const fields = Object.entries(fieldsByInclude).map(([path, names]) => [`fields[${path}]`, names as unknown] as const)
  for (const [name, value] of [...fields, ...PARAMETERS.map((name) => [name, query[name]] as const)]) {
    const text = Array.isArray(value) ? value.join() || false : value ?? false
    if (text !== false) pairs.push(...write(name, text))
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/**
 * A URL with more than 8 000 characters, more than 100 parameters, or more than 100 items in one of them. The server
 * takes 8 KiB of a query string, and a proxy often as much of the whole URL. Without `^`, a long URL would be read from
 * each of its characters again, which takes more than a tenth of a second.
 */
const TOO_LONG = /^.{8001}|(&[^&]*){100}|(,[^&,]*){100}/

/** Whether a URL is too long for the query in it. */
export const needsBody = (url: string): boolean => TOO_LONG.test(url)

/** Writes a parameter. `undefined` is left out, or refused if no condition may be missing. */
type Write = (name: string, value: unknown) => string[]

/** Writes conditions, all of which apply: filters by name, and groups of conditions. */
function conditionsOf (write: Write, place: string, filter: object): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    const at = `${place}[${name}]`
    const members: unknown = name === 'not' ? [value] : /^(and|or)$/.test(name) ? value : null
    if (!Array.isArray(members) || !members.every(isNamedValues)) return filterOf(write, at, value)
    return checkConditions(
      at,
      members.flatMap((member, index) => {
        const inside = name === 'not' ? at : `${at}[${index}]`
        return checkConditions(inside, conditionsOf(write, inside, member))
      })
    )
  })
}

/** @throws {TypeError} if there is no condition */
function checkConditions (place: string, conditions: string[]): string[] {
  if (conditions.length > 0) return conditions
  throw new TypeError(`${place}: without a condition, all records would match.`)
}

/** Writes a filter: a value for the default operator, a list of such values, `null`, or values by operator. */
function filterOf (write: Write, name: string, value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) {
    // without an operator, commas belong to the value, so each item is a parameter
    return value.flatMap((item) => write(`${name}[]`, textOf(name, item)))
  }
  if (value === null) return operationOf(write, name, 'eq', value)
  if (Array.isArray(value)) return operationOf(write, name, 'in', value)
  if (!isNamedValues(value)) return write(name, value)
  const operations = Object.entries(value).flatMap(([operator, one]) => operationOf(write, name, operator, one))
  return operations.length > 0 ? operations : write(name, undefined)
}

function operationOf (write: Write, name: string, operator: string, value: unknown): string[] {
  const place = `${name}[${operator}]`
  return value === null && (operator === 'eq' || operator === 'ne')
    ? write(`${name}[isnull]`, operator === 'eq')
    : write(place, Array.isArray(value) ? value.map((item) => quote(textOf(place, item))).join() : value)
}

/** Whether a value is an object of values by name. */
export const isNamedValues = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Writes an item of a list, in quotes if the server would otherwise read it differently. */
function quote (item: string): string {
  return /^$|[",\\]|^\s|\s$/.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : item
}

function textOf (place: string, value: unknown): string {
  const isText = Number.isFinite(value) || /string|bigint|boolean/.test(typeof value)
  // null for an invalid date
  const text = value instanceof Date ? value.toJSON() as string | null : isText ? String(value as AnyValue) : null
  if (text !== null && !/\p{Cs}/u.test(text)) return text
  throw new TypeError(`${place}: ${shownValue(value)} is not a value for a filter.`)
}

/** A value in the message of an error. */
export const shownValue = (value: unknown): string =>
  typeof value === 'number' || value instanceof Date ? String(value) : JSON.stringify(value)

/** Percent-encodes, except characters of the grammar, which are legal in a query and easier to read in logs. */
function encode (text: string): string {
  return encodeURIComponent(text).replace(/%(?:2C|3A|5B|5D)/g, decodeURIComponent)
}
