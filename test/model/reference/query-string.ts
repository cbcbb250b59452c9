/** The query string as text: its parameters, and mistakes in how they are written. */
import type { Problem, ProblemKind } from './problems.ts'

/** A filter as written: the text of one parameter, or the items of one that is repeated or has `[]`. */
export interface WrittenFilter {
  readonly parameter: string
  /** The groups around it, the outermost first. */
  readonly groups: readonly GroupStep[]
  readonly field: string
  readonly operator: string | undefined
  readonly value: string | readonly string[]
}

/** A group, and the member that has the filter. */
export interface GroupStep {
  readonly word: string
  readonly member: string
}

/** A name in a list, and its parameter. */
export interface WrittenName {
  readonly name: string
  readonly parameter: string
}

export interface WrittenQuery {
  readonly filters: readonly WrittenFilter[]
  readonly sort: readonly WrittenName[]
  readonly include: readonly WrittenName[]
  readonly fields: readonly WrittenName[]
  readonly fieldsByInclude: Readonly<Record<string, readonly WrittenName[]>>
  readonly group: readonly WrittenName[]
  readonly aggregate: readonly WrittenName[]
  readonly facets: readonly WrittenName[]
  /** `page`, `per_page`, `limit`, `offset`, `cursor` and `count`, at most once each. */
  readonly pagination: Readonly<Record<string, string>>
  /** Unknown parameters. */
  readonly unknown: readonly string[]
  readonly problems: readonly Problem[]
}

const KINDS: Readonly<Record<string, ProblemKind>> = {
  filter: 'filter', sort: 'sort', include: 'include', fields: 'field', group: 'field', aggregate: 'field',
  facets: 'field',
}
export const PAGINATION = ['page', 'per_page', 'limit', 'offset', 'cursor', 'count']
const MAX_BYTES = 8192
const MAX_PARAMETERS = 100
const RESERVED = ['__proto__', 'constructor', 'prototype']

interface Parameter {
  readonly name: string
  /** The name before the brackets. */
  readonly top: string
  readonly brackets: readonly string[]
  readonly value: string
}

