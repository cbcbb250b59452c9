/** Pages whose statement gathers all rows that the filters keep, and takes the page and the total from them. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFacet, AllowedField, AllowedFilters } from '../../src/config/index.ts'
import { DatabaseFactory, parseQueryParams } from '../../src/index.ts'
import { planList, resolveWhitelist, type ListPlan } from '../../src/plan/index.ts'
import { RowNumbers } from '../../src/resource/row-numbers.ts'
import { CITUS, compile, formOf, POSTGRESQL } from '../../src/sql/index.ts'
import { databases, forOneDatabase, skipReasons } from '../helpers/databases.ts'
import { modelsOf } from '../helpers/models.ts'
import { recordStatements } from '../helpers/statements.ts'
import { compiled, listOf, nothingForeign, resource, whitelist } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Field = entity('Field', {
  id: p.integer().primary(), town: p.text(), stones: () => p.oneToMany(Stone).mappedBy('field'),
})
const Stone = entity('Stone', {
  id: p.integer().primary(), kind: p.text(), weight: p.integer().nullable(), deleted_at: p.datetime(3).nullable(),
  field: () => p.manyToOne(Field).nullable(),
})
/** Its columns have the names that statements give to values of the order. */
const Odd = entity('Odd', {
  id: p.integer().primary(), kind: p.text(), other: p.text().name('@sort0'), long: p.text().name('@sort1'),
})
const Computed = entity('Computed', {
  id: p.integer().primary(), kind: p.text(), double: p.integer().formula((alias) => `${alias}.id * 2`),
})
/** Half of them name their word twice. */
const Note = entity('Note', {
  shelf: p.integer().primary(), place: p.integer().primary(), title: p.text(), body: p.text(),
  deleted_at: p.datetime(3).nullable(), open: p.boolean(),
}, { filters: { open: { name: 'open', cond: { open: true }, default: true } } })
const entities = [Field, Stone, Odd, Note]

/** The number of stones of each kind. The statement gathers 10 000 rows, and one more tells that there are too many. */
const KINDS = { few: 7, most: 10_000, more: 10_001, many: 12_000 }
const FILL = [
  "insert into field select i, 'town ' || i % 3 from generate_series(1, 5) i",
  `insert into stone (id, kind, weight, deleted_at, field_id) select row_number() over (order by i, kind), kind,
    case when i % 3 > 0 then i * 7 % 50 end, null, case when i % 4 > 0 then i % 5 + 1 end
    from (values ${Object.entries(KINDS).map(([kind, count]) => `('${kind}', ${count})`)}) as kinds (kind, most)
    cross join generate_series(1, 12000) i where i <= most`,
  `insert into stone (id, kind, weight, deleted_at) select 100000 + row_number() over (), kind, 1, now()
    from (values ('few'), ('most'), ('none')) as kinds (kind) cross join generate_series(1, 5) i`,
  `insert into note (shelf, place, title, body, deleted_at, open)
    select i % 7, i, case when i % 2 = 0 then 'herb' else 'weed' end, 'herb',
      case when i % 11 = 0 then now() end, i % 13 > 0 from generate_series(1, 13000) i`,
]

const fields = ['id', 'kind', 'weight', 'field', 'field.id', 'field.town'].map((name) => new AllowedField<any>(name))
const options = {
  allowedFields: fields, allowedFilters: [{ kind: ['eq', 'in'], weight: ['gte'] }],
  allowedSorts: ['id', 'weight', 'field.town'], allowedIncludes: ['field'],
}
const crudWith = (pagination: object = {}) => resource(Stone, { ...options, pagination })

const FEW = { kept: 'few', fitsEach: true } as const
const GATHERS = /@gathered/
const LOOKS_UP = /_keys" cross join lateral/
const COUNTS_APART = /case when count\(\*\) < \$/

