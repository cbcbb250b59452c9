import { p, type InferEntity } from '@mikro-orm/core'
import t from 'tap'
import { BaseModel, primaryKey, softDelete, timestamps, uuid } from '../../src/entities/base-model.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'

const Gardener = entity('Gardener', { name: p.string() }, { extends: BaseModel })
type Gardener = InferEntity<typeof Gardener>

const BedSchema = entity('Bed', { name: p.string() }, { extends: BaseModel })
class Bed extends BedSchema.class {
  title () {
    return `Bed ${this.name}`
  }
}
BedSchema.setClass(Bed)

const Tool = entity('Tool', { ...primaryKey, ...timestamps, name: p.string() })
const Seed = entity('Seed', { ...primaryKey, ...uuid, ...softDelete, name: p.string() })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

await forEachDatabase(t, { entities: [Gardener, Bed, Tool, Seed] }, async (t, { orm }) => {
  t.test('BaseModel has no table of its own, and its children have its columns', async (t) => {
    t.notMatch(await orm.schema.getCreateSchemaSQL(), 'base_model')
    for (const entity of [Gardener, BedSchema]) {
      t.strictSame(orm.getMetadata().get(entity).props.map(({ name }) => name), [
        'id', 'uuid', 'created_at', 'updated_at', 'deleted_at', 'name',
      ])
    }
  })

  t.test('mixins add their own properties only', async (t) => {
    t.strictSame(orm.getMetadata().get(Tool).props.map(({ name }) => name), ['id', 'created_at', 'updated_at', 'name'])
    t.strictSame(orm.getMetadata().get(Seed).props.map(({ name }) => name), ['id', 'uuid', 'deleted_at', 'name'])
  })

  t.test('the schema of an existing database needs no update', async (t) => {
    t.equal(await orm.schema.getUpdateSchemaSQL(), '')
  })

  t.test('create requires only properties without a default', async (t) => {
    const em = orm.em.fork()
    const before = Date.now()
    const gardener = em.create(Gardener, { name: 'Ada' })
    await em.flush()
    t.type(gardener.id, 'number')
    t.match(gardener.uuid, UUID)
    t.ok(gardener.created_at.getTime() >= before)
    t.ok(gardener.updated_at.getTime() >= before)
    t.notOk(gardener.deleted_at)
  })

  t.test('an update moves updated_at only', async (t) => {
    const em = orm.em.fork()
    const past = new Date('2020-01-01T00:00:00.123Z')
    const bed = em.create(Bed, { name: '1', created_at: past, updated_at: past })
    await em.flush()
    bed.name = '2'
    await em.flush()
    const read = await orm.em.fork().findOneOrFail(Bed, bed.id)
    t.equal(read.title(), 'Bed 2')
    t.strictSame(read.created_at, past)
    t.ok(read.updated_at > past)
  })

  t.test('rows inserted without the ORM get the same defaults', async (t) => {
    const em = orm.em.fork()
    await em.execute("insert into gardener (name) values ('Bob')")
    const bob = await em.findOneOrFail(Gardener, { name: 'Bob' })
    t.match(bob.uuid, UUID)
    t.ok(Math.abs(bob.created_at.getTime() - Date.now()) < 60_000)
    t.strictSame(bob.updated_at, bob.created_at)
    t.equal(bob.deleted_at, null)
  })

  t.test('a time that was read finds its row again, because times have milliseconds', async (t) => {
    const em = orm.em.fork()
    await em.execute("insert into gardener (name, created_at) values ('Cleo', '2024-05-06 07:08:09.123456+00')")
    const cleo = await em.findOneOrFail(Gardener, { name: 'Cleo' })
    t.equal(cleo.created_at.toISOString(), '2024-05-06T07:08:09.123Z')
    t.equal(await em.fork().count(Gardener, { created_at: cleo.created_at, name: 'Cleo' }), 1)
  })

  t.test('uuid is unique', async (t) => {
    const em = orm.em.fork()
    const same = 'b0b6a6f0-7a4c-4c0b-9a59-3f2c3ad4d2a1'
    em.create(Seed, { name: 'bean', uuid: same })
    em.create(Seed, { name: 'pea', uuid: same })
    await t.rejects(em.flush(), { code: '23505' })
  })
})
