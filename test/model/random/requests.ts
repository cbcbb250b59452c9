/** Requests to a resource: mostly allowed by its whitelist, with values of its rows, and now and then a mistake. */
import fc from 'fast-check'
import { filterName } from '../reference/conditions.ts'
import type { Filter, Operator, OperatorFilter, Property, Row, Value, World } from '../reference/description.ts'
import { follow, numberNamed, relatedRows } from '../reference/entities.ts'
import { facetName } from '../reference/facets.ts'
import { groupNames, numberNames } from '../reference/groups.ts'
import { valueAt } from '../reference/matching.ts'
import { aggregateKey, includeName } from '../reference/selection.ts'
import { sortNames } from '../reference/sorting.ts'
import { text, valueOf as anyValueOf, WRONG, written } from './values.ts'

/** A name and value of the query string, not encoded. */
export type Parameter = readonly [name: string, value: string]

const LISTS: readonly Operator[] = ['in', 'nin', 'between']
const PATTERNS = [
  '%', '_', 'a%', '%a', '%b%', '_b', 'A_', '\\%%', '%\\_%', 'a\\\\b', '%"%', '', '%%', '\\a', 'É', '%😀', 'a\\',
  '%%%%%%%%%', 'a'.repeat(257),
]
const UNKNOWN = [
  'nope', 'secret', 'deleted', 'author.secret', 'id.x', 'Name', 'toString', '__proto__', 'constructor', '$where',
  'a::b', "x'", '',
]

/** True in `chance` of 100 cases. */
const rarely = <T>(chance: number, usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 100 - chance, arbitrary: usual }, { weight: chance, arbitrary: odd })

const nothing = fc.constant<Parameter[]>([])

/** A value of the rows, or another value of the type. */
function textOf (world: World, path: string, property: Property): fc.Arbitrary<string> {
  const start = world.entities[world.whitelist.entity]!
  const { entity, name } = follow(world, start, path)
  const valueOf = numberNamed(world, start, path) === undefined
    ? (row: Row): Value => row[name]
    : (row: Row): Value => valueAt(world, start, row, path).value
  const stored = world.tables.rows[entity.name]!.map(valueOf).filter((value) => value !== null && value !== undefined)
  const other = anyValueOf({ ...property, nullable: false })
  const value: fc.Arbitrary<Value> = stored.length === 0
    ? other
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...stored) }, { weight: 1, arbitrary: other })
  return rarely(2, value.chain((value) => written(value, property.type)), fc.constantFrom(...WRONG[property.type]))
}

const jsonText = {
  string: fc.constantFrom('a', 'b', '', '5', 'true'),
  number: fc.constantFrom('5', '1', '0.5', '2', '-3'),
  boolean: fc.constantFrom('true', 'false'),
}

function operandOf (
  world: World,
  filter: Exclude<Filter, { kind: 'trashed' | 'search' | 'anyOf' }>,
  operator: Operator
): fc.Arbitrary<string> {
  if (operator === 'isnull') return rarely(4, fc.constantFrom('true', 'false'), fc.constantFrom('', '1', 'yes', 'null'))
  if (operator === 'like' || operator === 'ilike') return fc.oneof(fc.constantFrom(...PATTERNS), text)
  if (filter.kind === 'operators' && filter.jsonType) return jsonText[filter.jsonType]
  const { property } = follow(world, world.entities[world.whitelist.entity]!, filter.path)
  const usual = textOf(world, filter.path, property)
  if (operator === 'ieq') {
    return usual.chain((value) => fc.constantFrom(value, value.toUpperCase(), value.toLowerCase(), `${value} `))
  }
  if (['contains', 'starts', 'ends'].includes(operator)) {
    return usual.chain((value) =>
      rarely(2,
        fc.constantFrom(value, [...value].slice(0, 1).join(''), [...value].slice(1).join(''), value.toUpperCase()),
        fc.constant('a'.repeat(257)))
    )
  }
  return filter.kind === 'operators' && filter.ignore ? rarely(4, usual, fc.constantFrom(...filter.ignore)) : usual
}

