/** Writes the options of a request as a query string of the API. */
import type { PageParameterName, PageValues } from '../base/page-styles.ts'

/** A value of a filter, or an item of its list. */
type Scalar = string | number | bigint | boolean | Date

type PageOptions = { readonly [Name in PageParameterName]?: PageValues[Name] | undefined }

/** The query options of all methods, without the restrictions of a resource. Absent and `undefined` mean the same. */
export interface AnyQuery extends PageOptions {
  readonly filter?: object | undefined
  readonly sort?: readonly string[] | undefined
  readonly include?: readonly string[] | undefined
  readonly fields?: readonly string[] | undefined
  readonly fieldsByInclude?: object | undefined
  readonly hard?: boolean | undefined
  readonly dry_run?: boolean | undefined
  readonly on?: string | readonly string[] | undefined
}

/** The parameters of the pagination, in the order of query strings. */
export const PAGINATION = [
  'page', 'per_page', 'limit', 'offset', 'cursor', 'count',
] as const satisfies readonly PageParameterName[]

/**
 * Writes a query string, including its `?`. Returns the empty text if there are no parameters.
 *
 * @param isComplete whether there must be a filter, with a value for each condition. A condition that is undefined or
 *   empty is an error then. Otherwise it is left out, so that more records match
 * @throws {TypeError} for a value that has no text: NaN, an invalid date, null in a list, an object
 */
export function queryString (query: AnyQuery, isComplete = false): string {
  const { filter, sort, include, fields, fieldsByInclude, on } = query
  const pairs: string[] = []
  const add: Add = (name, value) => {
    if (value !== undefined || isComplete) pairs.push(`${encode(name)}=${encode(textOf(name, value))}`)
  }
  const addNames = (name: string, names: readonly string[] | undefined): void => {
    if (names !== undefined && names.length > 0) add(name, names.join())
  }
  for (const [field, value] of Object.entries(filter ?? {})) addFilter(add, `filter[${field}]`, value)
  if (isComplete && pairs.length === 0) throw new TypeError('filter: without a condition, all records would match.')
  addNames('sort', sort)
  addNames('include', include)
  addNames('fields', fields)
  for (const [path, names] of Object.entries(fieldsByInclude ?? {})) addNames(`fields[${path}]`, names as string[])
  if (on !== undefined) add('on', String(on))
  for (const name of [...PAGINATION, 'hard', 'dry_run'] as const) {
    const value = query[name]
    if (value !== undefined && value !== false) add(name, value)
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Adds a parameter. `undefined` is left out, or refused if no condition may be missing. */
type Add = (name: string, value: unknown) => void

/**
 * Adds a filter. The value is one for the default operator, a list of such values, `null`, or an object of values by
 * operator.
 */
function addFilter (add: Add, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    // without an operator, commas belong to the value, so each item is a parameter; an empty list is written with `in`
    if (value.length === 0) add(`${name}[in]`, '')
    for (const item of value) add(`${name}[]`, textOf(name, item))
  } else if (value === null) add(`${name}[isnull]`, 'true')
  else if (typeof value !== 'object' || value instanceof Date) add(name, value)
  else {
    const operators = Object.entries(value)
    for (const [operator, operand] of operators) addOperator(add, name, operator, operand)
    if (operators.length === 0) add(name, undefined)
  }
}

function addOperator (add: Add, name: string, operator: string, value: unknown): void {
  const place = `${name}[${operator}]`
  if (value === null && (operator === 'eq' || operator === 'ne')) add(`${name}[isnull]`, String(operator === 'eq'))
  else add(place, Array.isArray(value) ? value.map((item) => quote(textOf(place, item))).join() : value)
}

/** Writes an item of a list, in quotes if the server would otherwise read it differently. */
function quote (item: string): string {
  return item === '' || /[",\\]|^\s|\s$/.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : item
}

function textOf (place: string, value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  const type = typeof value
  if (type === 'number' ? Number.isFinite(value) : TEXTS.includes(type)) return String(value as Scalar)
  const shown = type === 'object' && !(value instanceof Date) ? JSON.stringify(value) : String(value)
  throw new TypeError(`${place}: ${shown} is not a value for a filter.`)
}

const TEXTS = ['string', 'bigint', 'boolean']

/** Percent-encodes, except characters of the grammar, which are legal in a query and easier to read in logs. */
function encode (text: string): string {
  return encodeURIComponent(text).replace(/%(?:2C|3A|5B|5D)/g, decodeURIComponent)
}
