/** Aggregates: the groups of the rows that a query keeps, with numbers about each group. */
import type { GroupEntry, NumberEntry, Property, Row, Value, ValueType, World } from './description.ts'
import { follow } from './entities.ts'
import { valueAt } from './matching.ts'
import { exactMean, numberAbout } from './numbers.ts'
import { firstDay, orderOfDay } from './periods.ts'
import type { Problem } from './problems.ts'
import type { WrittenName, WrittenQuery } from './query-string.ts'
import { compareNullable } from './sorting.ts'

/** A group or a number. */
interface Term {
  /** The name in URLs. */
  readonly name: string
  /** The name in items. */
  readonly key: string
  readonly of: (rows: readonly Row[]) => Value
  readonly compare: (a: Value, b: Value, descending: boolean) => number
}

interface Grouping {
  readonly groups: readonly Term[]
  readonly numbers: readonly Term[]
  readonly order: ReadonlyArray<{ readonly term: Term, readonly descending: boolean }>
}

const inItems = (path: string): string => path.replaceAll('.', '_')

/** The names of groups in URLs: a property, or each of its periods. */
export function groupNames ({ path, alias, periods }: GroupEntry): string[] {
  const name = alias ?? path
  return periods === undefined ? [name] : periods.units.map((unit) => `${name}.${unit}`)
}

export function numberNames ({ path, alias, functions }: NumberEntry): string[] {
  return path === undefined ? [alias ?? 'count'] : functions.map((fn) => `${alias ?? path}.${fn}`)
}

const byType = (type: ValueType): Term['compare'] => (a, b, descending) => compareNullable(a, b, type, descending)

function groupTerms (world: World, entry: GroupEntry): Term[] {
  const { path, periods } = entry
  const entity = world.entities[world.whitelist.entity]!
  const { type } = follow(world, entity, path).property
  const valueOf = ([row]: readonly Row[]): Value => valueAt(world, entity, row!, path).value
  const names = groupNames(entry)
  if (periods === undefined) return [{ name: names[0]!, key: inItems(path), of: valueOf, compare: byType(type) }]
  return periods.units.map((unit, index) => ({
    name: names[index]!,
    key: `${inItems(path)}_${unit}`,
    of: (rows) => {
      const value = valueOf(rows)
      return value === null ? null : firstDay(value, unit, periods.timeZone ?? 'UTC')
    },
    compare: (a, b, descending) => compareNullable(a && orderOfDay(a), b && orderOfDay(b), 'integer', descending),
  }))
}

function numberTerms (world: World, entry: NumberEntry): Term[] {
  const names = numberNames(entry)
  const { path, functions } = entry
  if (path === undefined) {
    return [{ name: names[0]!, key: 'count', of: (rows) => rows.length, compare: byType('integer') }]
  }
  const entity = world.entities[world.whitelist.entity]!
  const { type } = follow(world, entity, path).property as Property
  return functions.map((fn, index): Term => {
    const valuesOf = (rows: readonly Row[]): Value[] =>
      rows.map((row) => valueAt(world, entity, row, path).value).filter((value) => value !== null)
    const term = { name: names[index]!, key: `${inItems(path)}_${fn}` }
    switch (fn) {
      case 'countDistinct':
        return { ...term, of: (rows) => new Set(valuesOf(rows)).size, compare: byType('integer') }
      case 'avg':
        return { ...term, of: (rows) => exactMean(valuesOf(rows)), compare: byType('decimal') }
      default:
        return { ...term, of: (rows) => numberAbout(fn, valuesOf(rows), type), compare: byType(type) }
    }
  })
}

/** The groups, numbers and order of a request. */
export function readGrouping (world: World, written: WrittenQuery, problems: Problem[]): Grouping {
  const { whitelist } = world
  const allowedGroups = whitelist.groups.flatMap((entry) => groupTerms(world, entry))
  const allowedNumbers = whitelist.numbers.flatMap((entry) => numberTerms(world, entry))
  const pick = (names: readonly WrittenName[], allowed: readonly Term[]): Term[] => {
    const found = new Set<Term>()
    for (const { name, parameter } of names) {
      const term = allowed.find((term) => term.name === name)
      if (term) found.add(term)
      else problems.push({ kind: 'field', parameter, allowed: allowed.map(({ name }) => name) })
    }
    return [...found]
  }
  const groups = pick(written.group, allowedGroups)
  const numbers = pick(written.aggregate, allowedNumbers)
  if (written.group.length === 0 && written.aggregate.length === 0) {
    // names that cannot be read are a mistake already
    if (problems.some(({ kind }) => kind === 'field')) return { groups, numbers, order: [] }
    const [parameter, allowed] = allowedNumbers.length > 0
      ? ['aggregate', allowedNumbers] as const
      : ['group', allowedGroups] as const
    problems.push({ kind: 'field', parameter, allowed: allowed.map(({ name }) => name) })
    return { groups, numbers, order: [] }
  }
  return { groups, numbers, order: readOrder(written.sort, groups, numbers, problems) }
}

/** The requested order, and then that of the groups. */
function readOrder (
  sort: readonly WrittenName[],
  groups: readonly Term[],
  numbers: readonly Term[],
  problems: Problem[]
): Grouping['order'] {
  const terms = [...groups, ...numbers]
  const order: Array<Grouping['order'][number]> = []
  for (const { name: item, parameter } of sort) {
    const name = item.replace(/^[-+ ]/, '')
    const term = terms.find((term) => term.name === name)
    if (!term) problems.push({ kind: 'sort', parameter, allowed: terms.map(({ name }) => name) })
    else if (order.some((other) => other.term === term)) problems.push({ kind: 'sort', parameter })
    else order.push({ term, descending: item.startsWith('-') })
  }
  const rest = groups.filter((group) => !order.some(({ term }) => term === group))
  return [...order, ...rest.map((term) => ({ term, descending: false }))]
}

/** The items in their order. Without a group there is one, even if there are no rows. */
export function itemsOf ({ groups, numbers, order }: Grouping, rows: readonly Row[]): Value[] {
  const found = new Map<string, Row[]>()
  if (groups.length === 0) found.set('', [...rows])
  for (const row of groups.length === 0 ? [] : rows) {
    const key = JSON.stringify(groups.map(({ of }) => of([row])))
    found.set(key, [...found.get(key) ?? [], row])
  }
  const items = [...found.values()].map((rows) =>
    Object.fromEntries([...groups, ...numbers].map(({ key, of }) => [key, of(rows)]))
  )
  return items.sort((a, b) => {
    for (const { term: { key, compare }, descending } of order) {
      const result = compare(a[key], b[key], descending)
      if (result !== 0) return result
    }
    return 0
  })
}
