/** Turns `QueryParams` into the text of a query string. */
import { isOperator } from '../base/operator-names.ts'
import { PAGE_PARAMETER_NAMES } from '../base/page-styles.ts'
import { isGroupWord } from './filter-names.ts'
import { tidyName, tidySort } from './read-names.ts'
import type { Tidy } from './read-names.ts'
import { parseQueryParams } from './parse.ts'
import { SUMMARY_PARAMETERS, type FilterLevel, type QueryParams } from './parsed-query.ts'

/**
 * Writes a query string without a `?`. This is the inverse of `parseQueryParams`, which reads the result as `params`
 * again. All members of `params` are optional. The brackets and commas of the grammar are written verbatim, and
 * everything else is percent-encoded.
 *
 * If the value of a filter is an array, its items are written one by one: `filter[f][in][]=a`. An empty array is
 * written as `filter[f][in]=`, which is the empty list. Parameters in `unknown` are written without a value, because
 * `params` has only their names.
 *
 * @throws TypeError if `params` cannot be written: they contain errors, exceed a limit, break a rule of the grammar, or
 * contain a name that the grammar cannot express, such as one with a comma
 *
 * @example
 * stringifyQueryParams({ filters: [{ field: 'price', operator: 'gte', value: '100' }], sort: ['-created_at', 'name'] })
 * // 'filter[price][gte]=100&sort=-created_at,name'
 */
export function stringifyQueryParams (params: Partial<QueryParams>): string {
  if (params.errors !== undefined && params.errors.length > 0) fail(params.errors[0]!.detail)
  const pairs: string[] = []
  writeLevel(pairs, params, 'filter')
  writeNames(pairs, 'sort', params.sort ?? [], tidySort)
  writeNames(pairs, 'include', params.include ?? [], tidyName)
  writeNames(pairs, 'fields', params.fields ?? [], tidyName)
  for (const [path, names] of Object.entries(params.fieldsByInclude ?? {})) {
    writeNames(pairs, `fields${bracket(path)}`, names, tidyName)
  }
  for (const name of SUMMARY_PARAMETERS) writeNames(pairs, name, params[name] ?? [], tidyName)
  for (const name of PAGE_PARAMETER_NAMES) {
    const value = params[name]
    if (value !== undefined) pairs.push(`${name}=${encode(String(value))}`)
  }
  const unknown = params.unknown ?? []
  for (const name of unknown) pairs.push(`${encode(name).replace(/%5[BD]/g, decodeURIComponent)}=`)
  const text = pairs.join('&')
  const read = parseQueryParams(text)
  if (read.errors.length > 0) fail(read.errors[0]!.detail)
  const known = unknown.find((name) => !read.unknown.includes(name))
  return known === undefined ? text : fail(`${known} in unknown is a parameter of the query language.`)
}

/** @param prefix the name of the level: `filter`, or `filter[or][0]` */
function writeLevel (pairs: string[], { filters = [], groups = [] }: Partial<FilterLevel>, prefix: string): void {
  const written = new Set<string>()
  for (const { field, operator, value } of filters) {
    const name = `${prefix}${bracket(field)}${operator === undefined ? '' : bracket(operator)}`
    if (written.has(name)) fail(`${name} is given twice, which would be read as one filter with a list.`)
    written.add(name)
    if (isGroupWord(field) && operator !== undefined && !isOperator(operator)) {
      fail(`${name} would be read as a group.`)
    }
    if (typeof value === 'string') pairs.push(`${name}=${encode(value)}`)
    else if (!Array.isArray(value)) fail(`The value of ${name} is neither a text nor a list of texts.`)
    else if (value.length > 0) pairs.push(...value.map((item) => `${name}[]=${encode(item)}`))
    else if (operator !== undefined) pairs.push(`${name}=`)
    else fail(`${name} has an empty list but names no operator that takes one.`)
  }
  const words = new Set<string>()
  for (const { word, members } of groups) {
    const name = `${prefix}${bracket(word)}`
    if (words.has(word)) fail(`${name} is given twice, which would be read as one.`)
    words.add(word)
    if (members.length === 0 || (word === 'not' && members.length > 1)) fail(`${name} has ${members.length} members.`)
    for (const [index, member] of members.entries()) {
      const before = pairs.length
      writeLevel(pairs, member, word === 'not' ? name : `${name}[${index}]`)
      if (pairs.length === before) fail(`${name} has a member without a filter.`)
    }
  }
}

function writeNames (pairs: string[], parameter: string, names: readonly string[], tidy: Tidy): void {
  for (const name of names) {
    if (typeof name !== 'string' || name === '' || name.includes(',') || tidy(name) !== name) {
      fail(`${JSON.stringify(name)} in ${parameter} is not a single name.`)
    }
  }
  if (names.length > 0) pairs.push(`${parameter}=${names.map(encode).join(',')}`)
}

function bracket (text: string): string {
  if (text === '' || text.includes('[') || text.includes(']')) {
    fail(`${JSON.stringify(text)} cannot be written in brackets.`)
  }
  return `[${encode(text)}]`
}

/** Percent-encodes a text, except for characters without a special meaning in a query string. */
function encode (text: string): string {
  if (typeof text !== 'string') fail(`A text was expected, not a value of type ${typeof text}.`)
  if (!text.isWellFormed()) fail('A text is not valid Unicode.')
  return encodeURIComponent(text).replace(/%(?:2C|2F|3A|40)/g, decodeURIComponent)
}

function fail (reason: string): never {
  throw new TypeError(`These query parameters cannot be written. ${reason}`)
}