export function readQueryString (text: string): WrittenQuery {
  if (text.length > MAX_BYTES) return nothing([{ kind: 'query' }])
  const problems: Problem[] = []
  const parameters: Parameter[] = []
  for (const part of text.split('&').filter((part) => part !== '')) {
    const [rawName, ...rest] = part.split('=')
    const name = decode(rawName!)
    const value = decode(rest.join('='))
    const top = /^[^[]*/.exec(name ?? rawName!)![0]
    if (name !== undefined && value !== undefined) parameters.push({ name, top, brackets: bracketsOf(name), value })
    else if (isOurs(top)) problems.push({ kind: KINDS[top] ?? 'pagination', parameter: name ?? rawName! })
  }
  const ours = parameters.filter(({ top }) => isOurs(top))
  if (ours.length > MAX_PARAMETERS) return nothing([{ kind: 'query' }])
  const named = (name: string): Parameter[] => ours.filter(({ top }) => top === name)
  return {
    filters: readFilters(named('filter'), problems),
    sort: readNames(named('sort'), problems, 'sort'),
    include: readNames(named('include'), problems, 'include'),
    fields: readNames(named('fields').filter(({ brackets }) => brackets.join('') === ''), problems, 'field'),
    fieldsByInclude: readFieldsByInclude(named('fields').filter(({ brackets }) => brackets.join('') !== ''), problems),
    group: readNames(named('group'), problems, 'field'),
    aggregate: readNames(named('aggregate'), problems, 'field'),
    facets: readNames(named('facets'), problems, 'field'),
    pagination: readPagination(ours.filter(({ top }) => PAGINATION.includes(top)), problems),
    unknown: parameters.filter(({ top }) => !isOurs(top)).map(({ name }) => name),
    problems,
  }
}

const isOurs = (top: string): boolean => top in KINDS || PAGINATION.includes(top)

function nothing (problems: readonly Problem[]): WrittenQuery {
  const names = { sort: [], include: [], fields: [], fieldsByInclude: {}, group: [], aggregate: [], facets: [] }
  return { filters: [], ...names, pagination: {}, unknown: [], problems }
}

/** `undefined` for text that is not percent-encoded UTF-8. */
function decode (text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** The names in the brackets: `filter[a][]` has `a` and the empty one. */
function bracketsOf (name: string): string[] {
  return [...name.matchAll(/\[([^\]]*)\]/g)].map(([, inner]) => inner!)
}

function readFilters (parameters: readonly Parameter[], problems: Problem[]): WrittenFilter[] {
  const groups = new Map<string, Parameter[]>()
  for (const parameter of parameters) {
    const { steps, inner: [field = '', ...rest] } = readGroups(parameter.brackets)
    const levels = rest.at(-1) === '' ? rest.slice(0, -1) : rest
    const problem: Problem = { kind: 'filter', parameter: parameter.name, limit: mayAddRows(steps) }
    if (field === '' || levels.includes('')) problems.push(problem)
    else if (levels.length > 1 || [field, ...levels].some((name) => RESERVED.includes(name))) {
      problems.push({ ...problem, limit: true })
    } else {
      const key = JSON.stringify([steps, field, ...levels])
      groups.set(key, [...groups.get(key) ?? [], parameter])
    }
  }
  return [...groups].flatMap(([key, written]) => {
    const [steps, field, operator] = JSON.parse(key)
    const lists = written.filter(({ brackets }) => brackets.at(-1) === '')
    const parameter = written[0]!.name
    if (lists.length > 0 && lists.length < written.length) {
      problems.push({ kind: 'filter', parameter, limit: mayAddRows(steps) })
      return []
    }
    const values = written.map(({ value }) => value)
    const value = lists.length === 0 && values.length === 1 ? values[0]! : values
    return [{ parameter, groups: steps, field, operator, value }]
  })
}

/** The groups at the beginning of the brackets, and the rest. `not` has one member, and the others number theirs. */
function readGroups (brackets: readonly string[]): { readonly steps: GroupStep[], readonly inner: readonly string[] } {
  const [word = '', next, ...rest] = brackets
  if (next === undefined || !['and', 'or', 'not'].includes(word)) return { steps: [], inner: brackets }
  const { steps, inner } = readGroups(word === 'not' ? [next, ...rest] : rest)
  return { steps: [{ word, member: word === 'not' ? '' : next }, ...steps], inner }
}

/** Whether there would be more rows without a filter in these groups. */
export const mayAddRows = (groups: readonly GroupStep[]): boolean => groups.some(({ word }) => word !== 'and')

/**
 * Commas separate names. An empty parameter counts as not given. An empty name between commas is a mistake.
 *
 * @param inBrackets whether the parameter may name a place in brackets
 */
function readNames (
  parameters: readonly Parameter[],
  problems: Problem[],
  kind: ProblemKind,
  inBrackets = false
): WrittenName[] {
  // `sort[]=a&sort=b` has no defined order
  const lists = parameters.filter(({ brackets }) => brackets.join('') === '')
  const inBothWays = kind === 'sort' && new Set(lists.map(({ name }) => name.endsWith('[]'))).size > 1
  if (inBothWays) problems.push({ kind, parameter: parameters[0]!.name })
  return parameters.flatMap(({ name: parameter, brackets, value }) => {
    const misplaced = !inBrackets && brackets.join('') !== ''
    if ((value === '' || inBothWays) && !misplaced) return []
    const names = value.split(',').filter((name) => name !== '')
    const known = names.filter((name) => !RESERVED.includes(kind === 'sort' ? name.replace(/^[-+ ]/, '') : name))
    if (misplaced || known.length < value.split(',').length) {
      problems.push({ kind, parameter, limit: known.length < names.length })
    }
    return misplaced ? [] : known.map((name) => ({ name, parameter }))
  })
}

function readFieldsByInclude (parameters: readonly Parameter[], problems: Problem[]): Record<string, WrittenName[]> {
  const found: Record<string, WrittenName[]> = {}
  for (const parameter of parameters) {
    const path = parameter.brackets[0]!
    found[path] = [...found[path] ?? [], ...readNames([parameter], problems, 'field', true)]
  }
  return found
}

function readPagination (parameters: readonly Parameter[], problems: Problem[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { name, top, value } of parameters) {
    if (name !== top || top in found) problems.push({ kind: 'pagination', parameter: name })
    else found[top] = value
  }
  return found
}

/** The items of a list in one parameter. `undefined`: it cannot be read. */
export function splitList (text: string): string[] | undefined {
  if (text.trim() === '') return []
  const items: string[] = []
  let rest = text
  while (true) {
    const quoted = /^\s*"((?:[^"\\]|\\["\\])*)"\s*(,|$)/s.exec(rest)
    const plain = /^(?!\s*")([^,]*)(,|$)/s.exec(rest)
    const found = quoted ?? plain
    if (!found) return undefined
    const item = quoted ? quoted[1]!.replace(/\\(["\\])/g, '$1') : plain![1]!.trim()
    if (!quoted && item === '') return undefined
    items.push(item)
    if (found[2] === '') return items
    rest = rest.slice(found[0].length)
  }
}
