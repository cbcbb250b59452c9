/**
 * Text of a request is bound as a value or refused. It never becomes part of a statement, in any place and for any
 * type.
 */
import fc from 'fast-check'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { AllowedFilters, type Operator } from '../../src/index.ts'
import { Customer, entities, Order, Plant, Shelf, Specimen, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { ON_BOOLEANS, ON_NUMBERS, ON_TEXTS } from '../helpers/operators.ts'
import { assertProperty } from '../helpers/property.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource, select, serve, type Json } from '../http/helper.ts'
import { wide } from '../sql/queries.ts'
import { EQUALITIES } from './equality.ts'
import { CANARY, hostile, RAW } from './hostile.ts'

/** The texts without the condition that a list has from its sixth run on, when the server keeps its statement. */
const plain = (texts: readonly string[]): readonly string[] =>
  texts.map((text) => text.replace(/ where \$\d+ > 0 or \(select count\(\*\) from generate_series\(1, 10+\)\) > 0/, ''))

const TEXTS = ['nickname', 'description', 'code', 'grade']
/** Their types have no order, or the whitelist does not use it. */
const EQUAL_ONLY = ['alive', 'readings', 'petals', 'health', 'flowering', 'hardiness']
const operatorsOf = (name: string): Operator[] => {
  if (TEXTS.includes(name)) return ON_TEXTS
  return EQUAL_ONLY.includes(name) ? ON_BOOLEANS : ON_NUMBERS
}

const plants = resource(Plant, wide)
const specimens = resource(Specimen, {
  allowedFilters: Object.keys(EQUALITIES).map((name) => new AllowedFilters(name, 'eq', operatorsOf(name))),
})

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())
const written = fc.oneof({ weight: 6, arbitrary: hostile.map(encoded) }, {
  weight: 1,
  arbitrary: fc.tuple(fc.constantFrom(...RAW), hostile).map(([raw, text]) => raw + encoded(text)),
})

