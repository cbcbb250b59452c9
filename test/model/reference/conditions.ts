/** Filters of the query string become conditions if the whitelist allows them and their values can be read. */
import type { Filter, Operator, OperatorFilter, PartialFilter, Property, Value, World } from './description.ts'
import { follow } from './entities.ts'
import { readPattern } from './patterns.ts'
import type { Problem } from './problems.ts'
import { mayAddRows, splitList, type GroupStep, type WrittenFilter } from './query-string.ts'
import { isText, readValue } from './values.ts'

export type Condition = Meaning & {
  /** The filter that it is the meaning of. */
  readonly filter?: Filter,
}

type Meaning =
  /** A comparison of the property at the end of the path. */
  | {
    readonly kind: 'compare',
    readonly path: string,
    readonly operator: Operator,
    readonly values: readonly Value[],
    readonly jsonType?: OperatorFilter['jsonType'],
  }
  /** At least one of the conditions holds. */
  | { readonly kind: 'any', readonly conditions: readonly Condition[] }
  /** The visible records: deleted ones in addition, or only those. */
  | { readonly kind: 'trashed', readonly value: string }

/** Conditions and groups that must all hold. */
export interface Level {
  readonly conditions: Condition[]
  readonly groups: Group[]
}

export interface Group {
  readonly word: string
  /** By their numbers. */
  readonly members: Map<string, Level>
}

const TRASHED = ['only', 'with', 'without']
const LISTS: readonly Operator[] = ['in', 'nin', 'between']
const PATTERNS: readonly Operator[] = ['like', 'ilike']
const TEXTS: readonly Operator[] = ['contains', 'starts', 'ends', ...PATTERNS]
const MAX_ITEMS = 100
const MAX_PATTERN = 256
const MAX_WILDCARDS = 8

export const filterName = (filter: Filter): string =>
  filter.kind === 'trashed' ? 'trashed' : filter.alias ?? (filter as OperatorFilter).path

/** Signals a filter that cannot be read: whether a limit is exceeded, and the possible values if there are few. */
class Unreadable extends Error {
  readonly problem: Pick<Problem, 'limit' | 'allowed'>
  constructor (problem: Pick<Problem, 'limit' | 'allowed'> = {}) {
    super('unreadable')
    this.problem = problem
  }
}

export function readConditions (world: World, written: readonly WrittenFilter[], problems: Problem[]): Level {
  const { filters } = world.whitelist
  const root: Level = { conditions: [], groups: [] }
  const applied = new Set<Filter>()
  for (const item of written) {
    const filter = filters.find((filter) => filterName(filter) === item.field)
    const { parameter, groups } = item
    const { conditions } = levelAt(root, groups)
    const limit = mayAddRows(groups)
    if (!filter) {
      problems.push({ kind: 'filter', parameter, limit, allowed: filters.map(filterName) })
      continue
    }
    try {
      conditions.push(...readCondition(world, filter, item).map((condition) => ({ ...condition, filter })))
      applied.add(filter)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      problems.push({ kind: 'filter', parameter, ...error.problem, limit: limit || error.problem.limit === true })
    }
  }
  // a default applies if the URL does not have the filter, or only ones that are dropped
  for (const filter of filters) {
    const value = 'default' in filter ? filter.default : undefined
    if (value === undefined || applied.has(filter)) continue
    root.conditions.push(
      ...readCondition(world, filter, {
        parameter: '', groups: [], field: filterName(filter), operator: undefined, value,
      }).map((condition) => ({ ...condition, filter }))
    )
  }
  return root
}

/** The level of a filter in some groups, which is added if there is none yet. */
function levelAt (level: Level, [step, ...inner]: readonly GroupStep[]): Level {
  if (step === undefined) return level
  let group = level.groups.find(({ word }) => word === step.word)
  if (group === undefined) level.groups.push(group = { word: step.word, members: new Map() })
  let member = group.members.get(step.member)
  if (member === undefined) group.members.set(step.member, member = { conditions: [], groups: [] })
  return levelAt(member, inner)
}

function operatorsOf (filter: Filter): readonly Operator[] {
  if (filter.kind === 'operators') return filter.operators
  return filter.kind === 'partial' ? PATTERNS : []
}

