/** The option `writable` alone: its three forms, and the mistakes that need no entity. */
import t from 'tap'
import { CrudBase } from '../../src/index.ts'
import { readWritable } from '../../src/config/index.ts'
import { Tag } from '../fixtures/entities.ts'

t.test('writable is a list, a list for each operation, or all', async (t) => {
  t.equal(readWritable('x', undefined), undefined)
  t.strictSame(readWritable('x', ['name']), { create: ['name'], update: ['name'] })
  t.strictSame(readWritable('x', []), { create: [], update: [] })
  t.strictSame(readWritable('x', 'all'), { create: 'all', update: 'all' })
  t.strictSame(readWritable('x', { create: ['name'] }), { create: ['name'] })
  t.strictSame(readWritable('x', { create: 'all', update: ['name'] }), { create: 'all', update: ['name'] })
  t.equal(readWritable('x', {}), undefined, 'an object without a list says as little as a missing option')
  t.equal(readWritable('x', { create: undefined }), undefined)
})

t.test('the list is copied', async (t) => {
  const names = ['name']
  const read = readWritable('x', names)!
  names.push('is_admin')
  t.strictSame(read.create, ['name'])
})

t.test('other values are refused with the reason', async (t) => {
  for (const [writable, message] of [
    ['name', "CrudBase: \"writable\" must be a list of property names or 'all', got 'name'."],
    [true, 'CrudBase: "writable" must be a list of property names or \'all\', got true.'],
    [null, 'CrudBase: "writable" must be a list of property names or \'all\', got null.'],
    [['name', 1], 'CrudBase: "writable" must be a list of property names or \'all\', got a list that holds 1.'],
    [{ create: 'name' }, "CrudBase: \"writable.create\" must be a list of property names or 'all', got 'name'."],
    [{ updates: ['name'] },
      "CrudBase: \"writable\" has lists for 'create' and 'update', not for 'updates'. Did you mean 'update'?"],
    [
      { name: true },
      "CrudBase: \"writable\" has lists for 'create' and 'update', " +
      "not for 'name'. Names of properties belong in a list: ['name'].",
    ],
  ] as const) {
    t.throws(() => new CrudBase({ model: Tag, writable: writable as never }), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message,
    }, JSON.stringify(writable))
  }
})
