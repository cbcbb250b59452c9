/** Random requests of a client that knows all names, also those that its role may not see, and makes mistakes. */
import fc from 'fast-check'
import { uuidOf } from './entities.ts'
import { WORDS } from './data.ts'
import { isHidden, type Secrets } from './roles.ts'
import { ENTITIES, keyColumns, keyInBody, keyValues, propertiesOf, SHAPE, targetOf } from './shape.ts'
import {
  aggregateName, ALLOWED, comparedAggregates, groupFunctions, groupPaths, operatorsAt, typeAt, type Allowed,
} from './whitelists.ts'

/** Stands for the entity tag of the answer before. */
export const LAST_TAG = '@'

export interface Ask {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Whether the pages after this one are read by their cursors. */
  readonly follow?: boolean
  /** Whether the request is sent again with the entity tag of its answer. */
  readonly again?: boolean
}

const word = fc.constantFrom(...WORDS, 'a', 'n')
/** The end of a path with the key of an entity. */
const keyPath = (entity: string, id: number): string => keyValues(entity, id).join('/')

const small = fc.integer({ min: 0, max: 6 })
const id = fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.constantFrom(101, 102, 999))
const uuid = fc.integer({ min: 10, max: 60 }).map(uuidOf)

/** The names that a client may use, and all names. */
interface Names {
  readonly visible: readonly string[]
  readonly all: readonly string[]
}

/** A name: usually one that the role may use, seldom a hidden one, one with a mistake or one that does not exist. */
function mistaken ({ visible, all }: Names): fc.Arbitrary<string> {
  const name = fc.constantFrom(...all)
  return fc.oneof(
    { weight: visible.length === 0 ? 0 : 60, arbitrary: fc.constantFrom(...visible, '') },
    { weight: 3, arbitrary: name },
    { weight: 1, arbitrary: fc.tuple(name, fc.nat()).map(([name, n]) => withoutLetter(name, n % name.length)) },
    { weight: 1, arbitrary: fc.constantFrom('nothing', 'ownr', 'budgt', 'zzq', 'note.x', 'tasks.nothing') }
  ).filter((name) => name !== '')
}

/** Names that are no secret. */
const open = (names: readonly string[]): Names => ({ visible: names, all: names })

/** Paths of an entity, of which the role may use those without hidden properties. */
function pathsOf (secrets: Secrets, entity: string, paths: readonly string[]): Names {
  return { visible: paths.filter((path) => isVisiblePath(secrets, entity, path)), all: paths }
}

/** The names of aggregates, of which the role may use those without hidden properties. */
function aggregatesOf (secrets: Secrets, entity: string, aggregates: Allowed['aggregates']): Names {
  const visible = aggregates.filter(([, path]) => isVisiblePath(secrets, entity, path))
  return { visible: visible.map(aggregateName), all: aggregates.map(aggregateName) }
}

function isVisiblePath (secrets: Secrets, entity: string, path: string): boolean {
  const [first, ...rest] = path.split('.') as [string, ...string[]]
  if (isHidden(secrets, entity, first)) return false
  const target = targetOf(entity, first)
  return target === undefined || rest.length === 0 || isVisiblePath(secrets, target, rest.join('.'))
}

const withoutLetter = (name: string, at: number): string =>
  name.length < 3 ? `${name}x` : name.slice(0, at) + name.slice(at + 1)

/** The text of a value that may be compared with the property at the end of a path. */
function valueText (entity: string, path: string): fc.Arbitrary<string> {
  switch (typeAt(entity, path)) {
    case 'tenant':
    case 'int':
    case 'version':
      return fc.oneof({ weight: 20, arbitrary: small.map(String) }, fc.constant('x'))
    case 'key':
      return id.map(String)
    case 'uuid':
      return uuid
    case 'date':
      return fc.constantFrom('2001-01-01T00:00:00.000Z', '2001-06-01', 'x')
    case 'text':
    case 'long':
      return word
    default:
      return /(?:^|\.)(?:id|area|no)$/.test(path) ? id.map(String) : word
  }
}

