/** Requests of an attacker who knows all hidden names, and guesses the values behind them. */
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { OPERATOR_NAMES } from '../../src/operators/index.ts'
import { SECRETS } from './vault.ts'

export interface Attempt {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Properties, relations, members, columns, tables and entities that clients do not know. */
export const HIDDEN = [
  'pin', 'token', 'api_tok', 'apiTok', 'dossier', 'dossier.note', 'handler', 'handler_id', 'handler.codename',
  'handlerId', 'cases', 'cases.title', 'casesCount', 'casesExists', 'friends', 'friends.name', 'tenant', 'home.alarm',
  'home_alarm', 'alarm', 'work.badge', 'work_badge', 'badge', 'team.budget', 'budget', 'mentor.pin', 'mentor.handler',
  'mentor.handler.codename', 'mentor.home.alarm', 'visits.published', 'published', 'branch', 'visits.branch',
  'visits.person.pin', 'person.pin', 'person.token', 'person.handler', 'people.pin', 'people.token',
  'people.handler.codename', 'people.cases.title', 'team.people.pin', 'Agent', 'agent', 'codename', 'Case',
  'secret_case', 'case',
]

/** Names that exist, but are not allowed for every use. */
const KNOWN = [
  'name', 'age', 'deleted_at', 'version', 'work', 'work.trade', 'home', 'team', 'team.name', 'team.id', 'mentor',
  'mentor.age', 'visits', 'visits.place', 'visits.id', 'person', 'people', 'q', 'trashed', 'id', 'visit', 'stars',
]

const DECORATIONS: ReadonlyArray<(name: string) => string> = [
  (name) => name.toUpperCase(), (name) => name[0]!.toUpperCase() + name.slice(1), (name) => `${name}::text`,
  (name) => `"${name}"`, (name) => `\`${name}\``, (name) => `'${name}'`, (name) => `e0.${name}`, (name) => `p.${name}`,
  (name) => `page.${name}`, (name) => `person.${name}`, (name) => `public.person.${name}`, (name) => `@row.${name}`,
  (name) => `${name}->'note'`, (name) => `${name}->>'note'`, (name) => `${name}#>>'{note}'`, (name) => `${name}.note`,
  (name) => `${name}.length`, (name) => `${name}.0`, (name) => `${name}Count`, (name) => `${name}Exists`,
  (name) => `${name}_id`, (name) => `$some.${name}`, (name) => `visits.$some.${name}`, (name) => `$and.${name}`,
  (name) => `${name}.$like`, (name) => `${name} desc`, (name) => `-${name}`, (name) => `+${name}`,
  (name) => ` ${name} `, (name) => `${name}\0`, (name) => `${name}.`, (name) => `.${name}`, (name) => `${name}..id`,
  (name) => `__proto__.${name}`, (name) => `constructor.${name}`, (name) => `${name}.constructor.name`,
  (name) => `${name}.__proto__`, (name) => name.replace(/[aeo]/, (letter) => ({ a: 'а', e: 'е', o: 'о' })[letter]!),
  (name) => name.replace(/./g, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)),
  (name) => `${name}\u200b`, (name) => `lower(${name})`, (name) => `(select ${name})`, (name) => `${name},name`,
  (name) => `name,${name}`, (name) => `${name} as name`, (name) => name.slice(0, -1), (name) => `${name}x`,
  (name) => name.replace('.', '_'), (name) => name.replace('.', '['),
]

const OPERATORS = [
  ...OPERATOR_NAMES, '$eq', '$ne', '$like', '$some', '$none', '$every', '$gt', '$re', '$fulltext', '$exists', '$not',
  'regex', 'EQ', '',
]

/** The texts of all secrets that the attempts know. */
export const secretTexts = SECRETS.flatMap(({ texts, number }) => [...texts, String(number)])
const VALUES = [
  ...secretTexts, ...secretTexts.map((text) => `${text.slice(0, 4)}%`),
  ...secretTexts.map((text) => text.toLowerCase()), '%', '_', '', 'qZ', 'jK', '0', '1', '2', '9', '36', '500', '600',
  '70000000', 'true', 'false', 'null', 'Ada', 'Bob', 'Red', 'London', 'Oslo', 'A%', '1,2', 'Ada,Bob', '5,600',
  '{"note":1}', '\0', '[]', '{}',
]

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HIDDEN) },
  { weight: 2, arbitrary: fc.constantFrom(...KNOWN) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...HIDDEN, ...KNOWN), fc.constantFrom(...DECORATIONS)).map(([name, decorate]) =>
      decorate(name)
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('team', 'mentor', 'visits', 'person', 'people', 'handler', 'work'),
      fc.constantFrom(...HIDDEN)).map((parts) => parts.join('.')),
  }
)
const value = fc.constantFrom(...VALUES)

