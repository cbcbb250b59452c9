import { serialize } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude } from '../../../src/index.ts'
import { entities, Plant, Specimen } from '../../fixtures/entities.ts'
import { seed } from '../../fixtures/seed.ts'
import { SPECIMEN_VALUES } from '../../fixtures/specimen-values.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, resource, serve, writes, type Json } from '../helper.ts'

/**
 * Types whose wire form differs from MikroORM's serialization by design: bytes, which MikroORM serializes as objects,
 * intervals, which it reads with its driver, and ranges of moments, which it shows as the database writes them.
 */
const OURS = new Set(['scan', 'genome', 'dormancy', 'shown', 'lent'])

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/specimens': { crud: resource(Specimen), operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'] },
    '/plants': resource(Plant, { allowedIncludes: [new AllowedInclude('specimens')] }),
  })
  const { post, patch, put, remove, created, updated, read } = writes(app)
  const scalars = Object.values(orm.getMetadata(Specimen).properties).filter(({ kind, embedded, primary }) =>
    (kind === 'scalar' || kind === 'embedded') && embedded === undefined && !primary
  ).map(({ name }) => name as string)

  t.test('a type has one form, in every kind of answer', async (t) => {
    t.strictSame(Object.keys(SPECIMEN_VALUES).sort(), scalars.filter((name) => name !== 'code').sort(),
      'every type there is')
    const given = Object.fromEntries(Object.entries(SPECIMEN_VALUES).map(([name, [value]]) => [name, value]))
    const wire = Object.fromEntries(
      Object.entries(SPECIMEN_VALUES).map(([name, [value, back = value]]) => [name, back])
    )

    const record = await created('/specimens', { code: 'WIRE', plant: 4, ...given })
    const expected = { id: record.id, code: 'WIRE', plant: 4, ...wire }
    t.strictSame(record, expected, 'created')
    const path = `/specimens/${record.id}`
    t.strictSame(await read(path), expected, 'get')
    t.strictSame((await read('/specimens?per_page=100')).items.find(({ id }: Json) => id === record.id), expected,
      'list')
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
      JSON.stringify(serialize(entity as object, { forceObject: false }),
        (_, value) => typeof value === 'bigint' ? String(value) : value)
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

  t.test('values written by MikroORM are read in the same form', async (t) => {
    const { id } = await created('/specimens', {
      code: 'OURS', plant: 4,
      ...Object.fromEntries(Object.entries(SPECIMEN_VALUES).map(([name, [value]]) => [name, value])),
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
