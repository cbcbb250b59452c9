import t from 'tap'
import { AllowedField } from '../../src/config/index.ts'

const refused = (message: string) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('a field is a property or a path to one', async t => {
  const field = new AllowedField('products.id', { alias: 'product_id' })
  t.match(field, { kind: 'property', field: 'products.id', alias: 'product_id' })
  t.equal(new AllowedField('id').alias, undefined)
  t.ok(Object.isFrozen(field))
})

t.test('invalid names and options are refused', async t => {
  t.throws(() => new AllowedField(''), refused("AllowedField: a property is named by a non-empty string, got ''"))
  t.throws(() => new AllowedField('products.'),
    refused("AllowedField: 'products.' has an empty part: a dot stands between two names"))
  t.throws(() => new AllowedField('id', { alias: 'a,b' }),
    refused("AllowedField 'id': alias 'a,b' holds a comma, which separates names in a query string"))
  t.throws(() => new AllowedField('id', { Alias: 'a' } as never),
    refused("AllowedField 'id': there is no option 'Alias'. Did you mean 'alias'?"))
  t.throws(() => new AllowedField('id', 'a' as never),
    refused("AllowedField 'id': options must be a plain object, got 'a'."))
  t.throws(() => new AllowedField('id', null as never),
    refused("AllowedField 'id': options must be a plain object, got null."))
})
