/** Tables that break careless statements: wide ones, and ones with ambiguous names. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, AllowedInclude } from '../../src/config/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource, found, listOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const columns = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, p.integer().default(index)]))

/** More members than the arguments that a function call may have. */
const Wide = entity('Wide', { id: p.integer().primary(), ...columns(180), narrow: () => p.manyToOne(Narrow) })
const Narrow = entity('Narrow', { id: p.integer().primary(), wides: () => p.oneToMany(Wide).mappedBy('narrow') })

/** Named like our common table expressions, our aliases, and the columns of our answers. */
const Page = entity('Page', {
  id: p.integer().primary(), items: p.string(), total: p.integer(), count: p.integer(),
  rows: () => p.oneToMany(Rows).mappedBy('page'),
}, { tableName: 'page' })
const Rows = entity('Rows', {
  id: p.integer().primary(), e0: p.string(), fetched: p.integer().nullable(), item: p.string().fieldName('row'),
  page: () => p.manyToOne(Page).fieldName('page'),
}, { tableName: 'e0' })

/** Quotes, upper case, reserved words, spaces, and names that are not ASCII. */
const Odd = entity('Odd', {
  id: p.integer().primary().fieldName('ID'),
  select: p.string().fieldName('sel"ect'),
  from: p.integer().fieldName('from'),
  CamelCase: p.string(),
  straße: p.string().fieldName('straße'),
  quoted: p.string().fieldName("it's").serializedName('it\'s \\ "odd"'),
  spaced: p.string().fieldName('with space'),
  question: p.string().fieldName('WHY'),
  dollar: p.string().fieldName('$1'),
  user: () => p.manyToOne(Odd).fieldName('us"er').nullable(),
  group: () => p.oneToMany(Odd).mappedBy('user'),
  all: () => p.manyToMany(Page).owner().pivotTable('Pivot "table"').joinColumn('odd"id').inverseJoinColumn('page id'),
}, { tableName: 'Odd "table"; --' })

const LONG = 'anExtraordinarilyLongNameOfARelationThatNobodyWouldTypeTwiceXY'
const Long = entity('Long', {
  id: p.integer().primary(),
  [LONG]: () => p.manyToOne(Long).fieldName('parent_id').nullable(),
  children: () => p.oneToMany(Long).mappedBy(LONG as never),
})

const entities = [Wide, Narrow, Page, Rows, Odd, Long]
const names = ['select', 'from', 'CamelCase', 'straße', 'quoted', 'spaced', 'question', 'dollar'] as const

const odds = resource(Odd, {
  allowedFilters: [...names, 'user.select', 'all.items'].map((name) => AllowedFilters.exact(name)),
  allowedSorts: [...names, 'user.select'],
  allowedFields: ['id', 'select', 'user.id', 'group.id', 'all.id'],
  allowedIncludes: ['user', 'group', 'all', 'all.rows'],
})