const quoted = (item: string): string => `"${item.replace(/["\\]/g, '\\$&')}"`
const needsQuotes = (item: string): boolean => item !== item.trim() || /[",\\]|^$/.test(item)

/** A list in one parameter, or one parameter for each item. */
function listParameters (name: string, items: readonly string[]): fc.Arbitrary<Parameter[]> {
  const joined = items.map((item) =>
    needsQuotes(item) ? fc.constant(quoted(item)) : fc.constantFrom(item, quoted(item), ` ${item}`, `${item} `)
  )
  const one = fc.tuple(...joined).map((texts): Parameter[] => [[name, texts.join()]])
  if (items.length === 0) return one
  const each = (suffix: string): fc.Arbitrary<Parameter[]> =>
    fc.constant(items.map((item): Parameter => [name + suffix, item]))
  return rarely(
    3,
    fc.oneof(one, each('[]'), ...items.length > 1 ? [each('')] : []),
    fc.constantFrom<Parameter[]>([[name, '1,,2']], [[name, '"a']], [[name, 'a"b"']], [[name, '1,']], [[name, 'x'], [
      `${name}[]`,
      'y',
    ]])
  )
}

/** Filters of one request: of all relations, or behind one relation, whose conditions must hold for one row. */
function filtersOfRequest (world: World): fc.Arbitrary<readonly Filter[]> {
  const { filters } = world.whitelist
  const behind = (filter: Filter): string => 'path' in filter ? /^(.*)\./.exec(filter.path)?.[1] ?? '' : ''
  const together = filters.map((filter) =>
    behind(filter) === '' ? [] : filters.filter((other) => behind(other) === behind(filter))
  ).filter(({ length }) => length > 1)
  return together.length === 0 ? fc.constant(filters) : rarely(25, fc.constant(filters), fc.constantFrom(...together))
}

function filterParameters (world: World, filters: readonly Filter[]): fc.Arbitrary<Parameter[]> {
  return fc.constantFrom(...filters).chain((filter): fc.Arbitrary<Parameter[]> => {
    const name = `filter[${filterName(filter)}]`
    if (filter.kind === 'trashed') {
      return rarely(5, fc.constantFrom('with', 'only', 'without'), fc.constantFrom('', 'yes')).map((
        value
      ) => [[name, value]])
    }
    if (filter.kind === 'search') {
      return fc.tuple(text, fc.constantFrom('', '', '', '', '', '', '[eq]')).map((
        [value, operator]
      ) => [[name + operator, value]])
    }
    if (filter.kind === 'anyOf') {
      return fc.constantFrom(...filter.filters as OperatorFilter[]).chain((one) => operandOf(world, one, 'eq')).map((
        value
      ) => [[name, value]])
    }
    const operators: readonly Operator[] = filter.kind === 'partial' ? ['like', 'ilike'] : filter.operators
    const [first] = operators
    return rarely(2, fc.constantFrom(...operators), fc.constantFrom('ends', 'nope' as never, 'gt')).chain(
      (operator) => {
        const place = operator === first
          ? fc.constantFrom(name, `${name}[${operator}]`)
          : fc.constant(`${name}[${operator}]`)
        const value = operandOf(world, filter, operators.includes(operator) ? operator : 'eq')
        return place.chain((place) => {
          if (operator === 'between') return fc.array(value, rare(2, 2)).chain((items) => listParameters(place, items))
          if (LISTS.includes(operator)) {
            return fc.array(value, { maxLength: 4 }).chain((items) => listParameters(place, items))
          }
          // repeated means `in`, if that is allowed
          return fc.tuple(value, value, fc.integer({ min: 0, max: 14 })).map(([one, other, n]): Parameter[] =>
            n === 0 ? [[place, one], [place, other]] : n === 1 ? [[`${place}[]`, one]] : [[place, one]]
          )
        })
      }
    )
  })
}
const rare = (minLength: number, maxLength: number): { minLength: number, maxLength: number } => ({
  minLength,
  maxLength,
})

/** Names in one parameter or in several, now and then with an unknown or an empty one. */
function nameParameters (
  parameter: string,
  names: readonly string[],
  max: number,
  decorate = (name: string): fc.Arbitrary<string> => fc.constant(name)
): fc.Arbitrary<Parameter[]> {
  const usual: fc.Arbitrary<string[]> = names.length === 0
    ? fc.constant([])
    : fc.shuffledSubarray([...names], { maxLength: Math.min(max, names.length) })
  return rarely(3, usual, fc.tuple(usual, fc.constantFrom(...UNKNOWN, ...names)).map(([names, odd]) => [...names, odd]))
    .chain((chosen) => fc.tuple(...chosen.map(decorate)))
    .chain((items) =>
      fc.constantFrom<Parameter[]>([[parameter, items.join()]], [[parameter, items.join()]],
        items.map((item): Parameter => [parameter, item]), items.map((item): Parameter => [`${parameter}[]`, item]))
    )
}

function fieldParameters ({ whitelist }: World, places: readonly string[]): fc.Arbitrary<Parameter[]> {
  const at = (place: string): string[] =>
    whitelist.fields.flatMap(({ path, alias }) =>
      path.split('.').slice(0, -1).join('.') === place ? alias ?? path.split('.').at(-1)! : []
    )
  const urlName = (path: string): string => includeName(whitelist, { kind: 'relation', path })
  const own = fc.constantFrom('fields', 'fields', 'fields', `fields[${whitelist.resource}]`).chain((parameter) =>
    nameParameters(parameter, at(''), 6)
  )
  if (places.length === 0) return own
  const related = rarely(3,
    fc.constantFrom(...places).chain((place) => nameParameters(`fields[${urlName(place)}]`, at(place), 4)),
    fc.constant<Parameter[]>([['fields[nope]', 'id']]))
  return fc.tuple(rarely(40, own, nothing), related).map((
    [own, related]
  ) => [...own, ...related.filter(([name]) => !name.endsWith('[]'))])
}

function includeParameters (world: World): fc.Arbitrary<Parameter[]> {
  const { includes } = world.whitelist
  const names = includes.map((include) => includeName(world.whitelist, include))
  return nameParameters('include', names, 5).chain((parameters) => {
    const asked = parameters.flatMap(([, value]) => value.split(','))
    const places = includes.filter((include) => asked.includes(includeName(world.whitelist, include))).flatMap(
      (include) => {
        const path = include.kind === 'relation' ? include.path.split('.') : aggregateKey(include).parents
        return path.map((_, index) => path.slice(0, index + 1).join('.'))
      }
    )
    return fc.tuple(fc.constant(parameters), rarely(50, fieldParameters(world, [...new Set(places)]), nothing)).map((
      lists
    ) => lists.flat())
  })
}

const UNCOUNTED: Record<string, string> = { count: 'none' }

function paginationParameters ({ whitelist: { maxPerPage, countParameter } }: World): fc.Arbitrary<Parameter[]> {
  const number = (min: number, max: number): fc.Arbitrary<string> =>
    rarely(2, fc.integer({ min, max }).map(String),
      fc.constantFrom('', '-1', 'x', '1.5', '1e1', '0', '+1', String(maxPerPage + 1), '200000'))
  const size = number(1, maxPerPage)
  return fc.oneof(
    fc.record({ page: number(1, 4), per_page: size }, { requiredKeys: [], noNullPrototype: true }),
    fc.record({ offset: number(0, 12), limit: size }, { requiredKeys: [], noNullPrototype: true }),
    fc.record({ cursor: rarely(3, fc.constant(''), fc.constantFrom('x', 'e30', 'null')), per_page: size }, {
      requiredKeys: ['cursor'],
      noNullPrototype: true,
    }),
    rarely(
      10,
      countParameter
        ? fc.constantFrom<Record<string, string>>(
          { page: '2', per_page: '2', ...UNCOUNTED }, { limit: '3', ...UNCOUNTED }, { offset: '40', ...UNCOUNTED },
          { count: 'exact' }, UNCOUNTED
        )
        : fc.constant({ page: '1' }),
      fc.constantFrom<Record<string, string>>(
        { page: '1', limit: '2' }, { cursor: '', page: '1' }, { 'page[]': '1' }, { per_page: '2', offset: '0' },
        { cursor: '', ...UNCOUNTED }, UNCOUNTED, { count: 'planned' }
      )
    )
  ).map((given) => Object.entries(given as Record<string, string>).map(([name, value]): Parameter => [name, value]))
}

const MISTAKES: readonly Parameter[] = [
  ['filter', 'x'], ['filter[]', 'x'], ['filter[nope]', 'x'], ['filter[secret]', 'x'], ['filter[author.secret]', 'x'],
  ['filter[nope][eq]', '1'], ['filter[id][eq][x]', '1'], ['filter[__proto__]', '1'], ['sort', 'nope'],
  ['sort', 'secret'], ['sort', 'a,'], ['sort[x]', 'a'], ['fields', 'secret'], ['include', 'nope'],
  ['include', 'a.b.c.d'], ['fields[nope]', 'id'], ['unknown', '1'], ['filters', 'x'], ['order', 'id'], ['title', 'x'],
  ['FILTER[title]', 'x'],
]

/** The brackets of groups around the filters of a request. */
const GROUPS: ReadonlyArray<readonly string[]> = [
  ['[not]'], ['[not][not]'], ['[or][0]'], ['', '[not]'], ['[not]', '[not]'], ['[or][0]', '[or][1]'],
  ['[or][0]', '[or][0]'], ['[or][0][not]', '[or][1]'], ['[not][or][0]', '[not][or][1]'], ['', '[and][0]'],
  ['[and][0]', '[and][1]'], ['[and][0]', '[and][1][and][0]'], ['[and][0]', '[and][1][not]'],
  ['[or][0]', '[or][0]', '[or][1]'], ['[or][0]', '[or][1][and][0]', '[or][1][and][1][not]'],
  ['[not]', '[not][not]', '[not][or][0]'], ['[and][0][or][0]', '[and][0][or][1]', '[and][1][or][0]'],
]

/** Filters in groups. `trashed` stays outside, since it selects the rows that there are. */
function grouped (lists: ReadonlyArray<readonly Parameter[]>): fc.Arbitrary<Parameter[]> {
  const isOutside = (list: readonly Parameter[]): boolean => list[0]![0].startsWith('filter[trashed]')
  const inside = lists.filter((list) => !isOutside(list))
  const outside = lists.filter(isOutside).flat()
  const fitting = GROUPS.filter(({ length }) => length === inside.length)
  if (fitting.length === 0) return fc.constant(lists.flat())
  return fc.constantFrom(...fitting).map((places) => [
    ...outside,
    ...inside.flatMap((list, n) =>
      list.map(([name, value]): Parameter => [name.replace('filter', `filter${places[n]}`), value])
    ),
  ])
}

/** Places of two filters. In some of them, one related row must match both. */
const PAIRS = [
  ...GROUPS.filter(({ length }) => length === 2), ['', ''], ['[and][0]', '[and][0]'], ['[and][0]', '[and][1]'],
  ['[and][0][and][0]', '[and][0][and][1]'], ['[not][and][0]', '[not][and][1]'],
]

/**
 * Two filters through one relation to many rows, which different related rows of one record match. `undefined` if there
 * are no such filters and rows.
 */
function togetherParameters (world: World): fc.Arbitrary<Parameter[]> | undefined {
  const start = world.entities[world.whitelist.entity]!
  const plain = world.whitelist.filters.filter((filter) => filter.kind === 'operators')
    .filter(({ path, operators }) => path.split('.').length === 2 && operators[0] === 'eq')
    .map((filter) => ({ filter, end: follow(world, start, filter.path) }))
    .filter(({ end: { relations, property } }) =>
      relations.length === 1 && start.relations[relations[0]!]!.kind !== 'one' && property.type !== 'json'
    )
  const pairs = plain.flatMap((one, index) =>
    plain.slice(index + 1).filter((other) => other.end.relations[0] === one.end.relations[0])
      .map((other) => [one, other] as const)
  )
  const chosen = pairs.flatMap((pair) =>
    world.tables.rows[start.name]!.flatMap((row) => {
      const related = relatedRows(world, start, row, pair[0].end.relations[0]!)
      return related.flatMap((one) => related.filter((other) => other !== one).map((other) => [one, other]))
        .map((rows) =>
          pair.map(({ filter, end }, n) => ({ filter, type: end.property.type, value: rows[n]![end.name] }))
        )
    }).filter((both) => both.every(({ value }) => value !== null))
  )
  if (chosen.length === 0) return undefined
  return fc.tuple(fc.constantFrom(...chosen), fc.constantFrom(...PAIRS)).chain(([both, groups]) =>
    fc.tuple(
      ...both.map(({ filter, type, value }, n) =>
        written(value, type).map((text): Parameter => [`filter${groups[n]}[${filterName(filter)}]`, text])
      )
    )
  )
}

/** Filters, often in groups. */
function filtersIn (world: World): fc.Arbitrary<Parameter[]> {
  const together = togetherParameters(world)
  return together === undefined ? separate(world) : rarely(15, separate(world), together)
}

const separate = (world: World): fc.Arbitrary<Parameter[]> =>
  fc.tuple(fc.constantFrom(0, 0, 1, 1, 1, 1, 2, 2, 3), filtersOfRequest(world)).chain(([count, filters]) =>
    fc.tuple(...Array.from({ length: count }, () => filterParameters(world, filters)))
  ).chain((lists) => rarely(40, fc.constant(lists.flat()), grouped(lists)))

/** Filters, with facets of their properties. */
function filtersAndFacets (world: World): fc.Arbitrary<Parameter[]> {
  const { facets } = world.whitelist
  return fc.tuple(filtersIn(world), rarely(30, nothing, nameParameters('facets', facets.map(facetName), 3)))
    .map((lists) => lists.flat())
}

const NOT_OF_AGGREGATES: readonly Parameter[] = [
  ['fields', 'id'], ['include', 'author'], ['facets', 'id'], ['cursor', ''], ['count', 'none'], ['group[x]', 'a'],
  ['aggregate[]', 'count,'], ['page', '0'], ['per_page', '1001'],
]

/** A request for aggregates. */
export function aggregateRequests (world: World): fc.Arbitrary<Parameter[]> {
  const { groups, numbers } = world.whitelist
  const names = [groups.flatMap(groupNames), numbers.flatMap(numberNames)] as const
  const asked = fc.tuple(nameParameters('group', names[0], 3), nameParameters('aggregate', names[1], 4))
  return fc.tuple(
    filtersIn(world),
    asked.chain((lists) => {
      const given = lists.flat()
      const sortable = [...new Set(given.flatMap(([, value]) => value.split(',')))].filter((name) => name !== '')
      const sort = nameParameters('sort', sortable, 3, (name) => fc.constantFrom(name, `-${name}`, `-${name}`))
      return rarely(35, sort, nothing).map((sort) => [...given, ...sort])
    }),
    rarely(
      40,
      nothing,
      fc.record({ page: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 6 }) })
        .map(({ page, size }): Parameter[] => [['page', String(page)], ['per_page', String(size)]])
    ),
    rarely(6, nothing, fc.constantFrom(...NOT_OF_AGGREGATES, ...MISTAKES).map((mistake): Parameter[] => [mistake]))
  ).map((lists) => lists.flat())
}