/** Names and values are percent-encoded, or sent as written as far as a URL allows. */
const written = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.boolean()).map(
    ([text, encoded]) => encoded || /[\s&#+%\0\u0080-\uffff]/.test(text) ? encodeURIComponent(text) : text
  )

const hiddenParameter = fc.tuple(written(name), fc.constantFrom(...OPERATORS).map(encodeURIComponent), written(value),
  written(name)).chain(([name, operator, value, other]) =>
  fc.constantFrom(
    `filter[${name}]=${value}`, `filter[${name}][${operator}]=${value}`, `filter[${name}][${operator}]=${value}`,
    `filter[${name}][${operator}][]=${value}`, `filter[${name}][]=${value}`, `filter[${name}][isnull]=true`,
    `filter.${name}=${value}`, `filters[${name}]=${value}`, `where[${name}]=${value}`, `FILTER[${name}]=${value}`,
    `filter[${name}][${other}]=${value}`, `filter[$or][0][${name}]=${value}`, `sort=${name}`, `sort=-${name}`,
    `sort=name,${name}`, `sort[]=${name}`, `sort[${name}]=desc`, `order=${name}`, `orderBy=${name}`, `fields=${name}`,
    `fields=id,${name}`, `fields[]=${name}`, `fields[${name}]=id`, `fields[${name}]=${other}`,
    `include=team&fields[team]=${name}`, `include=visits&fields[visits]=id,${name}`, `fields[person]=${name}`,
    `select=${name}`, `include=${name}`, `include=team,${name}`, `include=team.${name}`, `include=mentor.${name}`,
    `include=visits.person.${name}`, `include=${name}Count`, `include=${name}Sum`, `include=${name}.id`, `with=${name}`,
    `expand=${name}`, `populate=${name}`, `${name}=${value}`, `${name}`, `page=${name}`, `per_page=${value}`,
    `cursor=${value}`, `hard=${name}`
  )
)

/** Allowed requests, with values that only those who know a secret can guess. */
const TEXTS = [
  'name', 'home.city', 'team.name', 'visits.place', 'mentor.name', 'people.name', 'place', 'person.name',
] as const
const allowedParameter = fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...OPERATORS.slice(0, 15)), written(value),
  fc.nat({ max: 700 })).chain(([name, operator, value, number]) =>
  fc.constantFrom(
    `filter[${name}]=${value}`, `filter[${name}][${operator}]=${value}`, `filter[${name}][ne]=${value}`,
    `filter[${name}][contains]=${value}`, `filter[q]=${value}`, `filter[id][gte]=${number}`,
    `filter[age][gt]=${number}`, `filter[person]=${number}`, `filter[team][in]=1,${number}`,
    `filter[visits.stars][gt]=${number % 10}`, 'include=team.people', 'include=visits', 'include=people.visits',
    'include=visits.person', 'include=visitsCount', 'include=visitsSum', 'include=mentor.team', 'include=peopleCount',
    'include=person', 'sort=-name', 'sort=mentor.name', 'sort=place', 'sort=-person.name', 'per_page=2', 'page=2',
    'cursor=', 'cursor=&per_page=2', 'limit=3&offset=1', 'fields=id,name', 'fields=team'
  )
)

const parameters = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(hiddenParameter).map(([only]) => only) },
  { weight: 2, arbitrary: fc.tuple(allowedParameter, hiddenParameter).map((both) => both.join('&')) },
  {
    weight: 2,
    arbitrary: fc.uniqueArray(allowedParameter, {
      minLength: 1, maxLength: 4, selector: (parameter) => parameter.split('=')[0],
    }).map((all) => all.join('&')),
  }
)

const COLLECTIONS = ['/people', '/teams', '/visits'] as const
const collection = fc.constantFrom(...COLLECTIONS)
const id = fc.oneof(
  fc.constantFrom(
    '1', '2', '3', '1000', '1001', '1002', '9999', '500', '501', '600', '601', '700', '701', '800', '900', '1000000000',
    '0', '-1'
  ),
  written(
    fc.constantFrom(
      '1::int', '1 or 1=1', 'pin', '1;', '{"pin":1}', '1.0', '0x1', '٣', '1\0', 'null', '1/handler', '../agents/1',
      '%31', '00000000-0000-4000-8000-000000000000'
    )
  )
)
const version = fc.constantFrom('"1"', '*', '"2"', 'W/"1"', '1', '"73190417"', '"1", "2"', '""', '"pin"')

