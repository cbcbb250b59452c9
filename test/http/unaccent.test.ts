/** Filters that ignore accents, by the extension unaccent or by a function of the database. */
import { unaccent } from '@electric-sql/pglite/contrib/unaccent'
import t, { type Test } from 'tap'
import { missingIndexes } from '../../src/advice/index.ts'
import { AllowedFilters, crudKit, CrudBase, parseQueryParams } from '../../src/index.ts'
import { Essay, essayEntities, seedEssays } from '../fixtures/essays.ts'
import { databases, forEachDatabase, pgliteFolder } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, select, serve, type Json } from './helper.ts'

const { fullText, partial, search, exact } = AllowedFilters
const by = { unaccent: true }
const wrapped = { unaccent: 'accents.removed' }
const all = ['contains', 'starts', 'ends', 'like', 'ilike', 'ieq', 'eq', 'in'] as const

const essays = resource(Essay, {
  allowedFilters: [
    new AllowedFilters('title', 'contains', [...all], by),
    new AllowedFilters('body', 'contains', [...all], wrapped),
    new AllowedFilters('motto', 'contains', [...all]),
    new AllowedFilters('writer.name', 'starts', ['starts', 'ieq'], by),
    partial('title', { ...by, alias: 'part' }),
    search('any', ['title', 'body', 'motto', 'writer.name'], by),
    fullText('q', ['title', 'body', 'motto', 'writer.name'], { config: 'english', ...by }),
    fullText('own', ['title', 'body'], { config: 'english', ...wrapped }),
    AllowedFilters.anyOf('either', [exact('stars'), new AllowedFilters('title', 'contains', by)]),
  ],
  allowedSorts: [],
})

/** The extension is in a schema that the search path does not have. */
const CREATE = [
  'create schema accents',
  'create extension unaccent schema accents',
  `create function accents.removed(text) returns text language sql immutable strict parallel safe
    as $$ select accents.unaccent('accents.unaccent', $1) $$`,
]
/** PGlite has the extension only if it was started with it. */
const optionsFor = (t: Test, name: string) => ({
  entities: essayEntities, seed: seedEssays,
  ...(name === 'pglite' && {
    orm: { dbName: pgliteFolder(t), driverOptions: { extensions: { unaccent } } } as object,
  }),
})

