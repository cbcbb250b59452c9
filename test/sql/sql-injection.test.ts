/** Text of a request is never part of a statement, wherever in the request it stands. */
import fc from 'fast-check'
import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import { planExists, planGet, type Plan } from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { compile } from '../../src/sql/index.ts'
import { entities, Plant, Shelf, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { recordStatements } from '../helpers/statements.ts'
import { planOf, whitelistOf } from '../plan/helper.ts'
import { crudOf, nothingForeign } from './helper.ts'
import { queryOf, wide } from './queries.ts'

const HOSTILE = [
  "'", "''", '"', '""', '`', '\\', "\\'", ';', '--', '/*', '*/', '$1', '$$', '?', '??', ':name', '{}', '[]', '::raw', '.', '::', '%', '_', '\n', '\t', '\u0000', '\u2028', '＇', 'ʼ', '0x27', '%27',
  "' or 1=1 --", "'; drop table plant; --", '"; drop table plant; --', '1) or (1=1', '1 or 1=1', 'id desc nulls first; select pg_sleep(10)', "name' || (select version()) || '", 'e0', '"e0"."purchase_price"', '@page', '@rows', 'union select * from supplier',
  '$ne', '$or', '$raw', '[raw]: now() (#1)', 'raw(now())', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'purchasePrice', 'supplier.email', 'deleted_at', 'name::text', "name->>'a'", 'name asc', 'null', 'true',
]
const CANARY = 'zqx7canary'
const hostile = fc.oneof(fc.constantFrom(...HOSTILE), fc.constantFrom(...HOSTILE).map((text) => `${CANARY}${text}`), fc.constantFrom(...HOSTILE).map((text) => `${text}${CANARY}`), fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }))

const strict = whitelistOf(wide)
const lenient = whitelistOf({ ...wide, ignoreInvalidErrors: true })
const textOf = (plan: Plan) => compile(plan, nothingForeign).text

/** Where a value stands. */
const VALUES = [
  'filter[name]=', 'filter[name][like]=', 'filter[name][contains]=', 'filter[name][in]=', 'filter[name][in][]=', 'filter[name][between][]=a&filter[name][between][]=', 'filter[supplier.name]=', 'filter[tags.name]=', 'filter[description][ends]=',
]

t.test('a value never changes the text of a statement', async (t) => {
  let planned = 0
  const harmless = new Map(VALUES.map((query) => [query, textOf(planOf(`${query}harmless`, strict))]))
  assertProperty(fc.property(fc.constantFrom(...VALUES), hostile, (query, text) => {
    let statement
    try {
      statement = textOf(planOf(`${query}${encodeURIComponent(text.toWellFormed())}`, strict))
    } catch (error) {
      return (error as { statusCode?: number }).statusCode === 400
    }
    planned++
    return statement === harmless.get(query)
  }), { numRuns: 2000 })
  t.ok(planned > 1000, `${planned} of them`)
})

t.test('names that are not allowed are in no statement, wherever they stand', async (t) => {
  const positions: ReadonlyArray<(text: string) => string> = [
    (text) => `filter[${text}]=1`, (text) => `filter[name][${text}]=1`, (text) => `filter[supplier.${text}]=1`, (text) => `filter[name.${text}]=1`, (text) => `sort=${text}`, (text) => `sort=-${text}`, (text) => `sort=name,${text}`,
    (text) => `sort=supplier.${text}`, (text) => `include=${text}`, (text) => `include=tags.${text}`, (text) => `fields=${text}`, (text) => `fields=id,${text}`, (text) => `fields[${text}]=id`, (text) => `include=tags&fields[tags]=${text}`,
    (text) => `page=${text}`, (text) => `per_page=${text}`, (text) => `limit=${text}`, (text) => `offset=${text}`, (text) => `cursor=${text}`, (text) => `${text}=1`, (text) => `filter[name]=x&${text}`,
  ]
  const harmless = new Set(['', 'filter[name]=x', 'sort=name', 'fields=id', 'include=tags', 'include=tags&fields=id'].map((query) => textOf(planOf(query, strict))))
  let kept = 0
  // by chance a text is a name that is allowed, or a number of a page
  const refused = hostile.filter((text) => !/^[\w.,%+ -]*$/.test(text))
  assertProperty(fc.property(fc.constantFrom(...positions), refused, (position, text) => {
    const query = position(encodeURIComponent(text.toWellFormed()))
    try {
      const statement = textOf(planOf(query, lenient))
      kept++
      if (!harmless.has(statement)) return false
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode !== 400) throw error
    }
    try {
      return harmless.has(textOf(planOf(query, strict)))
    } catch (error) {
      return (error as { statusCode?: number }).statusCode === 400
    }
  }), { numRuns: 4000 })
  t.ok(kept > 500, `${kept} were planned without them`)
})