/** Names, in every place of a query string. */
const NAMED: ReadonlyArray<(name: string) => string> = [
  (name) => `filter[${name}]=1`, (name) => `filter[name][${name}]=1`, (name) => `filter[name][${name}][]=1`,
  (name) => `filter[supplier.${name}]=1`, (name) => `filter[${name}.name]=1`,
  (name) => `filter[specimens.readings.${name}]=1`, (name) => `sort=${name}`, (name) => `sort=-${name}`,
  (name) => `sort=name,${name}`, (name) => `sort=supplier.${name}`, (name) => `include=${name}`,
  (name) => `include=tags.${name}`, (name) => `include=tags,${name}`, (name) => `fields=${name}`,
  (name) => `fields=id,${name}`, (name) => `fields[${name}]=id`, (name) => `include=tags&fields[tags]=${name}`,
  (name) => `fields[plant]=${name}`, (name) => `${name}=1`, (name) => `${name}[name]=1`, (name) => `page[${name}]=1`,
]
/** Values in places without a conversion by the type of a column. */
const VALUED: ReadonlyArray<(value: string) => string> = [
  (value) => `filter[name]=${value}`,
  (value) => `filter[name][like]=${value}`,
  (value) => `filter[name][in]=${value}`,
  (value) => `filter[q]=${value}`,
  (value) => `filter[ref]=${value}`,
  (value) => `filter[trashed]=${value}`,
  (value) => `filter[supplier.name][like]=${value}`,
  (value) => `filter[tags.name][contains]=${value}`,
  (value) => `filter[tags.name][in]=${value}`,
  (value) => `filter[offers.title][starts]=${value}`,
  (value) => `filter[specimens.synonyms][contains]=${value}`,
  (value) => `filter[specimens.synonyms][overlap][]=${value}`,
  (value) => `filter[specimens.readings.sensor]=${value}`,
  (value) => `filter[specimens.readings.sensor][contains]=${value}`,
  (value) => `filter[specimens.readings.depth]=${value}`,
  (value) => `filter[name][between][]=a&filter[name][between][]=${value}`,
  (value) => `filter[id]=${value}`,
  (value) => `filter[supplier]=${value}`,
  (value) => `filter[description][ends]=${value}`,
  (value) => `page=${value}`,
  (value) => `per_page=${value}`,
  (value) => `limit=${value}`,
  (value) => `offset=${value}`,
  (value) => `cursor=${value}`,
  (value) => `filter[name]=a&hard=${value}`,
]

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': plants, '/specimens': { crud: specimens, operations: ['list', 'get', 'create', 'createMany', 'update'] },
    '/tags': {
      crud: resource(Tag),
      operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'],
      allowHardDelete: true,
    },
    '/customers': resource(Customer), '/shelves': resource(Shelf), '/orders': resource(Order),
  })
  const recorder = await recordStatements(orm, t)
  const counts: Record<number, number> = {}

  /** Sends a request, and checks the answer and the statements. Returns both. */
  const ask = async (options: InjectOptions): Promise<LightMyRequestResponse & { texts: string[] }> => {
    recorder.take()
    const response = await app.inject(options)
    const texts = recorder.texts()
    const { statusCode, body, headers } = response
    counts[statusCode] = (counts[statusCode] ?? 0) + 1
    const found = texts.find((text) => text.includes(CANARY))
    if (found !== undefined) throw new Error(`in a statement: ${found}`)
    if (statusCode >= 500) throw new Error(`${statusCode} ${body}`)
    // the database reads values of a custom type
    if (
      statusCode === 400 && texts.length > 0 && options.method === undefined &&
      !String(options.url).startsWith('/specimens?filter[minimum]')
    ) throw new Error(`a statement before the refusal: ${body}`)
    if ('x-injected' in headers) throw new Error('a header was injected')
    if (typeof JSON.parse(body) !== 'object') throw new Error(body)
    return Object.assign(response, { texts })
  }

  /** All rows of all tables. */
  const dump = async (): Promise<Record<string, string>> => {
    const tables = await select(
      orm,
      "select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables " +
        "where table_schema in ('public', 'audit') and table_type = 'BASE TABLE' order by 1"
    )
    const rows: Record<string, string> = {}
    for (const { name } of tables) {
      rows[name] = (
        await select(orm, `select coalesce(json_agg(t order by t::text), '[]')::text as rows from ${name} t`)
      )[0].rows
    }
    return rows
  }

  const before = await dump()
  const { items: stored } = (await app.inject('/specimens?per_page=100')).json() as { items: Json[] }
  const textOf = (value: Json): string => typeof value === 'object' ? JSON.stringify(value) : String(value)

  /** Values of a record, slightly changed or unchanged. */
  const near = (name: string): fc.Arbitrary<string> => {
    const values = stored.map((row) => row[name]).filter((value) => value !== null).map(textOf)
    const changes: ReadonlyArray<(text: string) => string> = [
      (text) => text, (text) => `${text}0`, (text) => `0${text}`, (text) => `+${text}`, (text) => ` ${text}`,
      (text) => `${text} `, (text) => text.toUpperCase(), (text) => `${text}'`, (text) => `${text}.0`,
      (text) => `-${text}`, (text) => `${text}e0`, (text) => text.slice(0, -1),
    ]
    return fc.tuple(fc.constantFrom(...values), fc.oneof(fc.constant(changes[0]!), fc.constantFrom(...changes))).map((
      [text, change]
    ) => change(text))
  }
  const names = Object.keys(EQUALITIES)

  t.test('eq finds the records with the value, by the type of the property', async (t) => {
    const texts = new Map<string, Set<string>>()
    let found = 0
    await assertProperty(
      fc.asyncProperty(
        fc.constantFrom(...names).chain(
          (name) => fc.tuple(fc.constant(name), fc.oneof(hostile, near(name)), fc.constantFrom('', '[eq]'))
        ),
        async ([name, text, operator]) => {
          const response = await ask({ url: `/specimens?filter[${name}]${operator}=${encoded(text)}&per_page=100` })
          const has = stored.filter((row) => row[name] !== null)
          if (response.statusCode === 400) {
            if (has.some((row) => textOf(row[name]) === text)) {
              throw new Error(`the value of a record is refused: ${response.body}`)
            }
            return
          }
          const expected = has.filter((row) => EQUALITIES[name]!(row[name], text.toWellFormed())).map(({ id }) => id)
          const ids = response.json().items.map(({ id }: Json) => id)
          if (String(ids) !== String(expected)) throw new Error(`found ${ids}, not ${expected}`)
          found += ids.length
          texts.set(name, (texts.get(name) ?? new Set()).add(plain(response.texts).join()))
        }
      ),
      { numRuns: 400 }
    )
    t.ok(found > 50, `${found} were found`)
    t.strictSame([...texts].filter(([, { size }]) => size !== 1).map(([name]) => name), [],
      'a property has one statement, whatever the values')
  })

  t.test('other operators bind any text as a value, or refuse it', async (t) => {
    const texts = new Map<string, Set<string>>()
    await assertProperty(
      fc.asyncProperty(
        fc.constantFrom(...names).chain(
          (name) =>
            fc.tuple(fc.constant(name), fc.constantFrom(...operatorsOf(name).slice(1)),
              fc.oneof(hostile.map(encoded), near(name).map(encoded), written))
        ),
        async ([name, operator, value]) => {
          const key = `filter[${name}][${operator}]`
          const query = operator === 'between'
            ? `${key}[]=${value}&${key}[]=${value}`
            : operator === 'in' || operator === 'nin'
              ? `${key}[]=${value}`
              : `${key}=${value}`
          const response = await ask({ url: `/specimens?${query}` })
          // an `isnull` of two values is two conditions
          if (response.statusCode === 200 && operator !== 'isnull') {
            texts.set(key, (texts.get(key) ?? new Set()).add(plain(response.texts).join()))
          }
        }
      ),
      { numRuns: 300 }
    )
    t.ok(texts.size > 50, `${texts.size} statements`)
    t.strictSame([...texts].filter(([, { size }]) => size !== 1).map(([key]) => key), [],
      'one statement, whatever the values')
  })

  t.test('values of relation and JSON paths, searches, pages and cursors are bound or refused', async (t) => {
    const sent = { ...counts }
    const texts = new Set<string>()
    await assertProperty(
      fc.asyncProperty(fc.constantFrom(...VALUED), written, async (place, value) => {
        const response = await ask({ url: `/plants?${place(value)}` })
        for (const text of plain(response.texts)) texts.add(text)
      }),
      { numRuns: 400 }
    )
    t.ok(counts[200]! > sent[200]! && counts[400]! > sent[400]!, JSON.stringify(counts))
    t.ok(texts.size <= VALUED.length, `${texts.size} statements, whatever the values`)
  })

  t.test('hostile names are refused in every place', async (t) => {
    // a text may happen to be an allowed name
    const refused = written.filter(
      (text) => !/^[\w.,+ -]*$/.test(decodeURIComponent(text.replace(/%(?![0-7][0-9a-f])/gi, '%25')))
    )
    const sent = { ...counts }
    await assertProperty(
      fc.asyncProperty(
        fc.constantFrom(...NAMED),
        refused,
        async (place, name) => {
          await ask({ url: `/plants?${place(name)}` })
        }
      ),
      { numRuns: 500 }
    )
    t.ok(counts[400]! - sent[400]! > 400, JSON.stringify(counts))
  })

  t.test('keys in paths, and conditions and preferences in headers, are bound or refused', async (t) => {
    const id = written.filter((text) => !/^[+-]?\d+$/.test(text))
    // characters that Node allows in a header
    const header = hostile.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''))
    const attempt = fc.oneof(
      fc.tuple(
        fc.constantFrom('/plants/', '/customers/', '/orders/', '/specimens/', '/shelves/A/', '/shelves/'),
        id,
        fc.constantFrom('', '/1')
      ).map(([path, id, rest]): InjectOptions => ({ method: 'GET', url: `${path}${id}${rest}` })),
      fc.tuple(fc.constantFrom('/tags/', '/customers/', '/orders/', '/shelves/A/'), id,
        fc.constantFrom('PATCH' as const, 'DELETE' as const), fc.constantFrom('', '?hard=true')).map(
        ([path, id, method, query]): InjectOptions => (
          { method, url: `${path}${id}${query}`, ...(method === 'PATCH' && { payload: {} }) }
        )
      ),
      fc.tuple(id, fc.constantFrom('/tags/', '/plants/')).map(
        ([id, path]): InjectOptions => ({ method: 'POST', url: `${path}${id}/restore` })
      ),
      header.filter((text) => !/^\s*\*\s*$|"1"/.test(text)).map(
        (text): InjectOptions => ({ method: 'PATCH', url: '/orders/1', headers: { 'if-match': text }, payload: {} })
      ),
      header.map(
        (text): InjectOptions => (
          {
            method: 'GET', url: '/tags',
            headers: { accept: text, 'accept-language': text, 'x-request-id': text, host: text },
          }
        )
      ),
      header.map(
        (text): InjectOptions => (
          { method: 'POST', url: '/tags', headers: { 'content-type': text }, payload: '{"name":"x"}' }
        )
      )
    )
    const sent = { ...counts }
    await assertProperty(
      fc.asyncProperty(attempt, async (options) => {
        const { statusCode, body } = await ask(options)
        if (
          options.method !== 'GET' && statusCode < 400 && options.headers?.['if-match'] === undefined
        ) throw new Error(`${statusCode} ${body}`)
      }),
      { numRuns: 300 }
    )
    t.ok(counts[404]! > (sent[404] ?? 0) && counts[412]! > 0 && counts[415]! > 0, JSON.stringify(counts))
  })

  t.test('none of the requests changed a row', async (t) => {
    t.strictSame(await dump(), before)
  })

  t.test('stored values of bodies return unchanged', async (t) => {
    // mostly values that can be stored
    const text = hostile.map((text) => text.replaceAll('\0', '').slice(0, 40).toWellFormed())
    const writable = fc.record({
      nickname: text,
      description: fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: hostile }),
      diary: text,
      grade: fc.constantFrom("'", '"', '\\', '$', '%', ';'),
      synonyms: fc.array(text, { maxLength: 2 }),
      readings: fc.oneof(text, fc.record({ [CANARY]: text }), fc.dictionary(text, text, { maxKeys: 2 })),
      size: fc.record({ height: fc.constant(1), width: fc.constant(2), unit: text }),
    }, { requiredKeys: [] })
    const wrong = fc.tuple(
      fc.constantFrom(...names, CANARY, 'plant', 'id'),
      fc.oneof(hostile, fc.record({ $raw: hostile }), fc.array(hostile, { maxLength: 2 }),
        fc.dictionary(hostile, hostile, { maxKeys: 2 }))
    ).map(([name, value]) => ({ [name]: value }))
    const named = hostile.map((name) => ({ [name]: 1 }))
    let count = 0
    let kept = 0
    const check = (sent: Json, got: Json): void => {
      for (
        const [name, value] of Object.entries(JSON.parse(JSON.stringify(sent)))
      ) if (!isDeepStrictEqual(got[name], value)) throw new Error(`${name}: ${JSON.stringify(got[name])}`)
      kept++
    }
    await assertProperty(
      fc.asyncProperty(
        fc.oneof({ weight: 3, arbitrary: writable }, { weight: 1, arbitrary: wrong }, { weight: 1, arbitrary: named }),
        fc.constantFrom('one', 'many', 'update'),
        async (data, way) => {
          const code = `I${++count}`
          if (way === 'update') {
            const created = await ask({ method: 'POST', url: '/specimens', payload: { code, plant: 1 } })
            const response = await ask({ method: 'PATCH', url: `/specimens/${created.json().id}`, payload: data })
            if (response.statusCode === 200) check(data, response.json())
            return
          }
          const body = { code, plant: 1, ...data }
          const response = await ask(
            {
              method: 'POST', url: '/specimens',
              payload: way === 'many' ? [body, { code: `${code}x`, plant: 1 }] : body,
            }
          )
          if (response.statusCode === 201) check(body, way === 'many' ? response.json()[0] : response.json())
        }
      ),
      { numRuns: 300 }
    )
    t.ok(kept > 50, `${kept} were kept`)
    const { 'public.specimen': specimens, ...others } = await dump()
    const { 'public.specimen': seeded, ...othersBefore } = before
    t.strictSame(others, othersBefore, 'and no other table was touched')
    t.strictSame((JSON.parse(specimens!) as Json[]).filter(({ id }) => id <= stored.length), JSON.parse(seeded!),
      'nor what was there before')
  })
})
