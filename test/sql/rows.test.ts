/** What reads have in common. The tests of features compare the rows of all kinds of requests. */
import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { entities, Plant, Specimen } from '../fixtures/entities.ts'
import { plantUuid, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource, found, listOf } from './helper.ts'

const plants = resource(Plant, {
  allowedFilters: [{ id: ['eq', 'gt'] }, 'name', { price: ['in'] }],
  allowedFields: ['id', 'tags.name', 'orderItems.quantity'],
  allowedIncludes: [
    'supplier', 'group.parent', 'shelf', 'tags', 'tags.plants', 'label', 'offers', 'specimens', 'orderItems',
    'orderItems.order.customer',
  ],
})

/** Properties of each type that can be compared. */
const COMPARED = [
  'code', 'leaves', 'stems', 'cells', 'pollen', 'spores', 'dryMass', 'value', 'acidity', 'chlorophyll', 'minimum',
  'alive', 'nickname', 'description', 'grade', 'diary', 'tracker', 'health', 'hardiness', 'flowering', 'sownOn',
  'measuredAt', 'recordedAt', 'wateredAt', 'readings', 'petals', 'plant',
]

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('deleted rows are visible only on request', async (t) => {
    const em = orm.em.fork()
    const deleted = { includeDeleted: true }
    t.equal(await plants.get(em, 11), null)
    t.equal(await plants.exists(em, 11), false)
    t.equal(await plants.count(em), 13)
    t.match(await plants.get(em, 11, undefined, deleted), { id: 11, deleted_at: '2024-06-30T12:00:00.000Z' })
    t.equal(await plants.exists(em, plantUuid(11), deleted), true)
    t.equal(await plants.count(em, undefined, deleted), 14)
    t.strictSame(await found(orm, plants, 'filter[id][gt]=9', 'id', deleted), [10, 11, 12, 13, 14])
    const query = 'filter[id]=11&fields=id&include=tags,orderItems&fields[tags]=name&fields[orderItems]=quantity'
    t.strictSame((await listOf(orm, plants, query, deleted)).items, [{
      id: 11, tags: [{ name: 'sun' }], orderItems: [{ quantity: 1 }],
    }], 'what is related stays as it is')
  })

  t.test('a filter by a value of a record finds the record', async (t) => {
    const crud = resource(Specimen, {
      allowedFilters: COMPARED.map((name) => new AllowedFilters(name, 'eq', ['eq', 'ne', 'in', 'nin'])),
    })
    for (const record of (await listOf(orm, crud)).items) {
      for (const name of COMPARED.filter((name) => record[name] !== null)) {
        const text = typeof record[name] === 'object' ? JSON.stringify(record[name]) : String(record[name])
        for (const [operator, finds] of [['[eq]', true], ['[in][]', true], ['[ne]', false], ['[nin][]', false]]) {
          const query = `filter[${name}]${operator}=${encodeURIComponent(text)}`
          t.equal((await found(orm, crud, query, 'code')).includes(record.code), finds, `${record.code} ${query}`)
        }
      }
    }
  })

  t.test('each read is one statement, whatever its result and includes, with its values apart', async (t) => {
    const recorder = await recordStatements(orm, t)
    const em = orm.em.fork()
    const everything =
      'include=supplier,group.parent,shelf,tags.plants,label,offers,specimens,orderItems.order.customer'
    for (const query of [
      '', 'per_page=1', 'page=2&per_page=5', 'page=90', 'filter[name]=nobody', `${everything}&per_page=50`,
    ]) {
      await plants.list(em, parseQueryParams(query))
      t.equal(recorder.take().length, 1, query || 'all')
    }
    await plants.get(em, 1, parseQueryParams(everything))
    await plants.count(em)
    await plants.exists(em, 1)
    t.equal(recorder.take().length, 3, 'get, count and exists')
    await plants.get(em, 'no key')
    await t.rejects(plants.list(em, parseQueryParams('sort=x')))
    t.equal(recorder.take().length, 0, 'a key that no record can have, and a request that is refused, ask nothing')
    await plants.list(em, parseQueryParams('filter[name]=canary&filter[price]=1,2&limit=3&offset=4'))
    const [statement] = recorder.take()
    t.notMatch(statement?.sql, 'canary')
    t.strictSame([...statement!.params].map(String).sort(), ['3', '4', 'canary', '{"1","2"}'])
  })
})