for (const [name, open] of databases) {
  await t.test(name, { skip: name === 'postgres' && !process.env.DATABASE_URL && 'no DATABASE_URL' }, async (t) => {
    const { orm, close } = await open(optionsFor(t, name))
    t.teardown(close)
    for (const statement of CREATE) await select(orm, statement)
    const app = await serve(t, orm, {
      '/essays': { crud: essays, operations: ['list', 'updateMany'], query: true, stream: true },
    })
    const { all: values, get, details } = client(app, '/essays')
    const ids = async (query: string) => await values('id', query.replaceAll(/[^\0-\x7f ]/gu, encodeURIComponent))

    t.test('texts are found with and without accents', async (t) => {
      const expected: Record<string, readonly number[]> = {
        'filter[title]=cafe': [3], 'filter[title]=CAFÉ': [3], 'filter[title][starts]=café c': [3],
        'filter[title][ends]=cülture': [3], 'filter[title][ieq]=CAFE CULTURE': [3],
        'filter[title][eq]=Cafe culture': [], 'filter[title][eq]=Café culture': [3], 'filter[title][like]=C_fe%25': [3],
        'filter[title][like]=c_fe%25': [], 'filter[title][ilike]=c_fé%25': [3], 'filter[title][like]=': [],
        'filter[title]=': [1, 2, 3, 4, 5, 6], 'filter[part]=afé cul': [3], 'filter[part]=C%25ltur_': [3],
        'filter[body]=creme brulee': [3], 'filter[body][ends]=naive poets.': [3],
        // a wide percent sign is a percent sign without accents, and never a wildcard
        'filter[body]=5％ of': [6], 'filter[body]=5%25 of': [6], 'filter[body]=5％x': [], 'filter[body][like]=5％%25': [6],
        'filter[body][ends]=＼': [], 'filter[body]=%5C': [], 'filter[motto]=deja': [], 'filter[motto]=déjà': [3],
        'filter[motto]=a_b%5Cc': [6], 'filter[writer.name]=jose': [2, 6], 'filter[writer.name][ieq]=JOSE NUNEZ': [2, 6],
        'filter[any]=nunez': [2, 6], 'filter[any]=DEJA vu': [3], 'filter[q]=deja vu': [3], 'filter[q]=nuñez river': [2],
        'filter[q]="crème brulée"': [3], 'filter[own]=brulee': [3], 'filter[q]=': [], 'filter[either]=cafe': [3],
        'filter[not][title]=cafe': [1, 2, 4, 5, 6], 'filter[or][0][title]=cafe&filter[or][1][any]=jose': [2, 3, 6],
      }
      for (const [query, rows] of Object.entries(expected)) t.strictSame((await ids(query)).sort(), rows, query)
      t.strictSame(await ids('filter[q]=jose or garden&sort=-q&cursor='), await ids('filter[q]=jose or garden&sort=-q'))
      t.match(await details('filter[title][like]=a%5C'), [/cannot end in a single backslash/])
      t.match(await details(`filter[title]=${'a'.repeat(257)}`), [/at most 256 characters/])
    })

    t.test('every text is literal, whatever the function makes of it', async (t) => {
      const texts = [
        '％', '＿', '＼', '﹪', '＂', '½', '…', 'ß', 'ﬁ', '℀', '\u0301', 'e\u0301', '\\', '%', '_', '\u0001', '😀',
      ]
      for (const text of [...texts, ...texts.map((one) => `${one}${one}x`), texts.join('')]) {
        for (const [field, operator] of [['title', ''], ['body', '[ends]'], ['any', ''], ['q', ''], ['either', '']]) {
          const answer = await app.inject(`/essays?filter[${field}]${operator}=${encodeURIComponent(text)}`)
          t.equal(answer.statusCode, 200, `${field}${operator} ${text}`)
        }
        const [plain] = await select(
          orm,
          `select count(*)::int as n from essay where deleted_at is null and
          position(lower(accents.unaccent('${text}')) in lower(accents.unaccent(title || coalesce(body, '')))) > 0`
        )
        const [own] = await Promise.all([
          select(
            orm,
            `select count(*)::int as n from essay where deleted_at is null and (
            position(lower(accents.unaccent('${text}')) in lower(accents.unaccent(title))) > 0)`
          ),
        ])
        t.equal((await get(`filter[title]=${encodeURIComponent(text)}`)).total, own![0].n, text)
        t.ok(plain)
      }
    })

    t.test('the value is evaluated once, and the function is called with its schema', async (t) => {
      const recorder = await recordStatements(orm)
      await get('filter[title]=x')
      await get('filter[body]=x')
      await get('filter[motto]=x')
      const [one, two, three] = recorder.texts()
      t.match(one, '"accents"."unaccent"("e0"."title") ilike (select coalesce(string_agg(case when token[1]')
      t.match(two, '"accents"."removed"("e0"."body") ilike (select')
      t.notMatch(three, 'unaccent')
      recorder.stop()
    })

    t.test('a text that all records contain does not narrow a bulk change', async (t) => {
      const answer = await app.inject({ method: 'PATCH', url: '/essays?filter[title]=', body: { stars: 5 } })
      t.equal(answer.statusCode, 400)
      t.match(answer.json().code, 'FST_CRUD_FILTER_INVALID')
    })

    t.test('the advice has an index that the database can make', async (t) => {
      const { whitelist } = resource(Essay, {
        allowedFilters: [
          new AllowedFilters('title', 'contains', ['contains', 'ieq'], by),
          new AllowedFilters('body', 'ieq', wrapped),
          fullText('q', ['title', 'body'], { config: 'english', ...by }),
          fullText('own', ['title', 'body'], { config: 'english', ...wrapped }),
        ],
      }).bind(orm.em)
      const advice = (await missingIndexes(orm.em.fork(), [whitelist], new Map())).map(({ sql, uses }) => [sql, uses])
      const wrapper =
        'create or replace function immutable_unaccent(text) returns text language sql immutable strict ' +
        'parallel safe as $$ select "accents".unaccent(\'"accents".unaccent\', $1) $$; '
      const use = (field: string) => [`filter[${field}] with unaccent: 'immutable_unaccent'`]
      const vector = (fn: string) =>
        `create index on "essay" using gin (to_tsvector('english', ${fn}(coalesce("title", ` +
        "'') || ' ' || coalesce(\"body\", ''))))"
      t.strictSame(advice.filter(([sql]) => !String(sql).includes('pg_trgm')), [
        [`${wrapper}create index on "essay" (lower("immutable_unaccent"("title")))`, use('title')],
        ['create index on "essay" (lower("accents"."removed"("body")))', ['filter[body]']],
        [wrapper + vector('"immutable_unaccent"'), use('q')],
        [vector('"accents"."removed"'), ['filter[own]']],
      ])
      for (const [sql] of advice) {
        for (const one of String(sql).split('; ')) if (!/pg_trgm|gin_trgm/.test(one)) await select(orm, one)
      }
      const left = await missingIndexes(orm.em.fork(), [whitelist], new Map())
      t.strictSame(left.filter(({ sql }) => !sql.includes('pg_trgm')), [])
    })

    t.test('methods outside of a server find the function, too', async (t) => {
      const crud = new CrudBase<any>({
        model: Essay,
        queryConfig: { allowedFilters: [new AllowedFilters('title', 'contains', by)] },
      })
      const params = parseQueryParams('filter[title]=cafe')
      t.match(await crud.list(orm.em.fork(), params), { items: [{ id: 3 }] })
      t.strictSame((await (await crud.query(orm.em.fork(), params)).getResultList()).map(({ id }: Json) => id), [3])
      t.equal(await crud.count(orm.em.fork(), params), 1)
    })
  })
}