t.test('a random request has random values in no statement', async (t) => {
  assertProperty(fc.property(queryOf(hostile.map((text) => text.replaceAll('\\', '').replaceAll('\0', ''))), (query) => {
    let statement
    try {
      statement = textOf(planOf(query, strict))
    } catch (error) {
      // patterns with too many wildcards
      return (error as { statusCode?: number }).statusCode === 400
    }
    return !statement.includes(CANARY)
  }), { numRuns: 1500 })
  t.pass()
})

t.test('a key never changes the text of a statement', async (t) => {
  const whitelists = [strict, whitelistOf({}, Shelf)]
  assertProperty(fc.property(hostile, (text) => {
    for (const id of [text, { id: text }, { house: text, number: 1 }, { [text]: 1 }, { house: 'A', [text]: 1 }]) {
      for (const whitelist of whitelists) {
        for (const plan of [planGet(id, undefined, whitelist), planExists(id, whitelist)]) {
          if (plan !== undefined && textOf(plan).includes(CANARY)) return false
        }
      }
    }
    return true
  }), { numRuns: 1000 })
  t.pass()
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('hostile texts find what they say and nothing else, and no database error reaches anybody', async (t) => {
    const recorder = await recordStatements(orm)
    t.teardown(recorder.stop)
    const crud = crudOf(Plant, wide)
    const em = orm.em.fork()
    for (const text of HOSTILE) {
      for (const query of VALUES) {
        try {
          const { items } = await crud.list(em, parseQueryParams(`${query}${encodeURIComponent(text)}`))
          t.ok(items.length <= 13, `${query}${text}`)
        } catch (error) {
          t.match(error, { statusCode: 400, code: 'FST_CRUD_FILTER_INVALID' }, `${query}${text}`)
        }
      }
    }
    const texts = new Set(recorder.take().map(({ sql }) => sql))
    t.equal(texts.size, VALUES.length - 1, 'one statement for each condition, whatever the values; the two ways to write a list have the same')
    t.equal(await crud.count(em), 13, 'the table is still there')
  })

  t.test('values of types other than text neither', async (t) => {
    const names = ['leaves', 'cells', 'dryMass', 'acidity', 'alive', 'tracker', 'health', 'flowering', 'hardiness', 'sownOn', 'measuredAt', 'recordedAt', 'wateredAt', 'readings', 'petals']
    const crud = crudOf(Specimen, { allowedFilters: names.map((name) => new AllowedFilters(name, 'eq', ['eq', 'in'])) })
    const em = orm.em.fork()
    for (const name of names) {
      for (const text of HOSTILE) {
        for (const operator of ['eq', 'in']) {
          const outcome = await crud.list(em, parseQueryParams(`filter[${name}][${operator}][]=${encodeURIComponent(text)}`.replace('[eq][]', '[eq]'))).then(() => 200, (error) => error.statusCode)
          if (outcome !== 200 && outcome !== 400) t.fail(`${name} ${operator} ${text}: ${outcome}`)
        }
      }
    }
    t.pass()
  })
})
