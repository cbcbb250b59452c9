/** The conditions that react-admin's filters stand for. */
import t from 'tap'
import { filterOfReactAdmin } from '../../src/admin/react-admin/react-admin-filters.ts'
import { changesOf } from '../../src/admin/writes.ts'

t.test('operators behind the name of a property', async (t) => {
  for (const [filter, conditions] of [
    [{ status: 'active' }, { status: 'active' }],
    [{ created_at: '2024-01-01' }, { created_at: '2024-01-01' }],
    [{ price_eq: 1, stock_neq: 2 }, { price: { eq: 1 }, stock: { ne: 2 } }],
    [{ price_gt: 1, price_lte: 2 }, { price: { gt: 1, lte: 2 } }],
    [{ price_gte: 1, stock_lt: 2 }, { price: { gte: 1 }, stock: { lt: 2 } }],
    [{ id_eq_any: [1, 2], status_neq_any: 'draft' }, { id: { in: [1, 2] }, status: { nin: ['draft'] } }],
    [{ name_q: 'a' }, { name: { contains: 'a' } }],
    [{ tags_inc: 'a', sizes_inc_any: [1] }, { tags: { contains: ['a'] }, sizes: { overlap: [1] } }],
    [{ 'name@ilike': 'a%', 'faq_q@eq': 'b' }, { name: { ilike: 'a%' }, faq_q: { eq: 'b' } }],
    [{ author: { name_q: 'a', city: { 'name@ieq': 'b' } } }, {
      'author.name': { contains: 'a' },
      'author.city.name': { ieq: 'b' },
    }],
    [{ group: null, price_eq: undefined, q: '', tags: ['a', 'b'] }, { group: null, q: '', tags: ['a', 'b'] }],
    [{ _eq: 1, '@eq': 2 }, { _eq: 1, '@eq': 2 }],
    [undefined, {}],
  ] as const) t.strictSame(filterOfReactAdmin(filter), conditions, JSON.stringify(filter))
  const date = new Date('2024-01-01')
  t.strictSame(filterOfReactAdmin({ created_at_gte: date }), { created_at: { gte: date } })
})

t.test('the name of a filter without operators does not end with one', async (t) => {
  const rules = { references: new Map(), plainFilters: new Set(['by_q', 'author.odd_eq']) }
  t.strictSame(filterOfReactAdmin({ by_q: 'a', title_q: 'b', author: { odd_eq: true } }, [], rules), {
    by_q: 'a', title: { contains: 'b' }, 'author.odd_eq': true,
  })
})

t.test('groups of filters', async (t) => {
  for (
    const [filter, conditions] of [
      [{ status: 'open', or: [{ title_q: 'a' }, { due_lt: 'x', not: { price_gte: 5 } }] }, {
        status: 'open',
        or: [{ title: { contains: 'a' } }, { due: { lt: 'x' }, not: { price: { gte: 5 } } }],
      }],
      [{ not: { author: { name: 'a' } } }, { not: { 'author.name': 'a' } }],
      [{ and: [{ or: [{ a: 1 }] }, { or: [{ b: 2 }] }] }, { and: [{ or: [{ a: 1 }] }, { or: [{ b: 2 }] }] }],
      [{ or: [{ a: undefined }, { b: 1 }], not: { c: undefined }, and: [] }, { or: [{ b: 1 }] }],
      [{ or: [] }, {}],
      [{ tags_ninc_any: 'a', sizes_ninc_any: [1] }, {
        not: { tags: { overlap: ['a'] } },
        and: [{ not: { sizes: { overlap: [1] } } }],
      }],
      // filters with such names, where the resource has no groups
      [{ or: 'a', and: ['b'], author: { not: { x: 1 } } }, { or: 'a', and: ['b'], 'author.not.x': 1 }],
    ] as const
  ) t.strictSame(filterOfReactAdmin(filter), conditions, JSON.stringify(filter))
})

t.test('several conditions on the same property and operator are joined by and', async (t) => {
  for (const [filter, conditions] of [
    [{ price_gte: 1, 'price@gte': 2 }, { price: { gte: 1 }, and: [{ price: { gte: 2 } }] }],
    [{ price: 1, price_gte: 2 }, { price: 1, and: [{ price: { gte: 2 } }] }],
    [{ price_gte: 2, price: 1 }, { price: { gte: 2 }, and: [{ price: 1 }] }],
  ] as const) t.strictSame(filterOfReactAdmin(filter), conditions, JSON.stringify(filter))
})

t.test('filters may have names such as __proto__ and constructor', async (t) => {
  const filter = filterOfReactAdmin(JSON.parse('{ "__proto__@eq": 1, "constructor_eq": 2, "a@__proto__": 3 }'))
  t.strictSame(Object.keys(filter), ['__proto__', 'constructor', 'a'])
  t.strictSame(Object.keys(filter['a'] as object), ['__proto__'])
})

t.test('an update sends only the properties whose values differ', async (t) => {
  const previous = {
    id: 1, name: 'a', tags: [1, 2], address: { city: 'x', zip: null }, at: '2024-01-01T00:00:00.000Z', note: null,
  }
  t.strictSame(changesOf({ ...previous }, previous), {})
  t.strictSame(
    changesOf({ ...structuredClone(previous), at: new Date('2024-01-01'), note: undefined, absent: null }, previous),
    {}
  )
  t.strictSame(changesOf({ ...previous, name: 'b', tags: [2, 1], address: { city: 'y', zip: null } }, previous), {
    name: 'b', tags: [2, 1], address: { city: 'y', zip: null },
  })
  t.strictSame(changesOf({ name: null, note: 'n', tags: [1] }, previous), { name: null, note: 'n', tags: [1] })
  t.strictSame(changesOf({ tags: { 0: 1, 1: 2 } }, previous), { tags: { 0: 1, 1: 2 } }, 'a list is no object')
  t.strictSame(changesOf({ name: 'a' }, undefined), { name: 'a' })
})
