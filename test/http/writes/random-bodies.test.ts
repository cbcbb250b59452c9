import fc from 'fast-check'
import t from 'tap'
import { entities, Plant, Specimen, Supplier } from '../../fixtures/entities.ts'
import { HEALTH, SEASONS } from '../../fixtures/specimen.ts'
import { seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { assertProperty } from '../../helpers/property.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { resource, select, serve, writes, type Json } from '../helper.ts'

const RUNS = 60

/** Text that PostgreSQL can store, with a limited number of characters. */
const text = (maxLength: number) =>
  fc.string({ unit: 'binary', maxLength }).filter((value) =>
    !value.includes('\0') && value.isWellFormed() && [...value].length <= maxLength
  )
const digits = (whole: number, scale: number) =>
  fc.tuple(
    fc.bigInt({ min: -(10n ** BigInt(whole)) + 1n, max: 10n ** BigInt(whole) - 1n }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: scale, maxLength: scale })
  ).map(([n, fraction]) => `${n}.${fraction}`)
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
const moment = fc.date({
  min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true,
}).map((date) => date.toISOString())
const bytes = fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value).toString('base64'))
/** Integers that may have been rounded are refused. They must be sent as strings. */
const exact = (_: string, part: unknown): unknown =>
  typeof part === 'number' && Math.abs(part) >= 2 ** 53 && Math.abs(part) < 1e21 ? String(part) : part
/** JSON without what PostgreSQL cannot store, and without the key that Fastify's body parser refuses. */
const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false } as never)
  .map((value) => JSON.parse(JSON.stringify(value, exact)))
  .filter((value) => value !== null && !/\\u0000|\\ud[89a-f]|"__proto__"/i.test(JSON.stringify(value)))

