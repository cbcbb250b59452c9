/** Ranges in URLs, bodies and records. */
import fc from 'fast-check'
import t from 'tap'
import { AllowedFilters, parseQueryParams, withTransaction } from '../../src/index.ts'
import { entities, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { textsOf } from '../model/texts.ts'
import { bodyOf, client, q, resource, select, serve, type Json } from './helper.ts'

/** The properties that are ranges, by the type of their columns. */
const RANGES = {
  int4range: 'shelves', int8range: 'barcodes', numrange: 'tolerance', daterange: 'bloom', tsrange: 'shown',
  tstzrange: 'lent',
} as const
const NAMES = Object.values(RANGES)

const ROWS: Readonly<Record<string, Partial<Record<(typeof NAMES)[number], string>>>> = {
  FIRST: {
    shelves: '[1,5)', barcodes: '[1,9223372036854775807)', tolerance: '[5.5,7]', bloom: '[2024-05-01,2024-05-31]',
    shown: '[2024-05-01T00:00:00Z,2024-06-01T00:00:00Z)', lent: '[2024-05-01T02:00:00+02:00,2024-06-01T02:00:00+02:00)',
  },
  OPEN: {
    shelves: '[3,)', barcodes: '(,)', tolerance: '(,0)', bloom: '[2024-06-01,infinity)', shown: '(,2024-01-01]',
    lent: '[2024-06-01,)',
  },
  EMPTY: {
    shelves: 'empty', barcodes: '[1,1)', tolerance: '(1.5,1.5]', bloom: '(2024-01-01,2024-01-02)', shown: 'empty',
    lent: 'empty',
  },
  NULL: {},
}

const specimens = resource(Specimen, {
  allowedFilters: [
    'code',
    ...NAMES.map((name) => new AllowedFilters(name, 'contains', ['contains', 'eq', 'ne', 'in', 'nin', 'isnull'])),
  ],
  allowedSorts: ['id', ...NAMES],
  pagination: { defaultPerPage: 100 },
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, { '/specimens': specimens })
  const { all, details } = client(app, '/specimens')
  await orm.em.getConnection().execute('delete from specimen')
  for (const [code, ranges] of Object.entries(ROWS)) {
    const response = await app.inject({ method: 'POST', url: '/specimens', payload: { code, plant: 1, ...ranges } })
    t.equal(response.statusCode, 201, response.body)
  }
  const patch = (code: string, payload: object) => {
    const find = `(select id from specimen where code = '${code}')`
    return select(orm, `select ${find} as id`).then(([row]) =>
      app.inject({ method: 'PATCH', url: `/specimens/${row.id}`, payload })
    )
  }

  t.test('contains matches ranges with a value', async (t) => {
    const cases: ReadonlyArray<readonly [name: string, value: string, codes: readonly string[]]> = [
      ['shelves', '1', ['FIRST']],
      ['shelves', '4', ['FIRST', 'OPEN']],
      ['shelves', '5', ['OPEN']],
      ['shelves', '2147483647', ['OPEN']],
      ['shelves', '-2147483648', []],
      ['barcodes', '9223372036854775806', ['FIRST', 'OPEN']],
      ['barcodes', '9223372036854775807', ['OPEN']],
      ['tolerance', '7.000', ['FIRST']],
      ['tolerance', '-0.1', ['OPEN']],
      ['tolerance', '7.0000000001', []],
      ['bloom', '2024-05-31', ['FIRST']],
      ['bloom', '9999-12-31', ['OPEN']],
      ['bloom', 'infinity', []],
      ['shown', '2024-05-31T23:59:59.999999Z', ['FIRST']],
      ['shown', '2024-06-01T01:00:00+02:00', ['FIRST']],
      ['shown', '2024-01-01', ['OPEN']],
      ['lent', '2024-06-01T01:00:00+02:00', ['FIRST']],
      ['lent', '2024-06-01', ['OPEN']],
    ]
    for (const [name, value, codes] of cases) {
      t.strictSame(await all('code', q`filter[${name}]=${value}`), codes, `${name} ${value}`)
      t.strictSame(await all('code', q`filter[${name}][contains]=${value}`), codes, `${name} ${value}`)
    }
  })

  t.test('contains matches ranges with a range', async (t) => {
    const cases: ReadonlyArray<readonly [name: string, value: string, codes: readonly string[]]> = [
      ['shelves', '[1,5)', ['FIRST']],
      ['shelves', '[3,4]', ['FIRST', 'OPEN']],
      ['shelves', '[3,)', ['OPEN']],
      ['shelves', 'empty', ['FIRST', 'OPEN', 'EMPTY']],
      ['bloom', '[2024-05-01,2024-06-01)', ['FIRST']],
      ['lent', '["2024-05-01T00:00:00.000Z","2024-06-01T00:00:00.000Z")', ['FIRST']],
      ['lent', '[2024-05-01,2024-06-01]', []],
    ]
    for (const [name, value, codes] of cases) {
      t.strictSame(await all('code', q`filter[${name}]=${value}`), codes, `${name} ${value}`)
    }
  })

  t.test('eq compares the values that ranges contain', async (t) => {
    t.strictSame(await all('code', q`filter[shelves][eq]=${'(0,4]'}`), ['FIRST'])
    t.strictSame(await all('code', q`filter[shelves][ne]=${'[1,5)'}`), ['OPEN', 'EMPTY'])
    t.strictSame(await all('code', q`filter[tolerance][eq]=${'[5.50,7.0]'}`), ['FIRST'])
    t.strictSame(await all('code', q`filter[shown][eq]=${'[2024-05-01,2024-06-01)'}`), ['FIRST'])
    t.strictSame(await all('code', q`filter[lent][eq]=${'empty'}`), ['EMPTY'])
    t.strictSame(await all('code', q`filter[shelves][in]=${'"[1,5)","[3,)"'}`), ['FIRST', 'OPEN'])
    t.strictSame(await all('code', q`filter[shelves][in][]=${'[1,5)'}&filter[shelves][in][]=empty`), ['FIRST', 'EMPTY'])
    t.strictSame(await all('code', q`filter[bloom][nin]=${'"[2024-05-01,2024-05-31]",empty'}`), ['OPEN'])
    t.strictSame(await all('code', 'filter[lent][isnull]=true'), ['NULL'])
  })

  t.test('text that is not a range is refused, in filters and in bodies', async (t) => {
    const refused: ReadonlyArray<readonly [name: string, text: string, expected: RegExp]> = [
      ['shelves', '[5,1)', /must be a range whose low end comes first, as \[1,5\)/],
      ['shelves', '[1,2147483647]', /must be a range that ends before 2147483647, or that has no end/],
      ['shelves', '(2147483647,)', /must be a range that starts before 2147483647/],
      ['shelves', '[1,2147483648)', /a range of integers from -2147483648 to 2147483647, such as \[1,5\)/],
      ['shelves', '["1,5)', /a range of integers/],
      ['shelves', '[1\\,5)', /a range of integers/],
      ['shelves', '1-5', /a range of integers/],
      ['barcodes', '[0,9223372036854775807]', /must be a range that ends before 9223372036854775807/],
      ['tolerance', '[NaN,)', /a range of decimal numbers/],
      ['bloom', '[2024-02-30,)', /a range of dates, such as/],
      ['shown', '[yesterday,today)', /a range of ISO 8601 dates and times/],
      ['lent', '[2024-05-01T00:00:00 02:00,)', /a range of ISO 8601 dates and times/],
    ]
    for (const [name, text, expected] of refused) {
      for (const operator of ['contains', 'eq', 'in][']) {
        const [detail] = await details(q`filter[${name}][${operator}]=${text}`)
        t.match(detail, expected, `${name} ${operator} ${text}`)
      }
      const response = await patch('NULL', { [name]: text })
      t.equal(response.statusCode, 400, response.body)
      t.match(bodyOf(response).errors, [{ source: { pointer: `/${name}` }, detail: expected }])
    }
    t.match(await details('filter[shelves][in]=[1,5)'), [
      /^The item '\[1' .*in a list, write each range in double quotes/,
    ])
    t.match(await details('filter[lent][eq]=[2024-05-01T00:00:00+02:00,)'), [/write \+ as %2B/])
    t.match(await details('filter[shelves]=x'), [/an integer from .*, or a range of integers/])
    t.match(bodyOf(await patch('NULL', { shelves: [1, 5] })).errors, [{ detail: /must be a string/ }])
  })

  t.test('ranges sort as in PostgreSQL, and have pages by cursor', async (t) => {
    for (const name of NAMES) {
      const [column] = orm.getMetadata(Specimen).properties[name].fieldNames
      for (const sign of ['', '-']) {
        const order = `${column} ${sign === '' ? 'asc' : 'desc'} nulls last, id`
        const expected = (await select(orm, `select code from specimen order by ${order}`)).map(({ code }) => code)
        t.strictSame(await all('code', `sort=${sign}${name}`), expected, `${sign}${name}`)
        const codes: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const page: Json = (await app.inject(`/specimens?sort=${sign}${name}&per_page=1&cursor=${cursor}`)).json()
          codes.push(...page.items.map(({ code }: Json) => code))
          cursor = page.next_cursor
        }
        t.strictSame(codes, expected, `cursors of ${sign}${name}`)
      }
    }
  })

  t.test('no setting of a session changes the text of a range', async (t) => {
    const before = (await app.inject('/specimens?sort=lent')).json()
    await withTransaction(orm.em.fork(), async (em) => {
      await em.execute("set local time zone 'Asia/Tokyo'")
      await em.execute("set local datestyle to 'German'")
      const page = await specimens.list(em, parseQueryParams('sort=lent')) as Json
      t.strictSame(JSON.parse(JSON.stringify(page.items)), before.items)
      const { id } = before.items[0]
      const changed = await specimens.update(em, id, {
        lent: '[2024-05-01,2024-06-01)',
        bloom: '[2024-05-01,)',
      }) as Json
      t.equal(changed.lent, '["2024-05-01T00:00:00.000Z","2024-06-01T00:00:00.000Z")')
      t.equal(changed.bloom, '[2024-05-01,)')
    })
  })

  for (const [column, name] of Object.entries(RANGES)) {
    t.test(`${column}: a body is refused, or reads show what the write returned, and accept it again`, async (t) => {
      const [{ id }] = await select(orm, "select id from specimen where code = 'NULL'")
      const url = `/specimens/${id}`
      let written = 0
      await assertProperty(
        fc.asyncProperty(textsOf(column), async (text) => {
          const response = await app.inject({ method: 'PATCH', url, payload: { [name]: text } })
          if (response.statusCode === 400) return
          const shown = bodyOf(response)[name]
          if (bodyOf(await app.inject(url))[name] !== shown) throw new Error(`${text}: another read than write`)
          const again = bodyOf(await app.inject({ method: 'PATCH', url, payload: { [name]: shown } }))[name]
          if (again !== shown) throw new Error(`${text}: ${shown} became ${again}`)
          const found = await all('id', q`filter[${name}][eq]=${text}`)
          if (!found.includes(id)) throw new Error(`${text} is not equal to ${shown}`)
          written++
        }),
        { numRuns: 30 }
      )
      t.ok(written > 5, `${written} of them`)
    })
  }
})