/** A filter that looks for words. Rows that have the one of several differ in relevance. */
const fullText: fc.Arbitrary<string> = fc.array(fc.constantFrom(...WORDS, 'x'), { minLength: 1, maxLength: 3 })
  .map((words) => `filter[words]=${encodeURIComponent(words.join(' or '))}`)

function comparisonOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  return mistaken(pathsOf(secrets, entity, ALLOWED[entity]!.filters)).chain((name) =>
    fc.tuple(fc.option(mistaken(open(operatorsAt(entity, name)))), valueText(entity, name)).map(
      ([operator, value]) => {
        const text = operator === 'isnull' ? 'true' : operator === 'between' ? `0,${value}` : value
        return `filter[${name}]${operator === null ? '' : `[${operator}]`}=${encodeURIComponent(text)}`
      }
    )
  )
}

/** A filter by a number about related records. */
function numberFilterOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  const numbers = comparedAggregates(entity)
  if (numbers.length === 0) return comparisonOf(secrets, entity)
  return mistaken(aggregatesOf(secrets, entity, numbers)).chain((name) =>
    fc.constantFrom('=1', '[gte]=2', '[isnull]=true').map((rest) => `filter[${name}]${rest}`)
  )
}

/** Filters in groups. Most rows that the role may not see would match what `not` keeps. */
function groupOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  const filter = fc.oneof({ weight: 8, arbitrary: comparisonOf(secrets, entity) },
    { weight: 2, arbitrary: numberFilterOf(secrets, entity) },
    { weight: 2, arbitrary: fc.constantFrom(...WORDS, 'x').map((text) => `filter[q]=${encodeURIComponent(text)}`) },
    { weight: 2, arbitrary: fullText }, fc.constantFrom('filter[upTo]=2', 'filter[trashed]=with'))
  return fc.tuple(filter, filter, filter, fc.constantFrom(...GROUPS)).map(([one, two, three, groups]) =>
    [one, two, three].slice(0, groups.length).map((text, n) => text.replace('filter', `filter${groups[n]}`)).join('&')
  )
}

/** The brackets before the filters of a group. */
const GROUPS = [
  ['[not]'], ['[or][0]', '[or][1]'], ['[or][0]', '[or][1][not]'], ['[not]', '[not]'], ['[not][not]', '[not][or][0]'],
  ['[or][0][and][0]', '[or][0][and][1][not]', '[or][1]'], ['[and][0]', '[and][1][not]'],
] as const

function filterOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  return fc.oneof({ weight: 5, arbitrary: comparisonOf(secrets, entity) }, numberFilterOf(secrets, entity),
    { weight: 4, arbitrary: groupOf(secrets, entity) },
    { weight: 3, arbitrary: fc.constantFrom(...WORDS, 'x').map((text) => `filter[q]=${encodeURIComponent(text)}`) },
    { weight: 3, arbitrary: fc.tuple(fullText, fc.constantFrom('', '&sort=-words')).map((parts) => parts.join('')) },
    fc.constantFrom(...WORDS, '1', '2').map((text) => `filter[any]=${encodeURIComponent(text)}`),
    { weight: 2, arbitrary: small.map((n) => `filter[upTo]=${n}`) },
    fc.constantFrom('filter[trashed]=with', 'filter[trashed]=only', 'filter[trashed]=x'))
}

const items = (list: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(list, { minLength: 1, maxLength }).map((names) => [...new Set(names)].join(','))

function sortOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  const paths = pathsOf(secrets, entity, [...ALLOWED[entity]!.sorts, 'several'])
  const numbers = aggregatesOf(secrets, entity, comparedAggregates(entity))
  const name = fc.oneof({ weight: 8, arbitrary: mistaken(paths) },
    ...numbers.all.length > 0 ? [{ weight: 2, arbitrary: mistaken(numbers) }] : [],
    { weight: 2, arbitrary: fc.constantFrom('backwards', 'words') })
  const item = fc.tuple(fc.constantFrom('', '-'), name).map(([sign, name]) => `${sign}${name}`)
  return items(item, 2).map((list) => `sort=${list}`)
}

function includeOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  const { includes, aggregates } = ALLOWED[entity]!
  const paths = pathsOf(secrets, entity, includes)
  const numbers = aggregatesOf(secrets, entity, aggregates)
  const names = { visible: [...paths.visible, ...numbers.visible], all: [...paths.all, ...numbers.all] }
  return items(mistaken(names), 3).map((list) => `include=${list}`)
}

function fieldsOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  const names = ALLOWED[entity]!.fields
  const own = names.filter((name) => !name.includes('.'))
  const related = names.filter((name) => name.includes('.')).map((name) => name.split('.') as [string, string])
  return fc.oneof(
    { weight: 3, arbitrary: items(mistaken(pathsOf(secrets, entity, own)), 4).map((list) => `fields=${list}`) },
    related.length === 0
      ? fc.constant(`fields=${keyColumns(entity)[0]}`)
      : fc.constantFrom(...related).chain(([relation, name]) =>
        mistaken(open([name])).map((name) => `include=${relation}&fields[${relation}]=${name}`)
      )
  )
}

const page = fc.constantFrom(
  'per_page=1', 'per_page=10', 'per_page=3', 'per_page=2&page=2', 'limit=2&offset=1', 'limit=1&offset=x', 'per_page=99',
  'per_page=2&cursor=@', 'cursor=&per_page=2&page=1'
)
const count = fc.constantFrom('count=none', 'count=none', 'count=none', 'count=exact', 'count=all')
const junk = fc.constantFrom('budget=1', 'salary=2', 'note=x', 'filter=1', 'wher=1', 'hard=true', 'title=ann')

/** A part that some requests have. */
const some = (part: fc.Arbitrary<string>, percent: number): fc.Arbitrary<string> =>
  fc.oneof({ weight: percent, arbitrary: part }, { weight: 100 - percent, arbitrary: fc.constant('') })

function readsOf (secrets: Secrets, entity: string): fc.Arbitrary<Ask> {
  const { path } = SHAPE[entity]!
  const query = (...parts: ReadonlyArray<fc.Arbitrary<string>>): fc.Arbitrary<string> =>
    fc.tuple(...parts).map((all) => all.filter((part) => part !== '').join('&'))
  const rest = fc.constantFrom<Ask['headers']>(
    {}, {}, {}, {}, { accept: 'text/csv' }, { accept: 'application/x-ndjson' }, { 'if-none-match': LAST_TAG }
  )
  // a guess of a version, and the tag of another answer
  const known = fc.constantFrom<Ask['headers']>({}, {}, { 'if-none-match': LAST_TAG }, { 'if-none-match': '"1", "2"' })
  const again = fc.integer({ min: 0, max: 3 }).map((n) => n === 0)
  const filters = [
    some(filterOf(secrets, entity), 50), some(filterOf(secrets, entity), 15), some(sortOf(secrets, entity), 50),
  ]
  const selection = [some(includeOf(secrets, entity), 60), some(fieldsOf(secrets, entity), 30)]
  const list = fc.tuple(
    query(
      ...filters, ...selection, some(page, 30), some(count, 25), some(facetsOf(secrets, entity), 25),
      fc.constantFrom('', '', '', '', '', ' ')
    )
      .chain((query) => query.endsWith(' ') ? junk.map((more) => query.slice(0, -1) + more) : fc.constant(query)),
    rest,
    again
  )
    .map(([query, headers, again]): Ask => ({ method: 'GET', url: `${path}?${query}`, headers, again }))
  const pages = query(...filters, some(fieldsOf(secrets, entity), 20),
    fc.constantFrom(1, 2).map((n) => `per_page=${n}`))
    .map((query): Ask => ({ method: 'GET', url: `${path}?${query}&cursor=`, headers: {}, follow: true }))
  const one = fc.tuple(
    fc.oneof({ weight: 5, arbitrary: id.map((id) => keyPath(entity, id)) }, uuid,
      fc.constant(keyColumns(entity).map(() => 'x').join('/'))),
    query(...selection.map((part) => some(part, 70))),
    known,
    again
  )
    .map(([id, query, headers, again]): Ask => ({ method: 'GET', url: `${path}/${id}?${query}`, headers, again }))
  const head = query(...filters).map((query): Ask => ({ method: 'HEAD', url: `${path}?${query}`, headers: {} }))
  const groups = fc.tuple(query(aggregateOf(secrets, entity), ...filters.slice(0, 2)), known, again)
    .map(([query, headers, again]): Ask => ({ method: 'GET', url: `${path}/aggregate?${query}`, headers, again }))
  return fc.oneof(
    { weight: 6, arbitrary: list }, { weight: 2, arbitrary: pages }, { weight: 2, arbitrary: one },
    { weight: 3, arbitrary: groups },
    treeOf(secrets, entity).map((body): Ask => ({ method: 'POST', url: `${path}/query`, headers: {}, body })), head
  )
}

