/** A statement never uses an entity whose MikroORM filters have not been asked for. */
import t from 'tap'
import { AllowedFilters } from '../../src/index.ts'
import { planList, type ListPlan } from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { NO_FILTERS, queryBuilderOf } from '../../src/resource/index.ts'
import { Statements } from '../../src/resource/kept-statements.ts'
import { Plant, Tag } from '../fixtures/entities.ts'
import { ormOf } from '../helpers/models.ts'
import { resource } from '../helpers/resource.ts'

const { em } = ormOf()
const any = AllowedFilters.custom('any', (qb) => qb)
const plants = resource(Plant, { allowedFilters: [any], allowedSorts: ['supplier.name'] }).bind(em)
const tags = resource(Tag, { allowedFilters: [any] }).bind(em)

const forgotten = (entity: string) => ({ name: 'TypeError', message: `The filters of ${entity} are not planned.` })
const plan = (query: string) => planList(parseQueryParams(query), plants.whitelist) as ListPlan

t.test('a kept statement refuses an entity that its plan is not known to lead to', async (t) => {
  const sorted = plan('sort=supplier.name')
  // the entities of a plan are those of its parts, so a plan that seems to have no order leads to no supplier
  const hidden = new Proxy(sorted, { has: (target, key) => key !== 'order' && key in target })
  t.ok(new Statements().read(em, sorted))
  t.throws(() => new Statements().read(em, hidden), forgotten('Supplier'))
})

t.test('a statement for one request refuses an entity that its resource does not lead to', async (t) => {
  const given = { filters: NO_FILTERS, switched: new Map() }
  const called = plan('filter[any]=1')
  t.ok(plants.prepareWith(em, called, {}, 'list', given))
  t.throws(() => tags.prepareWith(em, called, {}, 'list', given), forgotten('Plant'))
})

t.test('a query builder refuses an entity that its resource does not lead to', async (t) => {
  const sorted = plan('sort=supplier.name')
  t.ok(await queryBuilderOf(plants, em, sorted, {}, undefined))
  await t.rejects(queryBuilderOf(tags, em, sorted, {}, undefined), forgotten('Plant'))
})