await forOneDatabase(t, { entities }, async (t, { orm }) => {
  for (const statement of FILL) await orm.em.getConnection().execute(statement)
  const statements = await recordStatements(orm, t)
  const rowsOf = async (kind: string, order: string): Promise<number[]> =>
    (await orm.em.getConnection().execute(
      'select s.id from stone s left join field f on f.id = s.field_id where s.kind = ? and s.deleted_at is null ' +
        `order by ${order}, s.id`,
      [kind]
    )).map((row) => (row as { id: number }).id)

  for (const [sort, order] of [
    ['-weight', 's.weight desc nulls last'],
    ['field.town,-id', 'f.town nulls last, s.id desc'],
  ] as const) {
    for (const [kind, count] of [...Object.entries(KINDS), ['none', 0]] as const) {
      t.test(`${kind} rows (${count}) sorted by ${sort}`, async (t) => {
        const ids = await rowsOf(kind, order)
        t.equal(ids.length, count)
        // each resource has its own statements, which have no experience with these filters yet
        for (const [crud, total] of [[crudWith(), count], [
          crudWith({ count: { upTo: 11_000 } }),
          Math.min(count, 11_000),
        ]] as const) {
          statements.take()
          for (const offset of [0, 20, 9_980, 100, 9_981, 11_990]) {
            const page = await listOf(orm, crud, `filter[kind]=${kind}&sort=${sort}&offset=${offset}&limit=20`)
            t.strictSame(page.items.map(({ id }) => id), ids.slice(offset, offset + 20), `from ${offset} on`)
            t.equal(page['total'], total)
            t.equal(page.has_next, offset + 20 < count)
          }
          const texts = statements.texts()
          t.notMatch(texts.at(-1), GATHERS, 'a page behind 10 000 rows does not gather')
          if (count > 10_000) {
            t.match(texts[0], GATHERS, 'the first page gathers')
            t.match(texts[1], COUNTS_APART, 'too many rows: the page and the total are read again')
            t.equal(texts.length, 9, 'after three attempts in vain no page gathers')
            continue
          }
          t.strictSame(texts.map((text) => GATHERS.test(text)), [true, true, true, true, false, false])
          t.equal(LOOKS_UP.test(texts[3]!), count > 500, 'of more rows than 500 only the keys are gathered')
          t.notMatch(texts[0], LOOKS_UP, 'few rows are expected at first')
        }
      })
    }
  }

  t.test('an order by relevance needs all rows, and counts those that it ranks', async (t) => {
    const texts = { allowedFilters: [AllowedFilters.fullText<any>('q', ['kind'], { config: 'simple' })] }
    for (const [kind, count] of Object.entries(KINDS)) {
      const ids = await rowsOf(kind, 's.id')
      for (const isExact of [true, false]) {
        const total = isExact ? count : Math.min(count, 11_000)
        const crud = resource(Stone, {
          ...{ ...options, ...texts, allowedFacets: ['field.town'] },
          pagination: isExact ? {} : { count: { upTo: 11_000 } },
        })
        statements.take()
        for (const offset of [0, 20, 40, 60, 9_990]) {
          for (const facets of ['', '&facets=field.town']) {
            const page = await listOf(orm, crud, `filter[q]=${kind}&sort=-q&offset=${offset}&limit=20${facets}`)
            t.strictSame(page.items.map(({ id }) => id), ids.slice(offset, offset + 20), `from ${offset} on`)
            t.equal(page['total'], total)
          }
        }
        const last = statements.take().at(-1)!.sql
        if (isExact) t.match(last, /as materialized \((?!.* limit 10001\))/, 'all rows are gathered')
        else t.notMatch(last, GATHERS, 'a bounded total does not count all of them')
        t.equal(LOOKS_UP.test(last), isExact)
      }
    }
  })

  t.test('all rows that are ranked: their order, facets and those that clients do not see', async (t) => {
    const crud = resource(Note, {
      allowedFields: ['shelf', 'place', 'title', 'body', 'open'],
      allowedFilters: [AllowedFilters.fullText<any>('q', ['title', 'body'], { config: 'simple' })],
      allowedSorts: ['place'],
      allowedFacets: ['title'],
    })
    const scope = { place: { $lte: 12_900 } }
    const all = Array.from({ length: 12_900 }, (_, index) => ({ shelf: (index + 1) % 7, place: index + 1 }))
      .filter(({ place }) => place % 11 > 0 && place % 13 > 0)
    const byKey = all.toSorted((one, other) => one.shelf - other.shelf || one.place - other.place)
    const [twice, once] = [0, 1].map((rest) => byKey.filter(({ place }) => place % 2 === rest)) as [object[], object[]]
    const facets = {
      title: [{ value: 'herb', count: twice.length }, { value: 'weed', count: once.length }]
        .toSorted((one, other) => other.count - one.count),
    }
    for (const [sort, ranked, form] of [
      ['-q', [...twice, ...once], 'all'],
      ['q', [...once, ...twice], 'all'],
      [
        '-q,-place',
        [...twice, ...once].toSorted((one: any, other: any) =>
          one.place % 2 - other.place % 2 || other.place - one.place
        ),
        'all',
      ],
      ['place,-q', all, 'direct'],
    ] as const) {
      statements.take()
      for (const offset of [0, twice.length - 3, 0, all.length - 3]) {
        const page: any = await listOf(orm, crud, `filter[q]=herb&facets=title&sort=${sort}&offset=${offset}&limit=6`, {
          scope,
        })
        t.strictSame(page.items.map(({ shelf, place }: any) => ({ shelf, place })), ranked.slice(offset, offset + 6),
          `${sort} from ${offset} on`)
        t.strictSame([page.total, page.facets], [all.length, facets])
      }
      const last = statements.take().at(-1)!.sql
      if (form === 'direct') t.notMatch(last, GATHERS, 'a relevance that decides among ties is not computed for all')
      else t.match(last, /as materialized \((?!.* limit 10001\))/)
    }
  })

  t.test('a page that is read again to measure it counts once', async (t) => {
    // the kinds are so long that a statement that does not measure leaves the size of each page open
    const crud = crudWith({ maxPerPage: 1_000, maxBytes: 3_000 })
    for (const attempt of ['first', 'second', 'third', 'fourth']) {
      await listOf(orm, crud, 'filter[kind]=more&limit=1')
      const [gathering, apart, measured] = statements.texts()
      if (attempt === 'fourth') {
        t.notMatch(gathering, GATHERS, 'none after three attempts in vain')
        continue
      }
      t.match(gathering, GATHERS, `the ${attempt} attempt`)
      t.match(apart, COUNTS_APART)
      t.match(measured, COUNTS_APART)
    }
  })

  t.test('records, included records and totals are the same for both statements', async (t) => {
    for (const query of ['filter[kind]=few&include=field', 'filter[kind]=few&fields=kind', 'filter[weight][gte]=49']) {
      const few = await listOf(orm, crudWith(), `${query}&limit=7`)
      t.match(statements.take().at(-1)!.sql, GATHERS)
      // pages that reach behind 10 000 rows do not gather
      const wide = await listOf(orm, crudWith({ maxPerPage: 10_001 }), `${query}&limit=10001`)
      t.notMatch(statements.take().at(-1)!.sql, GATHERS)
      t.strictSame(few.items, wide.items.slice(0, 7))
      t.equal(few['total'], wide['total'])
    }
  })

  t.test('rows that are looked up by their keys have the same records and facets', async (t) => {
    for (const query of [
      'offset=20', 'include=field&offset=40', 'facets=weight,field.town',
      'include=field&facets=kind&sort=-id&offset=9980',
    ]) {
      const crud = resource(Stone, { ...options, allowedFacets: ['kind', 'weight', 'field.town'] })
      statements.take()
      const pages: unknown[] = []
      for (let request = 0; request < 4; request++) {
        const page = await listOf(orm, crud, `filter[kind]=most&${query}`)
        pages.push({ ...page })
      }
      const texts = statements.texts()
      t.strictSame(texts.map((text) => LOOKS_UP.test(text)), [false, false, false, true], query)
      t.strictSame(pages[3], pages[0])
      t.equal((pages[0] as { total: number }).total, 10_000)
    }
  })

  t.test('facets are counted only if all rows are gathered', async (t) => {
    const allowedFacets = ['kind', 'weight'].map((facet) => new AllowedFacet<any>(facet))
    const crud = resource(Stone, { ...options, allowedFacets })
    const client: any = await (orm.em.getConnection() as any).getNativeClient()
    for (const [kind, subplans] of [['few', 0], ['many', 2]] as const) {
      statements.take()
      const { facets } = await listOf(orm, crud, `filter[kind]=${kind}&facets=kind,weight`) as any
      t.strictSame(facets.kind.find(({ value }: { value: string }) => value === kind).count, KINDS[kind])
      t.equal(facets.weight.length, kind === 'few' ? 6 : 20)
      const [{ sql, params }] = statements.take() as unknown as [{ sql: string, params: readonly unknown[] }]
      const { rows } = await client.query(`explain (analyze, costs off, timing off) ${sql}`, [...params])
      const plan = rows.map((row: object) => Object.values(row)[0]).join('\n') as string
      t.equal(plan.match(/^ *->\s+Subquery Scan on "?@facet.*never executed/gm)?.length ?? 0, subplans, plan)
    }
  })

  t.test('a statement that weighs its answer gathers its rows, too', async (t) => {
    const crud = crudWith({ maxIncluded: 3 })
    await t.rejects(listOf(orm, crud, 'filter[kind]=few&include=field&per_page=7'), { code: 'FST_CRUD_TOO_LARGE' })
    for (const kind of ['few', 'many']) {
      const { items } = await listOf(orm, crud, `filter[kind]=${kind}&include=field&per_page=3`)
      t.strictSame(items.map((item) => (item['field'] as { id: number }).id), [2, 3, 4])
    }
  })

  t.test('after some attempts in vain, requests are spared them', async (t) => {
    const crud = crudWith()
    const attempts: number[] = []
    statements.take()
    for (let request = 0; request < 40; request++) {
      await listOf(orm, crud, 'filter[kind]=many')
      if (statements.take().length === 2) attempts.push(request)
    }
    t.strictSame(attempts, [0, 1, 2])
    for (let request = 0; request < 20; request++) await listOf(orm, crud, 'filter[kind]=few')
    t.match(statements.take()[0]!.sql, COUNTS_APART)
    await listOf(orm, crud, 'filter[kind]=few')
    t.match(statements.take().at(-1)!.sql, GATHERS, 'few rows were kept, in whichever form they were read')
  })

  t.test('also if the total is counted up to a low number', async (t) => {
    for (const [upTo, kind] of [[100, 'many'], [999, 'many'], [1_000, 'many'], [2_000, 'many']] as const) {
      const crud = crudWith({ count: { upTo } })
      const attempts: number[] = []
      for (let request = 0; request < 12; request++) {
        statements.take()
        t.equal((await listOf(orm, crud, `filter[kind]=${kind}`))['total'], upTo)
        if (statements.take().length === 2) attempts.push(request)
      }
      t.strictSame(attempts.slice(0, 3), [0, 1, 2], `up to ${upTo}`)
      t.ok(attempts.length < 5, `up to ${upTo}: ${attempts}`)
    }
  })

  t.test('columns may have the names of values of the order', async (t) => {
    await orm.em.getConnection().execute("insert into odd (id, kind, \"@sort0\", \"@sort1\") values (1, 'a', 'b', 'c')")
    const crud = resource(Odd, {
      allowedFields: ['kind', 'other', 'long'], allowedFilters: ['kind'], allowedSorts: ['kind'],
    })
    for (const [fields, item] of [['other', { other: 'b' }], ['long', { long: 'c' }]] as const) {
      for (const page of ['filter[kind]=a', 'cursor=', 'page=1']) {
        t.strictSame((await listOf(orm, crud, `${page}&sort=kind&fields=${fields}`)).items, [item], `${page} ${fields}`)
      }
    }
  })

  t.test('a page that cannot be gathered is not gathered when it is measured', async (t) => {
    // the answer has more bytes than 101 records need at least
    const crud = crudWith({ maxIncluded: 100, maxPerPage: 101, defaultPerPage: 100 })
    statements.take()
    t.equal((await listOf(orm, crud, 'filter[kind]=many&include=field&fields[field]=id')).items.length, 100)
    const texts = statements.texts()
    t.strictSame(texts.map((sql) => GATHERS.test(sql)), [true, false, false])
  })

  t.test('conditions of the application count as filters', async (t) => {
    const page = await listOf(orm, crudWith(), '', { scope: { kind: 'few' } })
    t.equal(page['total'], 7)
    t.match(statements.take().at(-1)!.sql, GATHERS)
    await listOf(orm, crudWith(), '')
    t.notMatch(statements.take().at(-1)!.sql, GATHERS, 'all rows of a table are not gathered')
  })
})

t.test('synchronous sessions read again, too', { skip: skipReasons.postgres }, async (t) => {
  const { orm, url, close } = await databases[1]![1]({ entities })
  for (const statement of FILL) await orm.em.getConnection().execute(statement)
  const factory = new DatabaseFactory({ databaseUrl: url!, entities, useAsync: false })
  const session = factory.getSessionMaker(factory.getEngine())()
  t.teardown(async () => {
    factory.close()
    await close()
  })
  for (const kind of Object.keys(KINDS)) {
    const query = `filter[kind]=${kind}&sort=-id`
    t.strictSame(crudWith().list(session, parseQueryParams(query)), await listOf(orm, crudWith(), query))
  }
})

const models = modelsOf([...entities, Computed])
const planOf = (query: string, more: object = {}, entity: unknown = Stone): ListPlan =>
  planList(parseQueryParams(query), resolveWhitelist(whitelist({ ...options, ...more }), models.of(entity))) as ListPlan

t.test('which pages may gather', async (t) => {
  const gathers = (plan: ListPlan) => formOf(plan, POSTGRESQL, FEW).rows === 'gathered'
  const may = (query: string, more?: object) => gathers(planOf(query, more))
  t.ok(may('filter[kind]=few'))
  t.ok(may('filter[kind]=few&limit=20&offset=9980'))
  t.ok(may('filter[kind]=few', { pagination: { count: { upTo: 10 } } }))
  t.notOk(may(''), 'no conditions')
  t.notOk(may('filter[kind]=few&limit=20&offset=9981'), 'a page behind 10 000 rows')
  t.notOk(may('filter[kind]=few&limit=20&offset=981', { pagination: { count: { upTo: 10 } } }), 'a lower bound')
  t.notOk(gathers({ ...planOf('filter[kind]=few'), hasManyRows: true }), 'an attempt in vain')
  t.equal(formOf(planOf('filter[kind]=few'), CITUS, FEW).rows, 'direct', 'a cluster')
  t.notOk(may('filter[kind]=few', { pagination: { count: 'none' } }), 'no total')
  t.notOk(may('filter[kind]=few', { pagination: { count: 'planned' } }), 'an estimate')
  const computed = (query: string) =>
    gathers(
      planOf(query, {
        allowedFilters: ['kind'], allowedSorts: [], allowedIncludes: [],
        allowedFields: [...fields.slice(0, 2), 'double'],
      }, Computed)
    )
  t.notOk(computed('filter[kind]=few'), 'a formula is shown, beside nothing else')
  t.ok(computed('filter[kind]=few&fields=kind'))
})

t.test('the statement', async (t) => {
  const plan = planOf('filter[kind]=few&fields=id&sort=-weight')
  t.equal(
    compile(plan, nothingForeign, formOf(plan, POSTGRESQL, FEW)).text,
    'with "@gathered" as materialized (select "e0"."id" as "id", "e0"."weight" as "@sort0" ' +
      'from "stone" as "e0" where "e0"."kind" = $1 and "e0"."deleted_at" is null limit 10001) ' +
      'select string_agg(row_to_json("@row".*)::text, \',\') as "items", count(*) as "fetched", ' +
      '(select case when count(*) <= 10000 then count(*) end from "@gathered") as "total" ' +
      'from (select "@2_page"."id" as "id" from (select "@gathered"."id" as "id" from "@gathered" ' +
      'order by "@gathered"."@sort0" desc nulls last, "@gathered"."id" limit $2 offset $3) as "@2_page" ' +
      'offset 0) as "@row"'
  )
  const wide = planOf('filter[kind]=few&sort=id')
  t.equal(
    compile(wide, nothingForeign, formOf(wide, POSTGRESQL, { ...FEW, kept: 'some' })).text,
    'with "@gathered" as materialized (select "e0"."id" as "@key0" from "stone" as "e0" ' +
      'where "e0"."kind" = $1 and "e0"."deleted_at" is null limit 10001) ' +
      'select string_agg(row_to_json("@row".*)::text, \',\') as "items", count(*) as "fetched", ' +
      '(select case when count(*) <= 10000 then count(*) end from "@gathered") as "total" from (select ' +
      '"@3_page"."id" as "id", case when octet_length("@3_page"."kind") > 167772 then ' +
      '\'@fastify-crud-kit/too-long\' else "@3_page"."kind" end as "kind", "@3_page"."weight" as "weight", ' +
      '"@3_page"."deleted_at"::text as "deleted_at", "@3_page"."field_id" as "field" ' +
      'from (select "@gathered"."@key0" as "@key0" from "@gathered" ' +
      'order by "@gathered"."@key0" limit $2 offset $3) as "@2_keys" cross join lateral (select ' +
      '"e1"."id" as "id", "e1"."kind" as "kind", "e1"."weight" as "weight", "e1"."deleted_at" as "deleted_at", ' +
      '"e1"."field_id" as "field_id" from "stone" as "e1" where "@2_keys"."@key0" = "e1"."id" offset 0) ' +
      'as "@3_page" offset 0) as "@row"'
  )
  t.notMatch(compiled(planOf('filter[kind]=few')).text, GATHERS, 'unless few rows are expected')
  const withDeleted = planOf('filter[trashed]=with', { allowedFilters: [AllowedFilters.trashed()] })
  t.match(compiled(withDeleted).text, /to_char\(.*"deleted_at"/, 'deleted rows show when they were deleted')
})

t.test('the experience with a shape', async (t) => {
  const form = formOf(planOf('filter[kind]=few'), POSTGRESQL)
  /** Whether each of some requests gathers its rows. */
  const requests = (numbers: RowNumbers, few: (request: number) => boolean, count: number) =>
    Array.from({ length: count }, (_, request) => {
      const gathers = numbers.kept !== 'many'
      // an attempt in vain has no total, and the statement after it tells that there are many rows
      if (!few(request) && gathers) numbers.note({ total: null }, form)
      numbers.note({ total: few(request) ? '7' : '70000' }, form)
      return gathers
    })
  const attempts = (few: (request: number) => boolean) => requests(new RowNumbers(), few, 1_000).filter(Boolean).length
  t.equal(attempts(() => true), 1_000, 'each request, as long as there are few rows')
  t.equal(attempts(() => false), 3, 'none after three attempts in vain')
  t.ok(attempts((request) => request % 10 > 0) > 950, 'a few requests with many rows do not matter')
  t.ok(attempts((request) => request % 2 > 0) < 20, 'attempts of which half are in vain cost more than they save')
  const numbers = new RowNumbers()
  requests(numbers, () => false, 500)
  const again = requests(numbers, () => true, 100).indexOf(true)
  t.ok(again > 4 && again < 16, `they begin again after ${again} requests with few rows`)

  const some = new RowNumbers()
  for (const kept of ['few', 'few', 'few', 'some']) {
    t.equal(some.kept, kept)
    some.note({ total: '501' }, form)
  }
  for (let request = 0; request < 20; request++) some.note({ total: '500' }, form)
  t.equal(some.kept, 'few', 'after some requests with fewer rows')

  const upTo = formOf(planOf('filter[kind]=few', { pagination: { count: { upTo: 10 } } }), POSTGRESQL)
  const unknown = new RowNumbers()
  requests(unknown, () => false, 3)
  let request = 0
  while (unknown.kept === 'many' && request < 1_000) {
    unknown.note({ total: '11' }, upTo)
    request++
  }
  t.ok(request > 5 && request < 200, `${request} requests whose total does not tell the number of rows`)
})
