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
}

/** The parameters of the pagination, in the order of query strings. */
export const PAGINATION = Object.keys(
  { page: true, per_page: true, limit: true, offset: true, cursor: true } satisfies Record<PageParameterName, true>
) as readonly PageParameterName[]

/**
 * Writes a query string, including its `?`. Returns the empty text if there are no parameters.
 *
 * @throws {TypeError} for a value that has no text: NaN, an invalid date, null in a list, an object
 */
export function queryString (query: AnyQuery): string {
  const { filter, sort, include, fields, fieldsByInclude } = query
  const pairs: string[] = []
  const add = (name: string, text: string | number | undefined): void => {
    if (text !== undefined) pairs.push(`${encode(name)}=${encode(String(text))}`)
  }
  const addNames = (name: string, names: readonly string[] | undefined): void => {
    if (names !== undefined && names.length > 0) add(name, names.join())
  }
  for (const [field, value] of Object.entries(filter ?? {})) addFilter(add, `filter[${field}]`, value)
  addNames('sort', sort)
  addNames('include', include)
  addNames('fields', fields)
  for (const [path, names] of Object.entries(fieldsByInclude ?? {})) addNames(`fields[${path}]`, names as string[])
  for (const name of PAGINATION) add(name, query[name])
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

type Add = (name: string, text: string) => void

/**
 * Adds a filter. The value is one for the default operator, a list of such values, `null`, or an object of values by
 * operator.
 */
function addFilter (add: Add, name: string, value: unknown): void {
  if (value === undefined) return
  if (Array.isArray(value)) {
    // without an operator, commas belong to the value, so each item is a parameter; an empty list is written with `in`
    if (value.length === 0) add(`${name}[in]`, '')
    for (const item of value) add(`${name}[]`, textOf(name, item))
  } else if (value === null) add(`${name}[isnull]`, 'true')
  else if (typeof value !== 'object' || value instanceof Date) add(name, textOf(name, value))
  else for (const [operator, operand] of Object.entries(value)) addOperator(add, name, operator, operand)
}

function addOperator (add: Add, name: string, operator: string, value: unknown): void {
  if (value === undefined) return
  const place = `${name}[${operator}]`
  if (value === null && (operator === 'eq' || operator === 'ne')) add(`${name}[isnull]`, String(operator === 'eq'))
  else add(place, Array.isArray(value) ? value.map((item) => quote(textOf(place, item))).join() : textOf(place, value))
}

/** Writes an item of a list, in quotes if the server would otherwise read it differently. */
function quote (item: string): string {
  return item === '' || /[",\\]|^\s|\s$/.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : item
}

function textOf (place: string, value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  const type = typeof value
  if (type === 'number' ? Number.isFinite(value) : TEXTS.includes(type)) return String(value as Scalar)
  const shown = value instanceof Date ? 'an invalid date' : type === 'object' ? JSON.stringify(value) : String(value)
  throw new TypeError(`${place}: ${shown} is not a value for a filter.`)
}

const TEXTS = ['string', 'bigint', 'boolean']

/** Percent-encodes, except characters of the grammar, which are legal in a query and easier to read in logs. */
function encode (text: string): string {
  return encodeURIComponent(text).replace(/%(?:2C|3A|5B|5D)/g, decodeURIComponent)
}