/** A list request. */
export function listRequests (world: World): fc.Arbitrary<Parameter[]> {
  const names = sortNames(world.whitelist.sorts)
  const sort = nameParameters('sort', names, 3, (name) => fc.constantFrom(name, `-${name}`, `+${name}`))
  return fc.tuple(
    filtersAndFacets(world),
    rarely(35, sort, nothing),
    rarely(50, includeParameters(world), rarely(70, fieldParameters(world, []), nothing)),
    rarely(20, paginationParameters(world), nothing),
    rarely(4, nothing, fc.constantFrom(...MISTAKES).map((mistake): Parameter[] => [mistake]))
  ).map((lists) => lists.flat())
}

/** The parameters of a request for one record. */
export function recordRequests (world: World): fc.Arbitrary<Parameter[]> {
  return rarely(
    5,
    rarely(30, includeParameters(world), rarely(50, fieldParameters(world, []), nothing)),
    fc.constantFrom<Parameter[]>([['sort', 'id']], [['page', '1']], [['filter[id]', '1']], [['cursor', '']], [[
      'unknown',
      '1',
    ]])
  )
}

/** A query string. Commas, brackets and spaces may be left unencoded, and real clients do so. */
export function encoded (parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) =>
    `${encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')}=${
      encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%20', '+')
    }`
  ).join('&')
}