await forEachDatabase(t, { entities: essayEntities }, async (t, { orm }) => {
  t.test('start-up says what the database does not have', async (t) => {
    const refused = async (filter: any, message: RegExp) => {
      const app = newServer(t)
      await app.register(crudKit, {
        orm,
        resources: { '/essays': { crud: resource(Essay, { allowedFilters: [filter] }), operations: ['list'] } },
      })
      await t.rejects(async () => await app.ready(), { code: 'FST_CRUD_CONFIG_INVALID', message })
    }
    await refused(search('q', ['title'], by),
      /^The resource \/essays: The database does not have .*: create extension unaccent/)
    await refused(new AllowedFilters('title', 'starts', wrapped), /no function "accents"."removed"\(text\)/)
    await refused(fullText('q', ['title'], { config: 'klingon' }), /no text search configuration 'klingon'/)
    const crud = new CrudBase<any>({ model: Essay, queryConfig: { allowedFilters: [search('q', ['title'], by)] } })
    await t.rejects(crud.list(orm.em.fork(), parseQueryParams('filter[q]=x')), { message: /create extension unaccent/ })
  })
})

t.test('options that have no effect are refused', async (t) => {
  t.throws(() => search('q', ['title'], { unaccent: 'no;name' }), {
    message: /unaccent must be true, or the name of a/,
  })
  t.throws(() => fullText('q', ['title'], { config: "en'glish" }), {
    message: /config must be the name of a text search/,
  })
  t.throws(() => fullText('q', ['title'], { propertie: 'a' } as never), { message: /Did you mean 'property'/ })
  t.throws(() => fullText('q', []), { message: /at least one property/ })
  t.throws(() => fullText('q', ['title', 'title']), { message: /'title' is named twice/ })
})
