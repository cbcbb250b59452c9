/** The way back: QueryParams become the text of a query string. */
import { tidyName, tidySort } from './names.ts'
import type { Tidy } from './names.ts'
import { parseQueryParams } from './parse.ts'
import type { FilterParam, QueryParams } from './types.ts'

const PAGINATION = ['page', 'per_page', 'limit', 'offset', 'cursor'] as const

/**
 * Writes a query string, without a `?`. The inverse of `parseQueryParams`: what it returns is read as `params` again.
 * Parts may be missing. Brackets and commas of the grammar stay readable, everything else is percent-encoded.
 *
 * An array as a filter's value is written as literal items, `filter[f][in][]=a`; an empty one as an empty parameter,
 * `filter[f][in]=`, which is the empty list. Parameters in `unknown` are left out: their values are not part of the params.
 *
 * @throws TypeError when `params` can't be written: they hold errors, exceed a limit, break a rule of the grammar, or
 * hold a name that it has no way to write, as one with a comma
 *
 * @example
 * stringifyQueryParams({ filters: [{ field: 'price', operator: 'gte', value: '100' }], sort: ['-created_at', 'name'] })
 * // 'filter[price][gte]=100&sort=-created_at,name'
 */
export function stringifyQueryParams (params: Partial<QueryParams>): string {
  if (params.errors !== undefined && params.errors.length > 0) fail(params.errors[0]!.detail)
  const pairs: string[] = []
  writeFilters(pairs, params.filters ?? [])
  writeNames(pairs, 'sort', params.sort ?? [], tidySort)
  writeNames(pairs, 'include', params.include ?? [], tidyName)
  writeNames(pairs, 'fields', params.fields ?? [], tidyName)
  for (const [path, names] of Object.entries(params.fieldsByInclude ?? {})) {
    writeNames(pairs, `fields${bracket(path)}`, names, tidyName)
  }
  for (const name of PAGINATION) {
    const value = params[name]
    if (value !== undefined) pairs.push(`${name}=${encode(String(value))}`)
  }
  const text = pairs.join('&')
  const [error] = parseQueryParams(text).errors
  return error === undefined ? text : fail(error.detail)
}

function writeFilters (pairs: string[], filters: readonly FilterParam[]): void {
  const written = new Set<string>()
  for (const { field, operator, value } of filters) {
    const name = `filter${bracket(field)}${operator === undefined ? '' : bracket(operator)}`
    if (written.has(name)) fail(`${name} is there twice, which would be read as one filter with a list.`)
    written.add(name)
    if (typeof value === 'string') pairs.push(`${name}=${encode(value)}`)
    else if (!Array.isArray(value)) fail(`The value of ${name} is neither a text nor a list of texts.`)
    else if (value.length > 0) pairs.push(...value.map((item) => `${name}[]=${encode(item)}`))
    else if (operator !== undefined) pairs.push(`${name}=`)
    else fail(`${name} has an empty list but names no operator that takes one.`)
  }
}

function writeNames (pairs: string[], parameter: string, names: readonly string[], tidy: Tidy): void {
  for (const name of names) {
    if (typeof name !== 'string' || name === '' || name.includes(',') || tidy(name) !== name) {
      fail(`${JSON.stringify(name)} in ${parameter} is no single name.`)
    }
  }
  if (names.length > 0) pairs.push(`${parameter}=${names.map(encode).join(',')}`)
}

function bracket (text: string): string {
  if (text === '' || text.includes('[') || text.includes(']')) fail(`${JSON.stringify(text)} can't stand in brackets.`)
  return `[${encode(text)}]`
}

/** Percent-encodes, but for characters that have no meaning of their own in a query string. */
function encode (text: string): string {
  if (typeof text !== 'string') fail(`${typeof text} where a text is needed.`)
  if (!text.isWellFormed()) fail('A text is not valid Unicode.')
  return encodeURIComponent(text).replace(/%(?:2C|2F|3A|40)/g, decodeURIComponent)
}

function fail (reason: string): never {
  throw new TypeError(`These query parameters can't be written. ${reason}`)
}
