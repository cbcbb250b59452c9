/** Every operator on every type of property, against the same comparison written in SQL. */
import t from 'tap'
import { AllowedFilters, type Operator } from '../../src/index.ts'
import { entities, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { client, resource, select, serve } from './helper.ts'

/** Arrays have their own tests. */
type Tested = Exclude<Operator, 'overlap'>

const EQUAL: Tested[] = ['eq', 'ne', 'in', 'nin', 'isnull']
const ORDERED: Tested[] = [...EQUAL, 'lt', 'lte', 'gt', 'gte', 'between']
const PATTERNS: Tested[] = [...ORDERED, 'like', 'ilike', 'contains', 'starts', 'ends']
const TEXT: Tested[] = [...PATTERNS, 'ieq']

interface Sample {
  readonly column: string
  readonly operators: Tested[]
  /** Values as written in URLs, the low one first. */
  readonly values: string[]
  /** The same values as SQL. By default the text itself, quoted. */
  readonly sql?: string[]
}

const SAMPLES: Record<string, Sample> = {
  id: { column: 'id', operators: ORDERED, values: ['2', '4'] },
  code: { column: 'code', operators: TEXT, values: ['GREATEST', 'NONE'] },
  plant: { column: 'plant_id', operators: EQUAL, values: ['1', '3'] },
  leaves: { column: 'leaves', operators: ORDERED, values: ['-2147483648', '240', '2147483647'] },
  stems: { column: 'stems', operators: ORDERED, values: ['-32768', '12', '32767'] },
  cells: {
    column: 'cells',
    operators: ORDERED,
    values: ['-9223372036854775808', '12000000000', '9223372036854775807', '9223372036854775806'],
  },
  pollen: {
    column: 'pollen', operators: ORDERED,
    values: ['-9007199254740991', '5000000000', '9007199254740991', '9007199254740993'],
  },
  spores: { column: 'spores', operators: ORDERED, values: ['-9223372036854775808', '123', '9223372036854775807'] },
  dryMass: {
    column: 'dry_mass',
    operators: ORDERED,
    values: ['-99999999999999.999999', '12.5', '99999999999999.999999', '99999999999999.9999991'],
  },
  value: { column: 'value', operators: ORDERED, values: ['-99999999.99', '19.990', '99999999.99'] },
  acidity: { column: 'acidity', operators: ORDERED, values: ['5e-324', '6.5', '1.7976931348623157e308'] },
  chlorophyll: { column: 'chlorophyll', operators: ORDERED, values: ['-3.4028235e38', '0.25', '3.4028235e38'] },
  minimum: {
    column: 'minimum', operators: ORDERED, values: ['-273.1', '-12.5', '99.9'], sql: ['-2731', '-125', '999'],
  },
  alive: { column: 'alive', operators: EQUAL, values: ['false', 'true'] },
  nickname: { column: 'nickname', operators: TEXT, values: ['', 'Lola', 'lola', 'x'.repeat(100)] },
  description: {
    column: 'description', operators: TEXT,
    values: ['%_\\\'"`{}[],;--/**/ \t¿ñ 😀', 'Stands by the door.\nLikes it there.'],
  },
  grade: { column: 'grade', operators: TEXT, values: ['A', 'B'] },
  diary: { column: 'diary', operators: TEXT, values: ['', 'Day 1: planted. Day 2: watered.'] },
  tracker: {
    column: 'tracker',
    operators: ORDERED,
    values: ['00000000-0000-0000-0000-000000000000', '3F0C8A52-7c0e-4f57-9d53-2d6f4a1c9b10'],
  },
  health: { column: 'health', operators: PATTERNS, values: ['dead', 'thriving'] },
  hardiness: { column: 'hardiness', operators: ORDERED, values: ['1', '2', '3'] },
  flowering: { column: 'flowering', operators: ORDERED, values: ['spring', 'summer'] },
  sownOn: { column: 'sown_on', operators: ORDERED, values: ['0001-01-01', '2023-02-28', '9999-12-31'] },
  measuredAt: {
    column: 'measured_at',
    operators: ORDERED,
    values: ['1969-12-31T23:59:59.999Z', '2024-05-06T07:08:09.123Z', '2024-05-06T09:08:09.123+02:00', '9999-12-31'],
    sql: [
      '1969-12-31 23:59:59.999+00', '2024-05-06 07:08:09.123+00', '2024-05-06 07:08:09.123+00',
      '9999-12-31 00:00:00+00',
    ],
  },
  recordedAt: {
    column: 'recorded_at',
    operators: ORDERED,
    values: ['0001-01-01', '2024-05-06T07:08:09.123Z', '2024-05-06T12:53:09.123000+05:45', '9999-12-31T23:59:59.999'],
    sql: ['0001-01-01 00:00:00', '2024-05-06 07:08:09.123', '2024-05-06 07:08:09.123', '9999-12-31 23:59:59.999'],
  },
  wateredAt: { column: 'watered_at', operators: ORDERED, values: ['00:00', '07:30:00', '23:59:59.000'] },
  readings: { column: 'readings', operators: EQUAL, values: ['{"values":[1,2.50,-3],"sensor":"north"}', '[]', 'null'] },
  petals: { column: 'petals', operators: TEXT, values: ['#967bb6', '#ffffff'] },
  // behind a relation, the related row must exist
  'plant.name': {
    column: '(select name from plant where plant.id = specimen.plant_id and deleted_at is null)',
    operators: TEXT.filter((operator) => operator !== 'isnull'),
    values: ['Lavender', 'Sage 100%'],
  },
}

/** Types that can only be tested for null. */
const NULLABLE: Record<string, string> = {
  pruned: 'pruned', dormancy: 'dormancy', synonyms: 'synonyms', ringWidths: 'ring_widths', scan: 'scan',
  genome: 'genome', size: 'size',
}

const quote = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** The condition in SQL. */
function condition (operator: Tested, { column, sql, values }: Sample, index: number): string {
  const value = sql?.[index] ?? values[index]!
  const other = sql?.[(index + 1) % values.length] ?? values[(index + 1) % values.length]!
  switch (operator) {
    case 'eq':
      return `${column} = ${quote(value)}`
    case 'ieq':
      return `lower(${column}) = lower(${quote(value)})`
    case 'ne':
      return `${column} <> ${quote(value)}`
    case 'lt':
      return `${column} < ${quote(value)}`
    case 'lte':
      return `${column} <= ${quote(value)}`
    case 'gt':
      return `${column} > ${quote(value)}`
    case 'gte':
      return `${column} >= ${quote(value)}`
    case 'in':
      return `(${column} = ${quote(value)} or ${column} = ${quote(other)})`
    case 'nin':
      return `(${column} <> ${quote(value)} and ${column} <> ${quote(other)})`
    case 'between':
      return `${column} >= ${quote(value)} and ${column} <= ${quote(other)}`
    case 'isnull':
      return `${column} is ${index === 0 ? '' : 'not '}null`
    case 'like':
      return `${column} like ${quote(literal(value).slice(0, 3) + '%')}`
    case 'ilike':
      return `${column} ilike ${quote(literal(value).slice(0, 3).toUpperCase() + '%')}`
    case 'contains':
      return `position(lower(${quote(value.slice(1, 20))}) in lower(${column})) > 0`
    case 'starts':
      return `starts_with(lower(${column}), lower(${quote(value.slice(0, 20))}))`
    case 'ends':
      return `right(lower(${column}), ${[...value.slice(-4)].length}) = lower(${quote(value.slice(-4))})`
  }
}

/** The condition in a query string. */
function filter (name: string, operator: Tested, { values }: Sample, index: number): string {
  const value = values[index]!
  const other = values[(index + 1) % values.length]!
  const parameter = `filter[${name}][${operator}]`
  switch (operator) {
    case 'in':
    case 'nin':
    case 'between':
      return `${parameter}[]=${encodeURIComponent(value)}&${parameter}[]=${encodeURIComponent(other)}`
    case 'isnull':
      return `${parameter}=${index === 0}`
    case 'ieq':
      return `${parameter}=${encodeURIComponent(value.toUpperCase())}`
    case 'like':
      return `${parameter}=${encodeURIComponent(literal(value).slice(0, 3) + '%')}`
    case 'ilike':
      return `${parameter}=${encodeURIComponent(literal(value).slice(0, 3).toUpperCase() + '%')}`
    case 'contains':
      return `${parameter}=${encodeURIComponent(value.slice(1, 20))}`
    case 'starts':
      return `${parameter}=${encodeURIComponent(value.slice(0, 20))}`
    case 'ends':
      return `${parameter}=${encodeURIComponent(value.slice(-4))}`
    default:
      return `${parameter}=${encodeURIComponent(value)}`
  }
}

const specimens = resource(Specimen, {
  allowedFilters: [
    ...Object.entries(SAMPLES).map(([name, { operators }]) => new AllowedFilters(name, 'eq', operators)),
    ...Object.keys(NULLABLE).map((name) => new AllowedFilters(name, 'isnull')),
    new AllowedFilters('size', 'isnull', { alias: 'measured' }),
  ],
})

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const { all, details, refused } = client(await serve(t, orm, { '/specimens': specimens }), '/specimens')

  for (const [name, sample] of Object.entries(SAMPLES)) {
    t.test(name, async (t) => {
      const cases = sample.operators.flatMap((operator) =>
        [...sample.values.keys()].map((index) => [operator, index] as const)
      )
      const columns = cases.map(([operator, index], number) => `${condition(operator, sample, index)} as c${number}`)
      const rows = await select(orm, `select code, ${columns.join()} from specimen order by id`)
      for (const [number, [operator, index]] of cases.entries()) {
        const expected = rows.filter((row) => row[`c${number}`] === true).map(({ code }) => code)
        const query = filter(name, operator, sample, index)
        t.strictSame(await all('code', query), expected, query)
      }
    })
  }

  t.test('blanks at the end of a character are padding for ieq, as they are for eq', async (t) => {
    for (const [name, stored, text] of [['grade', 'A', 'a'], ['petals', '#967bb6', '#967BB6']] as const) {
      const found = await all('code', `filter[${name}]=${encodeURIComponent(stored)}`)
      t.not(found.length, 0)
      t.strictSame(await all('code', `filter[${name}][ieq]=${encodeURIComponent(text)}++`), found, name)
    }
    t.strictSame(await all('code', 'filter[nickname][ieq]=LOLA++'), [], 'blanks of other texts mean something')
  })

  t.test('values of other types can be tested for null', async (t) => {
    for (const [name, column] of Object.entries(NULLABLE)) {
      for (const isNull of [true, false]) {
        const expected = await select(orm,
          `select code from specimen where ${column} is ${isNull ? '' : 'not '}null order by id`)
        t.strictSame(await all('code', `filter[${name}]=${isNull}`), expected.map(({ code }) => code),
          `${name} ${isNull}`)
      }
    }
  })

  t.test('values that a type cannot store are refused', async (t) => {
    for (const [name, values] of Object.entries({
      leaves: ['2147483648', '1.5'], stems: ['32768', '-32769'],
      cells: ['9223372036854775808', '-9223372036854775809', '1e3'], pollen: ['9223372036854775808', 'x'],
      spores: ['123n'], dryMass: ['1e9999', 'NaN', ''], acidity: ['1e309', 'NaN', 'Infinity', '-inf', '', '0x1p3'],
      chlorophyll: ['3.5e38', '-1e39'], alive: ['yes'], tracker: ['3f0c8a52'], health: ['Thriving', ''],
      hardiness: ['4', '1.0', 'Tender', ''], flowering: ['SUMMER', 'monsoon'],
      sownOn: ['2023-02-29', '2023-02-28T00:00:00Z', '28.02.2023', ''],
      measuredAt: ['2024-02-30T00:00:00Z', '2024-05-06T07:08:09+25:00'], recordedAt: ['yesterday'],
      wateredAt: ['24:00:01', '7:30', '07:30:60', '07:30Z', 'noon'],
      readings: ['{', '', '{"a":1e999999}', '"\\u0000"', '['.repeat(100) + ']'.repeat(100)], petals: ['a\0b'],
      nickname: ['\0'],
    })) {
      for (const value of values) {
        for (const operator of ['eq', 'in[]']) {
          const parameter = operator === 'eq' ? `filter[${name}]` : `filter[${name}][in][]`
          const [detail] = await details(`${parameter}=${encodeURIComponent(value)}`)
          t.match(detail, / must be /, `${parameter}=${value}`)
        }
      }
    }
  })

  t.test('a float in JSON may be any number, because it has no more digits than JavaScript', async (t) => {
    for (const [acidity, total] of [[Number.MAX_VALUE, 1], [Number.MIN_VALUE, 1], [2 ** 60, 0]] as const) {
      t.match(await specimens.list(orm.em.fork(), { filter: { acidity } }), { total }, `${acidity}`)
    }
    await t.rejects(specimens.list(orm.em.fork(), { filter: { leaves: 2 ** 60 } }), /must be an integer from/)
  })

  t.test('values that only the SQL of a custom type can check are refused by the database', async (t) => {
    for (const query of [
      'filter[minimum]=warm', 'filter[minimum]=', 'filter[minimum]=99999999999', 'filter[minimum][in]=1,warm',
      'filter[minimum][between]=0,warm',
    ]) {
      t.match(await refused(query), { code: 'FST_CRUD_DATA_INVALID' }, query)
    }
    t.match(await details('filter[minimum]=%00'), [/without NUL/])
  })

  t.test('a value that would fit only after rounding is refused', async (t) => {
    t.strictSame(await all('code', 'filter[value][eq]=19.991'), [])
    t.strictSame(await all('code', 'filter[chlorophyll][eq]=0.250000001'), ['USUAL'],
      'a 32-bit number is what the column holds')
    t.strictSame(await all('code', 'filter[cells][eq]=9223372036854775806'), [])
    t.strictSame(await all('code', 'filter[pollen][eq]=9007199254740992'), [])
  })
})