const facetsOf = (secrets: Secrets, entity: string): fc.Arbitrary<string> =>
  items(mistaken(pathsOf(secrets, entity, groupPaths(entity))), 3).map((list) => `facets=${list}`)

/** Groups, the numbers about them, and their order. */
function aggregateOf (secrets: Secrets, entity: string): fc.Arbitrary<string> {
  const paths = groupPaths(entity)
  const functions = groupFunctions(entity)
  const number = fc.oneof(
    fc.constant('count'),
    {
      weight: 3,
      arbitrary: mistaken(pathsOf(secrets, entity, paths)).chain((path) =>
        mistaken(open(functions.get(path) ?? ['sum'])).map((fn) => `${path}.${fn}`)
      ),
    }
  )
  const dates = targetOf(entity, 'after') === undefined ? [] : ['deleted_at.year']
  const group = mistaken(pathsOf(secrets, entity, [...paths, ...dates]))
  const asked = fc.tuple(fc.uniqueArray(group, { maxLength: 2 }), fc.uniqueArray(number, { maxLength: 2 }))
  return asked.chain(([groups, numbers]) =>
    fc.tuple(fc.constantFrom('', '', '-'), fc.constantFrom('', ...groups, ...numbers),
      fc.constantFrom('', '', 'per_page=2', 'per_page=1&page=2', 'limit=x')).map(([sign, sort, page]) =>
      [
        ...groups.length > 0 ? [`group=${groups.join(',')}`] : [],
        ...numbers.length > 0 ? [`aggregate=${numbers.join(',')}`] : [],
        ...sort === '' ? [] : [`sort=${sign}${sort}`],
        ...page === '' ? [] : [page],
      ].join('&')
    )
  )
}

/** A query as a body. Its values have types of JSON, seldom the wrong one. */
function treeOf (secrets: Secrets, entity: string): fc.Arbitrary<Record<string, unknown>> {
  const comparison = mistaken(pathsOf(secrets, entity, ALLOWED[entity]!.filters)).chain((name) =>
    fc.tuple(fc.constantFrom('eq', 'ne', 'in', 'isnull'), valueText(entity, name), fc.integer({ max: 15, min: 0 })).map(
      ([operator, text, luck]) => {
        const value = /^\d$/.test(text) && luck > 0 ? Number(text) : text
        const given = operator === 'isnull' ? true : operator === 'in' ? [value] : value
        return { [name]: operator === 'eq' ? given : { [operator]: given } }
      }
    )
  )
  const filter = fc.tuple(comparison, comparison, fc.constantFrom('or', 'and', 'not')).map(([one, two, word]) =>
    word === 'not' ? { and: [one, { not: two }] } : { [word]: [one, two] }
  )
  const sort = fc.array(mistaken(pathsOf(secrets, entity, ALLOWED[entity]!.sorts)), { maxLength: 1 })
  return fc.record({ filter, sort, per_page: fc.constantFrom(3, 10) }, { requiredKeys: ['filter'] })
}

/** The to-many relations of projects that bodies may set. */
const WRITTEN = ['labels', 'notes']

