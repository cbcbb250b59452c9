/** A statement never uses an entity whose MikroORM filters have not been asked for. */
import t from 'tap'
import { plannedOnly } from '../../src/resource/foreign.ts'
import { trusted } from '../../src/sql/index.ts'
import { Plant, Supplier } from '../fixtures/entities.ts'
import { modelsOf } from '../helpers/models.ts'

const models = modelsOf()

t.test('an entity that a plan does not lead to is a mistake of this package', async (t) => {
  const [plant, supplier] = [models.of(Plant), models.of(Supplier)]
  const forgotten = { name: 'TypeError', message: `The filters of ${supplier.name} are not planned.` }
  const filter = plannedOnly([plant], (model) => model === plant ? trusted('true') : undefined)
  t.strictSame(filter(plant, 'a'), trusted('true'))
  t.throws(() => filter(supplier, 'a'), forgotten)
  t.equal(plannedOnly([plant])(plant, 'a'), undefined)
  t.throws(() => plannedOnly([plant])(supplier, 'a'), forgotten)
})