/** Valid values. The stored value must equal the sent one, number by number. */
const VALUES: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  leaves: fc.integer({ min: -2147483648, max: 2147483647 }), stems: fc.integer({ min: -32768, max: 32767 }),
  cells: int64, pollen: fc.maxSafeInteger(), spores: int64, dryMass: digits(14, 6),
  value: fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }).map((cents) => cents / 100),
  acidity: fc.double({ noNaN: true, noDefaultInfinity: true }),
  chlorophyll: fc.float({ noNaN: true, noDefaultInfinity: true }),
  minimum: fc.integer({ min: -20_000, max: 20_000 }).map((tenths) => tenths / 10), alive: fc.boolean(),
  nickname: text(40), description: text(200), diary: text(50), tracker: fc.uuid(), health: fc.constantFrom(...HEALTH),
  hardiness: fc.constantFrom(1, 2, 3), flowering: fc.constantFrom(...SEASONS),
  pruned: fc.array(fc.constantFrom(...SEASONS), { maxLength: 5 }), sownOn: moment.map((iso) => iso.slice(0, 10)),
  measuredAt: moment, recordedAt: moment, wateredAt: moment.map((iso) => iso.slice(11, 19)), readings: json,
  synonyms: fc.array(text(20), { maxLength: 5 }),
  ringWidths: fc.array(fc.integer({ min: -2147483648, max: 2147483647 }), { maxLength: 5 }), scan: bytes, genome: bytes,
  petals: fc.integer({ min: 0, max: 0xffffff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`),
  size: fc.record({
    height: fc.integer({ min: 0, max: 9999 }),
    width: fc.integer({ min: 0, max: 9999 }),
    unit: text(10),
  }),
}
const valid = fc.record(VALUES, { requiredKeys: [] })
/** One list of items among the rest. Most batches have none. */
const BATCHED = Object.keys(VALUES).filter((name) => name !== 'pruned' && name !== 'ringWidths')

/** PostgreSQL has no negative zero in numeric and jsonb, so `-0` of JSON becomes 0. */
const plain = (value: Json): Json => JSON.parse(JSON.stringify(value))
/** Numbers written differently may be equal: `-0.000000`, and the shortest digits of 32 bits. */
const CANONICAL: Record<string, (value: Json) => Json> = {
  dryMass: (value: string) => /^-0\.0*$/.test(value) ? value.slice(1) : value,
  chlorophyll: Math.fround,
}

const NAMES = [
  'id', 'code', 'plant', 'leaves', 'stems', 'cells', 'pollen', 'spores', 'dryMass', 'value', 'acidity', 'chlorophyll',
  'minimum', 'alive', 'nickname', 'grade', 'diary', 'tracker', 'health', 'hardiness', 'flowering', 'pruned', 'sownOn',
  'measuredAt', 'recordedAt', 'wateredAt', 'dormancy', 'readings', 'synonyms', 'ringWidths', 'scan', 'genome', 'petals',
  'size', 'name', 'supplier', 'shelf', 'group', 'tags', 'price', 'position', 'sku', 'status', 'address', 'country',
  'uuid', 'created_at', 'purchasePrice', 'articleNumber', 'constructor', 'toString', '',
]

/** Values that are easily mistaken for others. */
const nasty = fc.oneof(
  fc.anything({
    withBigInt: false, withDate: false, withSet: false, withMap: false, withTypedArray: false, maxDepth: 2,
  }).map((value) => {
    try {
      return plain(value)
    } catch {
      return null
    }
  }),
  fc.constantFrom<Json>(
    null, '', '0', '-1', 'NaN', 'Infinity', 1e308, -1e308, 5e-324, 1e21, 2 ** 53, 2 ** 63, -0, '\0', '\ud800', '1e400',
    '{}', '{"a":1}', "'", '\\', '%', [], [[]], [null], {}, { $ne: 1 }, { $gt: '' }, { id: 1 },
    { house: 'A', number: 1 }, true, 'infinity', 'epoch', 'now', '0001-01-01 BC', '99999-01-01', '24:00:00', '1 day',
    'P1Y', '\\x00', '0x10', '1_000', 'ſ', 'x'.repeat(3000), ['spring', ['autumn']], { height: 1, width: 1 },
    { street: 'x' }, { street: 'x', city: {} }, [1, 1], [2147483648]
  ),
  json
)
const garbage = fc.dictionary(fc.constantFrom(...NAMES), nasty, { maxKeys: 6, noNullPrototype: true })

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/specimens': { crud: resource(Specimen), operations: ['get', 'create', 'createMany', 'update'] },
    '/plants': { crud: resource(Plant), operations: ['get', 'create', 'createMany', 'update', 'delete', 'restore'] },
    '/suppliers': resource(Supplier),
    '/lenient': { crud: resource(Plant), readonlyProperties: 'ignore' },
  })
  const { post, patch, created, updated, read } = writes(app)
  let count = 0

  t.test('valid bodies return unchanged', async (t) => {
    await assertProperty(
      fc.asyncProperty(valid, valid, async (first, second) => {
        const same = (record: Json, data: Json) => {
          for (const [name, value] of Object.entries(plain(data))) {
            const canonical = CANONICAL[name] ?? ((value: Json) => value)
            const [a, b] = [canonical(record[name]), canonical(value)]
            if (JSON.stringify(sorted(a)) !== JSON.stringify(sorted(b))) {
              throw new Error(`${name}: ${JSON.stringify(b)} became ${JSON.stringify(a)}`)
            }
          }
        }
        const record = await created('/specimens', { code: `R${++count}`, plant: 1, ...first })
        same(record, first)
        const got = await read(`/specimens/${record.id}`)
        same(got, first)
        if (JSON.stringify(got) !== JSON.stringify(record)) throw new Error('what is read is not what was returned')
        const changed = await updated(`/specimens/${record.id}`, second)
        same(changed, { ...first, ...second })
        same(await read(`/specimens/${record.id}`), { ...first, ...second })
      }),
      { numRuns: RUNS }
    )
    t.ok(count >= RUNS)
  })

  t.test('a batch stores the same rows as single records', async (t) => {
    const recorder = await recordStatements(orm, t)
    // with all rows in one value, and with values bound one by one
    const forms = { together: 0, apart: 0 }
    const batch = fc.subarray(BATCHED, { minLength: 1 }).chain((names) =>
      fc.array(fc.record(Object.fromEntries(names.map((name) => [name, fc.option(VALUES[name]!, { freq: 6 })]))), {
        minLength: 2,
        maxLength: 4,
      })
    )
    const rows = async (prefix: string, from: number): Promise<unknown> =>
      await select(
        orm,
        "select (to_jsonb(s) - 'id' - 'code')::text as row, chlorophyll::text, acidity::text, readings::text " +
          `from specimen s where code like '${prefix}%' and substr(code, 2)::int >= ${from} order by id`
      )
    await assertProperty(
      fc.asyncProperty(batch, async (bodies) => {
        const from = count + 1
        for (const body of bodies) await created('/specimens', { code: `S${++count}`, plant: 1, ...body })
        recorder.take()
        const records = await created('/specimens',
          bodies.map((body, index) => ({ code: `M${from + index}`, plant: 1, ...body })))
        const { sql } = recorder.take().find(({ sql }) => sql.startsWith('insert'))!
        forms[sql.includes('json_populate_recordset') ? 'together' : 'apart']++
        if (records.some(({ code }: Json, index: number) => code !== `M${from + index}`)) {
          throw new Error(`another order: ${JSON.stringify(records)}`)
        }
        const [single, many] = [JSON.stringify(await rows('S', from)), JSON.stringify(await rows('M', from))]
        if (single !== many) throw new Error(`${single}\n${many}`)
      }),
      { numRuns: RUNS }
    )
    t.ok(forms.together > RUNS / 4 && forms.apart > 0, JSON.stringify(forms))
  })

  t.test('invalid bodies are refused or stored, and never cause a 500', async (t) => {
    const seen: Record<number, number> = {}
    await assertProperty(
      fc.asyncProperty(
        garbage,
        fc.constantFrom('/specimens', '/plants', '/suppliers', '/lenient'),
        fc.boolean(),
        async (body, path, complete) => {
          const required = {
            '/specimens': { code: `G${++count}`, plant: 1 },
            '/suppliers': { name: 'x', country: 'fr' },
            '/plants': { name: 'x', supplier: 1 },
            '/lenient': { name: 'x', supplier: 1 },
          }[path]
          const data = complete ? { ...body, ...required } : body
          for (const response of [
            await post(path, data), await patch(`${path}/1`, body),
            ...(path === '/plants' ? [await post(path, [data])] : []),
          ]) {
            seen[response.statusCode] = (seen[response.statusCode] ?? 0) + 1
            if (![200, 201, 400, 409].includes(response.statusCode)) {
              throw new Error(`${path} ${JSON.stringify(data)}: ${response.statusCode} ${response.body}`)
            }
            if (
              response.statusCode === 400 && response.json().errors === undefined &&
              !/^FST_ERR_CTP/.test(response.json().code)
            ) throw new Error(response.body)
          }
        }
      ),
      { numRuns: RUNS * 5 }
    )
    t.ok(seen[200]! > 0 && seen[201]! > 0 && seen[400]! > 0, JSON.stringify(seen))
  })
})

/** Sorts the keys, since jsonb has its own order. */
function sorted (value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
}