function readCondition (world: World, filter: Filter, written: WrittenFilter): Condition[] {
  switch (filter.kind) {
    case 'trashed': {
      const value = written.operator === undefined ? written.value : oneValue(written)
      if (!TRASHED.includes(value as string)) throw new Unreadable({ allowed: TRASHED })
      return [{ kind: 'trashed', value: value as string }]
    }
    case 'search': {
      const value = oneValue(written)
      if (!isText(value)) throw new Unreadable()
      const conditions = filter.paths.map((path): Condition => ({
        kind: 'compare', path, operator: 'contains', values: [value],
      }))
      return [{ kind: 'any', conditions }]
    }
    case 'anyOf': {
      oneValue(written)
      const allowed: string[] = []
      const conditions = filter.filters.flatMap((alternative) => {
        try {
          return readCondition(world, alternative, written)
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error
          allowed.push(...error.problem.allowed ?? [])
          return []
        }
      })
      if (conditions.length === 0) throw new Unreadable(allowed.length === 0 ? {} : { allowed })
      return [{ kind: 'any', conditions }]
    }
    default:
      return readComparison(world, filter, written)
  }
}

/** The value of a filter that takes no operator. */
function oneValue ({ operator, value }: WrittenFilter): string {
  if (operator !== undefined || typeof value !== 'string') throw new Unreadable()
  return value
}

function readComparison (world: World, filter: OperatorFilter | PartialFilter, written: WrittenFilter): Condition[] {
  const allowed = operatorsOf(filter)
  const operator = (written.operator ?? defaultOperator(allowed, typeof written.value !== 'string')) as Operator
  if (!allowed.includes(operator)) throw new Unreadable({ allowed })
  const texts = LISTS.includes(operator) ? itemsOf(written.value) : written.value
  const ignored = filter.ignore ?? []
  const left = typeof texts === 'string' ? [texts] : texts
  const meant = left.filter((text) => !ignored.includes(text))
  if (meant.length === 0 && left.length > 0) return []
  if (!LISTS.includes(operator) && typeof texts !== 'string') throw new Unreadable()
  if (meant.length > MAX_ITEMS) throw new Unreadable({ limit: true })
  if (operator === 'between' && meant.length !== 2) throw new Unreadable()
  const jsonType = filter.kind === 'operators' ? filter.jsonType : undefined
  const property = typeOf(world, filter.path, jsonType)
  const values = filter.kind === 'partial'
    ? meant.map(partialPattern)
    : meant.map((text) => readOperand(text, operator, property))
  return [{ kind: 'compare', path: filter.path, operator, values, ...jsonType && { jsonType } }]
}

/** The operator of a filter without one. Repeated, it is a list for its own operator, or for `in`. */
function defaultOperator (allowed: readonly Operator[], repeated: boolean): Operator {
  return repeated && !LISTS.includes(allowed[0]!) && allowed.includes('in') ? 'in' : allowed[0]!
}

function itemsOf (value: string | readonly string[]): readonly string[] {
  const items = typeof value === 'string' ? splitList(value) : value
  if (items === undefined) throw new Unreadable()
  return items
}

/** The type of a filter's values: that of the property at the end of its path, or the declared one inside JSON. */
function typeOf (world: World, path: string, jsonType: OperatorFilter['jsonType']): Pick<Property, 'type' | 'members'> {
  if (jsonType === undefined) return follow(world, world.entities[world.whitelist.entity]!, path).property
  return { type: ({ string: 'text', number: 'decimal', boolean: 'boolean' } as const)[jsonType] }
}

function readOperand (text: string, operator: Operator, property: Pick<Property, 'type' | 'members'>): Value {
  if (operator === 'isnull') {
    if (text !== 'true' && text !== 'false') throw new Unreadable({ allowed: ['true', 'false'] })
    return text === 'true'
  }
  if (PATTERNS.includes(operator)) return checkedPattern(text)
  if (TEXTS.includes(operator) && [...text].length > MAX_PATTERN) throw new Unreadable({ limit: true })
  const value = readValue(text, TEXTS.includes(operator) ? { type: 'text' } : property)
  if (value === undefined) throw new Unreadable({ allowed: possibilities(property) })
  return value
}

/** All texts that can be read as a value, if there are few. */
function possibilities ({ type, members }: Pick<Property, 'type' | 'members'>): readonly string[] | undefined {
  return type === 'boolean' ? ['true', 'false', '1', '0'] : members
}

/**
 * A value with a `%` that no backslash escapes is a pattern. Any other value is literal text that may occur anywhere.
 */
function partialPattern (text: string): string {
  if (readPattern(text).wildcards.includes('%')) return checkedPattern(text)
  if (!isText(text)) throw new Unreadable()
  if ([...text].length > MAX_PATTERN) throw new Unreadable({ limit: true })
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

function checkedPattern (pattern: string): string {
  const { wildcards, unfinished } = readPattern(pattern)
  if (!isText(pattern) || unfinished) throw new Unreadable()
  if ([...pattern].length > MAX_PATTERN || wildcards.length > MAX_WILDCARDS) throw new Unreadable({ limit: true })
  return pattern
}