/** Hidden members, and objects in place of scalars. */
const member = fc.tuple(
  name,
  fc.oneof(
    value,
    fc.constantFrom<unknown>(
      1, null, true, 500, 600, [500], { pin: 1 }, { id: 500 }, [{ pin: 1 }], { city: 'Rome', alarm: 'x' },
      { trade: 'art', badge: 'x' }, { connect: 1 }, { $ne: null }
    )
  )
)
const reference = fc.constantFrom(1, 2, 3, 4, 500, 501, 600, 601, 9999, 1001)
/** Valid bodies, except for ids of rows that the client may not see. */
const RIGHT = {
  '/people': fc.record(
    {
      name: fc.constantFrom('Zoe', 'qZalphaWx'), age: fc.constant(20), team: fc.constantFrom(1, 3, 9999),
      mentor: reference, home: fc.constant({ city: 'Rome' }), work: fc.constant({ trade: 'art' }),
    },
    { requiredKeys: ['name'] }
  ),
  '/teams': fc.record({ name: fc.constantFrom('Black', 'jKechoVy') }),
  '/visits': fc.record({ place: fc.constantFrom('Bonn', 'qZbravoWx'), person: reference, stars: fc.constant(3) }, {
    requiredKeys: ['place', 'person'],
  }),
}
const bodyOf = (path: keyof typeof RIGHT): fc.Arbitrary<string> => {
  const right: fc.Arbitrary<object> = RIGHT[path]
  const wrong = fc.tuple(right, fc.array(member, { minLength: 1, maxLength: 3 })).map(
    ([base, members]) => ({ ...base, ...Object.fromEntries(members) })
  )
  const record = fc.oneof({ weight: 2, arbitrary: right }, { weight: 3, arbitrary: wrong })
  return fc.oneof({ weight: 5, arbitrary: record }, { weight: 1, arbitrary: fc.array(record, { maxLength: 3 }) }).map((
    body
  ) => JSON.stringify(body))
}
const json = { 'content-type': 'application/json' }
const query = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, {
  weight: 1,
  arbitrary: parameters.map((text) => `?${text}`),
})

export const attempt: fc.Arbitrary<Attempt> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.tuple(fc.constantFrom(...COLLECTIONS, '/people', '/people'), parameters).map(
      ([path, query]): Attempt => ({ method: 'GET', url: `${path}?${query}`, headers: {} })
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(collection, id, query).map(
      ([path, id, query]): Attempt => ({ method: 'GET', url: `${path}/${id}${query}`, headers: {} })
    ),
  },
  {
    weight: 3,
    arbitrary: collection.chain(
      (path) =>
        fc.tuple(bodyOf(path), query).map(
          ([body, query]): Attempt => ({ method: 'POST', url: `${path}${query}`, headers: json, body })
        )
    ),
  },
  {
    weight: 3,
    arbitrary: collection.chain(
      (path) =>
        fc.tuple(fc.constantFrom('PATCH' as const, 'PUT' as const), id, bodyOf(path),
          fc.option(version, { nil: undefined })).map(
          ([method, id, body, version]): Attempt => (
            {
              method, url: `${path}/${id}`, headers: version === undefined ? json : { ...json, 'if-match': version },
              body,
            }
          )
        )
    ),
  },
  // only records of this test, so that others are left
  {
    weight: 1,
    arbitrary: fc.tuple(collection, id.filter((id) => !['1', '2', '3'].includes(id)), query, version).map(
      ([path, id, query, version]): Attempt => (
        { method: 'DELETE', url: `${path}/${id}${query}`, headers: { 'if-match': version } }
      )
    ),
  }
)

/** A cursor of a page, changed: bits flipped, positions replaced, or combined with another cursor. */
export function tampered (cursors: readonly string[]): fc.Arbitrary<Attempt> {
  const flipped = fc.tuple(fc.constantFrom(...cursors), fc.nat(), fc.integer({ min: 0, max: 7 })).map(
    ([cursor, at, bit]) => {
      const bytes = Buffer.from(cursor, 'base64url')
      bytes[at % bytes.length]! ^= 1 << bit
      return bytes.toString('base64url')
    }
  )
  const replaced = fc.tuple(fc.constantFrom(...cursors),
    fc.array(fc.oneof(value, fc.constantFrom<unknown>(null, 1, [], {})), { minLength: 1, maxLength: 3 }),
    fc.integer({ min: -1, max: 4 })).map(([cursor, values, way]) =>
    Buffer.from(
      Buffer.from(cursor, 'base64url').toString().slice(0, 16) + JSON.stringify([way, ...values])
    ).toString('base64url')
  )
  const spliced = fc.tuple(fc.constantFrom(...cursors), fc.constantFrom(...cursors), fc.nat({ max: 60 })).map((
    [one, other, at]
  ) => one.slice(0, at) + other.slice(at))
  const sort = fc.constantFrom(
    '', '&sort=name', '&sort=-age', '&sort=mentor.name', '&sort=pin', '&sort=handler.codename',
    '&filter[name][starts]=q'
  )
  return fc.tuple(fc.oneof(flipped, replaced, spliced), sort, fc.constantFrom(...COLLECTIONS)).map(
    ([cursor, sort, path]): Attempt => (
      { method: 'GET', url: `${path}?per_page=2&cursor=${cursor}${sort}`, headers: {} }
    )
  )
}

/** A request as `app.inject` takes it. */
export function injected ({ method, url, headers, body }: Attempt): InjectOptions {
  return { method, url, headers, ...(body !== undefined && { payload: body }) }
}