/** @param isNew whether the body is that of a new record */
function bodyOf (secrets: Secrets, entity: string, isNew: boolean): fc.Arbitrary<Record<string, unknown>> {
  const { columns, toMany } = SHAPE[entity]!
  const all = propertiesOf(entity)
  const never = ['version', 'deleted_at', 'uuid', 'nothing']
  const visible = all.filter((property) =>
    !isHidden(secrets, entity, property) && secrets[entity]?.readonly.includes(property) !== true &&
    !never.includes(property) && columns[property]?.owner !== true &&
    (!(property in toMany) || (entity === 'Project' && WRITTEN.includes(property)))
  )
  const keys = visible.filter((property) => columns[property]?.type === 'key' || property in toMany)
  const owned = visible.filter((property) => property === 'notes').flatMap((name) => Array<string>(8).fill(name))
  const entry = mistaken({ visible: [...visible, ...keys, ...keys, ...owned], all }).chain((name) =>
    fc.tuple(
      fc.constant(name),
      name === 'notes'
        ? notesOf(secrets, isNew)
        : bodyValue(columns[name]?.type, name in toMany, columns[name]?.target)
    )
  )
  return fc.array(entry, { minLength: 0, maxLength: 3, size: 'max' }).map((entries) => Object.fromEntries(entries))
}

/** Notes in the body of their project. */
function notesOf (secrets: Secrets, isNew: boolean): fc.Arbitrary<unknown> {
  const body = bodyOf(secrets, 'Note', true)
  const add = fc.array(body, { maxLength: 2 })
  if (isNew) return fc.oneof({ weight: 9, arbitrary: add }, fc.constantFrom<unknown>({}, [1]))
  const change = fc.tuple(id, body).map(([id, body]) => ({ id, ...body }))
  const update = fc.array(change, { minLength: 1, maxLength: 2 })
  const remove = fc.array(id, { minLength: 1, maxLength: 2 })
  return fc.oneof(fc.record({ add }), { weight: 2, arbitrary: fc.record({ update: change.map((one) => [one]) }) },
    fc.record({ remove: id.map((one) => [one]) }), fc.record({ add, update, remove }, { requiredKeys: [] }))
}

function bodyValue (type: string | undefined, isToMany: boolean, target = ''): fc.Arbitrary<unknown> {
  if (isToMany) return fc.uniqueArray(id, { maxLength: 3 })
  switch (type) {
    case 'tenant':
    case 'int':
      return fc.oneof({ weight: 14, arbitrary: fc.constantFrom(1, 1, 1, 1, 1, 2, 3) }, fc.constantFrom(null, 'x'))
    case 'version':
      return small
    case 'text':
    case 'long':
      return fc.oneof({ weight: 20, arbitrary: word }, fc.constant(7))
    case 'key':
      return fc.oneof({ weight: 9, arbitrary: id.map((id) => keyInBody(target, id)) },
        fc.constantFrom<unknown>(null, 'x', 1, { area: 1 }))
    case 'uuid':
      return uuid
    case 'date':
      return fc.constant('2003-03-03T00:00:00.000Z')
    case 'json':
      return fc.constantFrom(null, { theme: 'bob', size: 1 }, [])
    default:
      return fc.constantFrom({ city: 'ann', zip: 1 }, { city: 'bob' }, { city: 'ann', zap: 1 })
  }
}

/** A composite key of a new record. No row of the data has it, since a conflict would tell of a hidden row. */
const newKey = fc.record({ area: fc.integer({ min: 101, max: 112 }), no: fc.integer({ min: 0, max: 1 }) })

