import { serialize } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude } from '../../../src/index.ts'
import { entities, Plant, Specimen } from '../../fixtures/entities.ts'
import { seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, resource, serve, type Json } from '../helper.ts'
import { writes } from './helper.ts'

/** A value of every type: as it is sent, and where that is something else, as it comes back. */
const TYPES: Record<string, readonly [given: Json, wire?: Json]> = {
  leaves: [240],
  stems: [-12],
  cells: ['12000000000'],
  pollen: [5_000_000_000],
  spores: ['123'],
  dryMass: ['12.5', '12.500000'],
  value: [19.9],
  acidity: [6.25],
  chlorophyll: [0.1],
  minimum: [-12.5],
  alive: [false],
  nickname: ['Lola 😀'],
  description: ['line\nline "quoted" \\ \t'],
  grade: ['A'],
  diary: ['lazy'],
  tracker: ['3F0C8A52-7C0E-4F57-9D53-2D6F4A1C9B10', '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'],
  health: ['thriving'],
  hardiness: [2],
  flowering: ['summer'],
  pruned: [['spring', 'autumn']],
  sownOn: ['2024-02-29'],
  measuredAt: ['2024-05-06T09:08:09.5+02:00', '2024-05-06T07:08:09.500Z'],
  recordedAt: ['2024-05-06T09:08:09+02:00', '2024-05-06T07:08:09.000Z'],
  wateredAt: ['07:30', '07:30:00'],
  dormancy: ['1 year 2 days', '1 year 2 days'],
  readings: [{ sensor: 'north', values: [1, 2.5, -3, null], nested: { deep: [true] } }],
  synonyms: [['plain', 'with, "both"', '']],
  ringWidths: [[3, -1]],
  scan: ['AAH+/w=='],
  genome: ['R0FUQw=='],
  petals: ['#967bb6'],
  size: [{ height: 60, width: 40, unit: 'cm' }],
}
/** What MikroORM's own serialization has in another form than ours, by design: bytes as objects, intervals as its driver reads them. */
const OURS = new Set(['scan', 'genome', 'dormancy'])

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/specimens': { crud: resource(Specimen), operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'] },
    '/plants': resource(Plant, { allowedIncludes: [new AllowedInclude('specimens')] }),
  })
  const { post, patch, put, remove, created, updated, read } = writes(app)
  const scalars = Object.values(orm.getMetadata(Specimen).properties).filter(({ kind, embedded, primary }) =>
    (kind === 'scalar' || kind === 'embedded') && embedded === undefined && !primary
  ).map(({ name }) => name as string)

  t.test('one form for each type, wherever it comes from', async (t) => {
    t.strictSame(Object.keys(TYPES).sort(), scalars.filter((name) => name !== 'code').sort(), 'every type there is')
    const given = Object.fromEntries(Object.entries(TYPES).map(([name, [value]]) => [name, value]))
    const wire = Object.fromEntries(Object.entries(TYPES).map(([name, [value, back = value]]) => [name, back]))

    const record = await created('/specimens', { code: 'WIRE', plant: 4, ...given })
    const expected = { id: record.id, code: 'WIRE', plant: 4, ...wire }
    t.strictSame(record, expected, 'created')
    const path = `/specimens/${record.id}`
    t.strictSame(await read(path), expected, 'get')
    t.strictSame(
      (await read('/specimens?per_page=100')).items.find(({ id }: Json) => id === record.id),
      expected,
      'list'
    )
    t.strictSame((await read('/plants/4?include=specimens')).specimens, [expected], 'include')
    t.strictSame(
      (await read('/plants?include=specimens&per_page=100')).items.find(({ id }: Json) => id === 4).specimens,
      [expected],
      'include in a list'
    )

    const [many] = bodyOf(await post('/specimens', [{ code: 'MANY', plant: 4, ...given }]))
    t.strictSame({ ...many, id: record.id, code: 'WIRE' }, expected, 'created with others')
    const { id } = await created('/specimens', { code: 'UPDATED', plant: 4 })
    t.strictSame({ ...await updated(`/specimens/${id}`, given), id: record.id, code: 'WIRE' }, expected, 'updated')
    t.strictSame(bodyOf(await patch(path, {})), expected, 'not updated')
    const { id: _, ...sent } = expected
    t.strictSame(bodyOf(await put(path, sent)), expected, 'sent back as it came')

    const entity = await orm.em.fork().findOneOrFail(Specimen, record.id, { populate: ['*'] as never })
    const hydrated = JSON.parse(
      JSON.stringify(serialize(entity as object, { forceObject: false }), (_, value) =>
        typeof value === 'bigint' ? String(value) : value)
    )
    for (const name of Object.keys(expected)) {
      if (!OURS.has(name)) t.strictSame(hydrated[name], expected[name as keyof typeof expected], `MikroORM: ${name}`)
    }
    t.strictSame([
      Buffer.from((entity as Json).scan).toString('base64'),
      Buffer.from((entity as Json).genome).toString('base64'),
    ], [wire.scan, wire.genome])
    t.strictSame(bodyOf(await remove(path)), expected, 'deleted')
  })

  t.test('what MikroORM has written is read in the same form', async (t) => {
    const { id } = await created('/specimens', {
      code: 'OURS',
      plant: 4,
      ...Object.fromEntries(Object.entries(TYPES).map(([name, [value]]) => [name, value])),
    })
    const em = orm.em.fork()
    const { id: _, code: __, plant, ...data } = {
      ...await em.findOneOrFail(Specimen, id, { populate: ['*'] as never }),
    } as Json
    const own = Object.fromEntries(scalars.filter((name) => name !== 'code').map((name) => [name, data[name]]))
    const copy = em.create(Specimen, { ...own, plant, code: 'THEIRS' } as never) as Json
    await em.flush()
    const [a, b] = [await read(`/specimens/${id}`), await read(`/specimens/${copy.id}`)]
    t.strictSame({ ...a, id: 0, code: '' }, { ...b, id: 0, code: '' })
  })
})