await forEachDatabase(t, {
  entities,
  async seed (em) {
    const narrow = em.create(Narrow, { id: 1 })
    em.create(Wide, { id: 1, narrow } as never)
    const page = em.create(Page, { id: 1, items: 'i', total: 5, count: 6 })
    em.create(Rows, { id: 1, e0: 'a', fetched: 3, item: 'x', page })
    em.create(Rows, { id: 2, e0: 'b', item: 'y', page })
    const odd = (id: number, user?: any) =>
      em.create(Odd, {
        id, select: `s${id}`, from: id, CamelCase: 'C', straße: 'ß', quoted: 'q', spaced: 's', question: 'why',
        dollar: '$', user,
      })
    const first = odd(1)
    odd(2, first).all.add(page)
    const top = em.create(Long, { id: 1 } as never)
    em.create(Long, { id: 2, [LONG]: top } as never)
    em.create(Long, { id: 3, [LONG]: em.getReference(Long, 2) } as never)
  },
}, async (t, { orm }) => {
  t.test('a record may have 182 members, alone and included', async (t) => {
    const [wide] = (await listOf(orm, resource(Wide))).items
    t.equal(Object.keys(wide!).length, 182)
    t.match(wide, { id: 1, c0: 0, c179: 179, narrow: 1 })
    const narrows = resource(Narrow, { allowedIncludes: ['wides', 'wides.narrow'] })
    const [narrow] = (await listOf(orm, narrows, 'include=wides')).items
    t.strictSame(narrow, { id: 1, wides: [wide] })
    const [nested] = (await listOf(orm, narrows, 'include=wides.narrow')).items
    t.strictSame(nested, { id: 1, wides: [{ ...wide, narrow: { id: 1 } }] })
  })

  t.test('a table may be called page, with columns named like those of an answer', async (t) => {
    const pages = resource(Page, {
      allowedIncludes: ['rows'], allowedFilters: ['rows.e0', 'items'], allowedSorts: ['count'],
    })
    t.strictSame(await listOf(orm, pages, 'include=rows&sort=count&filter[rows.e0]=b&filter[items]=i'), {
      items: [{
        id: 1,
        items: 'i',
        total: 5,
        count: 6,
        rows: [
          { id: 1, e0: 'a', fetched: 3, item: 'x', page: 1 },
          { id: 2, e0: 'b', fetched: null, item: 'y', page: 1 },
        ],
      }],
      total: 1, page: 1, per_page: 20, total_pages: 1, has_next: false, has_prev: false,
    })
    const rows = resource(Rows, { allowedIncludes: ['page'], allowedSorts: ['page.items'] })
    t.match((await listOf(orm, rows, 'include=page&sort=-page.items&per_page=1')).items, [{
      id: 1, item: 'x', page: { id: 1, items: 'i' },
    }])
    t.equal((await listOf(orm, resource(Rows, { pagination: { count: 'none' } }), 'per_page=1')).has_next, true)
  })

  t.test('names of every kind are quoted', async (t) => {
    const record = {
      id: 2, select: 's2', from: 2, CamelCase: 'C', straße: 'ß', 'it\'s \\ "odd"': 'q', spaced: 's', question: 'why',
      dollar: '$', user: 1,
    }
    const em = orm.em.fork()
    t.strictSame(await odds.get(em, 2), record)
    t.strictSame((await listOf(orm, odds, 'sort=-from')).items[0], record)
    for (const filter of ['filter[select]=s2', 'filter[from]=2']) {
      t.strictSame(await found(orm, odds, filter), [2], filter)
    }
    for (const name of ['CamelCase=C', 'straße=ß', 'spaced=s', 'question=why', 'dollar=$']) {
      t.equal((await found(orm, odds, `filter[${name.replace('=', ']=')}`)).length, 2, name)
    }
    t.strictSame(await found(orm, odds, 'filter[user.select]=s1'), [2])
    t.strictSame(await found(orm, odds, 'filter[all.items]=i'), [2])
    t.strictSame(await found(orm, odds, 'sort=-user.select,-straße'), [2, 1])
    const url = 'fields=id&include=user,group,all&fields[user]=id&fields[group]=id&fields[all]=id'
    t.strictSame((await listOf(orm, odds, url)).items, [{ id: 1, user: null, group: [{ id: 2 }], all: [] }, {
      id: 2, user: { id: 1 }, group: [], all: [{ id: 1 }],
    }])
    t.match((await listOf(orm, odds, 'include=all.rows&sort=-from')).items[0], {
      all: [{ rows: [{ item: 'x' }, { item: 'y' }] }],
    })
    const scope = { question: 'why', dollar: '$', CamelCase: { $ne: '?' } }
    t.strictSame(await found(orm, odds, '', 'id', { scope }), [1, 2])
  })

  t.test('a relation with a very long name may occur several times in one statement', async (t) => {
    const crud = resource(Long, {
      allowedIncludes: [new AllowedInclude(`${LONG}.${LONG}`), new AllowedInclude(`children.${LONG}`)],
      allowedSorts: ['id'],
    })
    t.match((await listOf(orm, crud, `include=${LONG}.${LONG}&sort=-id&per_page=1`)).items, [
      { id: 3, [LONG]: { id: 2, [LONG]: { id: 1 } } },
    ])
    t.match((await listOf(orm, crud, `include=children.${LONG}&per_page=1`)).items, [
      { id: 1, children: [{ id: 2, [LONG]: { id: 1 } }] },
    ])
  })

  t.test('offsets of far pages are not cut to 32 bits', async (t) => {
    const far = resource(Page, { pagination: { maxOffset: 9_000_000_000_000_000 }, allowedIncludes: ['rows'] })
    for (const query of ['limit=5&offset=3000000000', 'limit=5&offset=3000000000&include=rows']) {
      t.match(await listOf(orm, far, query), { items: [], total: 1, offset: 3_000_000_000 })
    }
  })

  t.test('each of these requests is one statement', async (t) => {
    const recorder = await recordStatements(orm, t)
    await listOf(orm, odds, 'include=user,group,all.rows')
    t.equal(recorder.take().length, 1)
  })
})