function writesOf (secrets: Secrets, entity: string): fc.Arbitrary<Ask> {
  const { path } = SHAPE[entity]!
  const body = bodyOf(secrets, entity, true)
  const changes = bodyOf(secrets, entity, false)
  const matching = fc.constantFrom<Ask['headers']>({}, {}, {}, { 'if-match': '"1"' }, { 'if-match': '"2"' }, {
    'if-match': '*',
  })
  const record = SHAPE[entity]!.key === undefined
    ? body
    : fc.tuple(newKey, body).map(([key, body]) => ({ ...key, ...body }))
  const create = record.map((body): Ask => ({ method: 'POST', url: path, headers: {}, body }))
  const batch = fc.array(record, { minLength: 1, maxLength: 3 })
    .map((body): Ask => ({ method: 'POST', url: path, headers: {}, body }))
  // a row of the data in the way would tell of itself by a conflict, as it does to a create
  const upsert = fc.tuple(
    fc.oneof({ weight: 2, arbitrary: record }, fc.array(record, { minLength: 1, maxLength: 3 })),
    fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, matching),
    fc.constantFrom('area,no', 'area,no', 'area,no', 'no,area', 'area', 'tenant')
  ).map(([body, headers, on]): Ask => ({ method: 'PUT', url: `${path}?on=${on}`, headers, body }))
  const update = fc.tuple(fc.constantFrom('PATCH' as const, 'PUT' as const), id, matching, changes)
    .map(([method, id, headers, body]): Ask => ({ method, url: `${path}/${keyPath(entity, id)}`, headers, body }))
  // of one of the first projects, which have notes
  const family = fc.tuple(fc.constantFrom(1, 2, 3), matching, notesOf(secrets, false))
    .map(([id, headers, notes]): Ask => ({ method: 'PATCH', url: `${path}/${id}`, headers, body: { notes } }))
  const remove = fc.tuple(id, matching, fc.constantFrom('', '', '?hard=true', '?hrd=true'))
    .map(([id, headers, hard]): Ask => ({ method: 'DELETE', url: `${path}/${keyPath(entity, id)}${hard}`, headers }))
  const restore = id.map((id): Ask => ({ method: 'POST', url: `${path}/${keyPath(entity, id)}/restore`, headers: {} }))
  const selected = fc.tuple(
    filterOf(secrets, entity),
    some(filterOf(secrets, entity), 30),
    fc.constantFrom('', '', '&dry_run=true', '&sort=id', '&hard=true')
  ).map(([filter, more, rest]) => `${path}?${filter}${more === '' ? '' : `&${more}`}${rest}`)
  const updateMany = fc.tuple(selected, body).map(([url, body]): Ask => ({ method: 'PATCH', url, headers: {}, body }))
  const removeMany = selected.map((url): Ask => ({ method: 'DELETE', url, headers: {} }))
  return fc.oneof(
    { weight: 3, arbitrary: create }, batch, { weight: SHAPE[entity]!.key === undefined ? 0 : 10, arbitrary: upsert },
    { weight: entity === 'Project' ? 6 : 0, arbitrary: family }, { weight: 4, arbitrary: update },
    { weight: 2, arbitrary: remove }, restore, { weight: 3, arbitrary: updateMany }, removeMany
  )
}

type AsksOf = (secrets: Secrets, entity: string) => fc.Arbitrary<Ask>

const oneOf = (of: AsksOf, secrets: Secrets, entities: readonly string[]): fc.Arbitrary<Ask> =>
  fc.oneof(
    ...entities.map((entity) => ({ weight: secrets[entity] === undefined ? 1 : 5, arbitrary: of(secrets, entity) }))
  )

/** Everything that a role sees of an entity's own rows, after the writes. */
const LAST: readonly Ask[] = [
  '/users?per_page=10', '/projects?per_page=10&fields=id,name', '/projects?per_page=10&sort=id',
  '/projects?per_page=10&sort=id&include=labels&fields=id', '/projects?per_page=10&sort=id&include=tasksCount',
  '/projects?per_page=10&sort=id&include=notes&fields=id', '/notes?per_page=10&sort=id',
  '/tasks?per_page=10&sort=id&filter[trashed]=with', '/tasks?per_page=10&sort=id', '/bugs?per_page=10&sort=id',
  '/seats?per_page=10&sort=area,no', '/labels?per_page=10&sort=id',
].map((url) => ({ method: 'GET', url, headers: {} }))

/**
 * Random requests of a role, most of which it may send.
 *
 * @param entities those that the requests are for, apart from the last ones
 * @param writes how many of five requests are writes
 */
export function asksOf (secrets: Secrets, entities = ENTITIES, writes = 2): fc.Arbitrary<readonly Ask[]> {
  const ask = fc.oneof({ weight: 5 - writes, arbitrary: oneOf(readsOf, secrets, entities) }, {
    weight: writes,
    arbitrary: oneOf(writesOf, secrets, entities),
  })
  // without the bias of fast-check, which prefers few requests and the first names
  return fc.noBias(fc.array(ask, { minLength: 1, maxLength: 80, size: 'max' })).map((asks) => [...asks, ...LAST])
}
