/** Full text: words in several properties, and sorts by relevance. */
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { missingIndexes } from '../../src/advice/index.ts'
import { AllowedFilters, AllowedSort, crudKit, parseQueryParams } from '../../src/index.ts'
import { Essay, essayEntities, seedEssays, Writer } from '../fixtures/essays.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, select, serve, writes, type Json } from './helper.ts'

const { fullText } = AllowedFilters
const english = { config: 'english' }

const essays = resource(Essay, {
  allowedFilters: [
    fullText('q', ['title', 'body'], english),
    fullText('plain', ['title', 'motto']),
    fullText('any', ['title', 'body', 'motto', 'writer.name'], { ...english, alias: 'all' }),
    fullText('opt', ['body'], english).ignore(''),
    { stars: ['eq', 'gte'] },
    AllowedFilters.trashed(),
  ],
  allowedSorts: ['title', 'stars'], allowedIncludes: ['writer'], allowedFacets: ['stars'],
})
const byDefault = resource(Essay, {
  allowedFilters: [fullText('q', ['title', 'body'], english)],
  defaultSort: ['-q', 'title'],
})
const lenient = resource(Essay, {
  allowedFilters: [fullText('q', ['title', 'body'], english)], defaultSort: ['title'], ignoreInvalidErrors: true,
})

await forEachDatabase(t, { entities: essayEntities, seed: seedEssays }, async (t, { orm }) => {
  const options = { query: true, operations: ['list'], stream: true } as const
  const app = await serve(t, orm, {
    '/essays': { crud: essays, ...options },
    '/by-default': { crud: byDefault, ...options },
    '/lenient': { crud: lenient, ...options },
  })
  const { all, get, details } = client(app, '/essays')
  const ids = async (query: string) => await all('id', query)

  t.test('records have all words of a text, in any form', async (t) => {
    const expected: Record<string, readonly number[]> = {
      'filter[q]=garden': [1, 2, 4], 'filter[q]=gardens running': [1, 2], 'filter[q]="running a garden"': [1],
      'filter[q]=river or ranking': [2, 4], 'filter[q]=garden -river': [1, 4], 'filter[q]=-garden': [3, 5, 6],
      'filter[q]=silence': [5], 'filter[q]=removed': [], 'filter[q]=removed&filter[trashed]=with': [7],
      'filter[plain]=nothing runs': [5], 'filter[plain]=run': [], 'filter[plain]=the': [2], 'filter[all]=ada': [1, 3],
      'filter[all]=ada culture': [3], 'filter[all]=gone': [], 'filter[all]=nothing silence': [5],
      'filter[q]=garden&filter[stars][gte]=1': [2], 'filter[or][0][q]=ranking&filter[or][1][stars]=2': [3, 4, 6],
      'filter[not][q]=garden': [3, 5, 6], 'filter[not][all]=ada': [2, 4, 5, 6],
      // no word at all
      'filter[q]=': [], 'filter[q]=the and of': [], 'filter[q]=  ': [], 'filter[opt]=': [1, 2, 3, 4, 5, 6],
    }
    for (const [query, rows] of Object.entries(expected)) {
      t.strictSame((await ids(query.replaceAll(' ', '%20'))).sort(), rows, query)
    }
    t.strictSame((await client(app, '/essays').get('filter[all]=garden')).total, 4)
  })

  t.test('a stored column is used, and else the expression of an index', async (t) => {
    const recorder = await recordStatements(orm)
    const sqlOf = async (query: string) => {
      await get(query)
      return recorder.texts().join()
    }
    t.match(await sqlOf('filter[q]=x'), '"e0"."words" @@ websearch_to_tsquery(\'english\', $1)')
    t.match(
      await sqlOf('filter[plain]=x'),
      'to_tsvector(\'simple\', coalesce("e0"."title", \'\') || \' \' || coalesce("e0"."motto", \'\')) @@ ' +
        "websearch_to_tsquery('simple', $1)"
    )
    t.match(
      await sqlOf('filter[all]=x&sort=-all'),
      'from "essay" as "e0" left join "writer" as "e3" on "e0"."writer_id" = "e3"."id" and "e3"."deleted_at" is null ' +
        'where "e0"."id" in (select "e1"."id" from "essay" as "e1" left join "writer"'
    )
    recorder.stop()
  })

  t.test('a text with more words than PostgreSQL searches is refused, and not called a large answer', async (t) => {
    const crud = resource(Essay, { allowedFilters: [fullText('q', ['title', 'body'], english)] })
    const app = await serve(t, orm, { '/essays': { crud, operations: ['list', 'create', 'createMany', 'update'] } })
    const { post, patch } = writes(app)
    const body = Array.from({ length: 150_000 }, (_, index) => index.toString(36)).join(' ')
    const answers = [
      await post('/essays', { title: 'All words', body }), await post('/essays', [{ title: 'All words', body }]),
      await patch('/essays/1', { body }),
    ]
    for (const answer of answers) {
      t.match(answer.json(), { code: 'FST_CRUD_DATA_INVALID', detail: 'A text is too long for a search by its words.' })
    }
    t.strictSame(await client(app, '/essays').all('id', 'filter[q]=words'), [], 'nothing is written')
  })

  t.test('the best matches come first, and cursors, streams and bodies follow', async (t) => {
    const rank = async (condition: string, vector: string, config: string, order = 'desc') =>
      (await select(
        orm,
        `
        select e.id from essay e left join writer w on w.id = e.writer_id and w.deleted_at is null
        where e.deleted_at is null and ${vector} @@ websearch_to_tsquery('${config}', '${condition}')
        order by ts_rank(${vector}, websearch_to_tsquery('${config}', '${condition}')) ${order}, e.id`
      )).map(({ id }) => id)
    const vectors = {
      q: ['words', 'english'],
      plain: ["to_tsvector('simple', coalesce(title, '') || ' ' || coalesce(motto, ''))", 'simple'],
      all: [
        "to_tsvector('english', coalesce(title, '') || ' ' || coalesce(body, '') || ' ' || coalesce(motto, '') || " +
        "' ' || coalesce(w.name, ''))",
        'english',
      ],
    } as const
    for (const [name, [vector, config]] of Object.entries(vectors)) {
      for (const text of ['garden', 'garden or runs', 'a or the or runs or index']) {
        const filter = `filter[${name}]=${encodeURIComponent(text)}`
        const best = await rank(text, vector, config)
        t.strictSame(await ids(`${filter}&sort=-${name}`), best, `${filter}, best first`)
        t.strictSame(await ids(`${filter}&sort=${name}`), await rank(text, vector, config, 'asc'), `${filter}, asc`)
        t.strictSame(await ids(`${filter}&sort=-${name}&include=writer`), best, `${filter}, with an include`)
        t.strictSame(await ids(`${filter}&sort=-${name}&page=1&per_page=50`), best, `${filter}, again`)
        const found: number[] = []
        let [cursor, before]: (string | null)[] = ['', null]
        for (let page = 0; cursor !== null && page < 9; page++) {
          const answer: Json = await get(`${filter}&sort=-${name}&per_page=1&cursor=${cursor}`)
          found.push(...answer.items.map(({ id }: Json) => id))
          if (page === 1) before = answer.prev_cursor
          cursor = answer.next_cursor
        }
        t.strictSame(found, best, `${filter}, page by page`)
        if (before !== null) {
          t.strictSame(await ids(`${filter}&sort=-${name}&per_page=1&cursor=${before}`), best.slice(0, 1), 'back')
        }
        const lines = await app.inject({
          url: `/essays?${filter}&sort=-${name}`,
          headers: { accept: 'application/x-ndjson' },
        })
        t.strictSame(lines.body.trim().split('\n').map((line) => JSON.parse(line).id), best, `${filter}, as a stream`)
        const body = { filter: { and: [{ [name]: text }] }, sort: [`-${name}`] }
        const answer = await app.inject({ method: 'POST', url: '/essays/query', body })
        t.strictSame(answer.json().items?.map(({ id }: Json) => id), best, `${filter}, in a body`)
      }
    }
    const facets = await get('filter[q]=garden&sort=-q&facets=stars')
    t.strictSame(facets.facets.stars.map(({ value, count }: Json) => [value, count]), [[0, 2], [1, 1]])
    // both texts count
    t.strictSame(await ids('filter[and][0][q]=garden&filter[and][1][q]=runs&sort=-q'), [1, 2])
    t.strictSame(await ids('filter[q]=garden&sort=stars,-q'), [1, 4, 2])
  })

  t.test('a sort by relevance needs its filter', async (t) => {
    const needs = "The sort 'q' is by relevance, so it needs filter[q] beside it, outside of 'or' and 'not'."
    for (const query of [
      'sort=-q', 'sort=q', 'filter[plain]=x&sort=-q', 'filter[or][0][q]=x&filter[or][1][stars]=2&sort=-q',
      'filter[not][q]=x&sort=-q',
    ]) t.strictSame(await details(query), [needs], query)
    t.match(await client(app, '/essays').refused('sort=-q'), {
      code: 'FST_CRUD_SORT_INVALID',
      errors: [{ source: { parameter: 'sort' } }],
    })
    t.match(await details('sort=-stars,-opt'), [/'opt' is by relevance/])
    t.match(await details('filter[q]=%00&sort=-q'), [/without NUL/], 'only the filter is wrong')
    t.match(await details(`filter[q]=${'a'.repeat(257)}&sort=-q`), [/at most 256 characters/])
    t.strictSame(await ids('filter[opt]=&sort=-opt'), [1, 2, 3, 4, 5, 6], 'an ignored value has no relevance')
    t.match(await details('filter[q][eq]=x'), [/takes no operator/])
    t.match(await details('filter[q]=x&sort=-q,q'), [/more than once/])
    t.strictSame(await client(app, '/lenient').all('id', 'sort=-q'), [3, 6, 4, 1, 5, 2])
  })

  t.test('the default order is by relevance beside the filter', async (t) => {
    const defaults = client(app, '/by-default')
    t.strictSame(await defaults.all('id', 'filter[q]=garden or river'.replaceAll(' ', '%20')), [2, 1, 4])
    t.strictSame(await defaults.all('id'), [3, 6, 4, 1, 5, 2])
    const first = await defaults.get('filter[q]=garden&per_page=1&cursor=')
    t.strictSame(await defaults.all('id', `filter[q]=garden&per_page=9&cursor=${first.next_cursor}`), [4, 2])
    t.match(await defaults.refused(`per_page=9&cursor=${first.next_cursor}`), { code: 'FST_CRUD_PAGINATION_INVALID' })
  })

  t.test('roles search what they see, as if the rest were not there', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, {
      orm,
      resources: { '/essays': { crud: essays, operations: ['list'] } },
      access: {
        role: ({ headers }) => headers['role'] as string,
        roles: {
          reader: { Essay: { hidden: ['body'] }, Writer: { rows: { id: { $ne: 1 } } } },
          blind: { Essay: { hidden: ['title', 'body', 'motto'] } },
        },
      },
    })
    await app.ready()
    const idsFor = async (role: string, query: string) => {
      const answer = await app.inject({ url: `/essays?${query}`, headers: { role } })
      return answer.statusCode === 200 ? answer.json().items.map(({ id }: Json) => id) : answer.json().errors[0].detail
    }
    t.strictSame(await idsFor('reader', 'filter[q]=garden&sort=-q'), [1], 'the stored words are those of the body, too')
    t.strictSame(await idsFor('reader', 'filter[all]=ada'), [])
    t.strictSame(await idsFor('reader', 'filter[all]=n%C3%BA%C3%B1ez&sort=-all'), [2, 6])
    t.match(await idsFor('reader', 'filter[opt]=x'), /'opt' is not allowed/)
    t.match(await idsFor('blind', 'filter[all]=x'), /'all' is not allowed/)
    t.match(await idsFor('blind', 'sort=-q'), /The sort 'q' is not allowed/)
  })

  t.test('start-up refuses what is not text, and lists the index that is missing', async (t) => {
    const refused = (options: Parameters<typeof fullText>, message: RegExp | string) =>
      t.throws(() => resource(Essay, { allowedFilters: [fullText(...options)] }).bind(orm.em), { message })
    refused(['q', ['stars']], /'stars' is of type integer, and only text can be searched/)
    refused(['q', ['writer']], /'writer' is not a property with text/)
    refused(['q', ['titel']], /Did you mean 'title'/)
    refused(['q', ['note']], /'note' of Essay is hidden/)
    refused(['note', ['title']], /'note' of Essay is hidden/)
    refused(['q', ['title'], { property: 'title' }], /Essay has no property 'title' of type tsvector. It has 'words'/)
    refused(['q', ['writer.name'], { property: 'words' }], /'writer' is another record/)
    t.throws(() => resource(Writer, { allowedFilters: [fullText('q', ['essays.title'])] }).bind(orm.em), {
      message: "AllowedFilters.fullText 'q': 'essays.title' goes through the to-many relation 'essays'. Full text is " +
        'about one record and those of its to-one relations; AllowedFilters.search also searches lists of related ' +
        'records.',
    })
    t.throws(
      () =>
        resource(Essay, {
          allowedFilters: [fullText('q', ['title'])],
          allowedSorts: [new AllowedSort('stars', { alias: 'q' })],
        }).bind(orm.em),
      { message: /two entries are 'q' in the URL/ }
    )
    const adviceFor = async (...filters: Array<ReturnType<typeof fullText>>) => {
      const { whitelist } = resource(Essay, { allowedFilters: filters }).bind(orm.em)
      return (await missingIndexes(orm.em.fork(), [whitelist], new Map())).map(({ sql }) => sql)
    }
    t.strictSame(
      await adviceFor(fullText('q', ['title', 'body'], english), fullText('plain', ['title', 'motto']),
        fullText('w', ['writer.name'])),
      [
        'create index on "essay" using gin ("words")',
        "create index on \"essay\" using gin (to_tsvector('simple', coalesce(\"title\", '') || ' ' || " +
        'coalesce("motto", \'\')))',
      ]
    )
    const [advised] = await adviceFor(fullText('plain', ['title', 'motto']))
    await orm.em.fork().execute(advised!)
    t.strictSame(await adviceFor(fullText('plain', ['title', 'motto'])), [], 'the index has the expression')
    await orm.em.fork().execute('set enable_seqscan = off')
    const explain = await orm.em.fork().execute(
      "explain select id from essay e0 where to_tsvector('simple', coalesce(\"e0\".\"title\", '') || ' ' || " +
        "coalesce(\"e0\".\"motto\", '')) @@ websearch_to_tsquery('simple', 'x')"
    )
    await orm.em.fork().execute('set enable_seqscan = on')
    t.match(JSON.stringify(explain), /Bitmap Index Scan/)
  })

  t.test('any text is a question', async (t) => {
    const texts = [
      '"', '""', '\\', "'", "'; drop table essay; --", '-', '--', 'or', 'OR or', '- or "', ':*', '&|!()<->', '😀',
      'a\\"b', '__proto__', 'constructor', '%', '_', '\u0001', '\n', '<->'.repeat(16), '-'.repeat(16), 'ß', 'ﬁ',
      '"a or "b', 'x'.repeat(256), '日本語', '\u202e',
    ]
    for (const text of texts) {
      const filter = `filter[q]=${encodeURIComponent(text)}&filter[all]=${encodeURIComponent(text)}`
      const answer = await app.inject(`/essays?${filter}&sort=-q,-all`)
      t.equal(answer.statusCode, 200, text)
    }
    for (const long of ['a'.repeat(8_200), '-x '.repeat(17), '-'.repeat(256), '- ('.repeat(20)]) {
      t.equal((await app.inject(`/essays?filter[q]=${encodeURIComponent(long)}`)).statusCode, 400, long)
    }
    t.match(await details(`filter[q]=${'-x%20'.repeat(17)}`), [/leaves out at most 16 words by '-'; this one 17/])
  })

  t.test('random texts find and order what PostgreSQL does, page by page', async (t) => {
    const words = [
      'garden', 'gardens', 'river', 'run', 'running', 'the', 'or', 'Ada', 'nothing', 'postgres', 'café', '5x',
    ]
    const signs = [
      '"', '-', ' ', '  ', '(', ')', '&', '|', '!', ':', '*', "'", '\\', '%', '<->', '\n', ',', '.', '/', '@',
    ]
    const text = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, fc.constantFrom(...signs)), {
      minLength: 1,
      maxLength: 12,
    }).map((parts) => parts.join('')).filter((text) => (text.match(/-/g)?.length ?? 0) <= 16)
    const vector = "to_tsvector('english', coalesce(title, '') || ' ' || coalesce(body, '') || ' ' || " +
      "coalesce(motto, '') || ' ' || coalesce(w.name, ''))"
    await assertProperty(
      fc.asyncProperty(text, fc.constantFrom('', '-'), async (text, sign) => {
        const rows = await orm.em.fork().execute(
          `select e.id from essay e left join writer w on w.id = e.writer_id and w.deleted_at is null,
          websearch_to_tsquery('english', ?) as q where e.deleted_at is null and ${vector} @@ q
          order by ts_rank(${vector}, q) ${sign === '-' ? 'desc' : 'asc'}, e.id`,
          [text]
        )
        const query = `filter[all]=${encodeURIComponent(text)}&sort=${sign}all&per_page=2&cursor=`
        const found: number[] = []
        for (let cursor: string | null = ''; cursor !== null;) {
          const page: Json = await get(query + cursor)
          found.push(...page.items.map(({ id }: Json) => id))
          cursor = page.next_cursor
        }
        assert.deepEqual(found, rows.map(({ id }: Json) => id), query)
      }),
      { numRuns: 60 }
    )
    t.pass()
  })

  t.test('the query builder has the condition and the order', async (t) => {
    for (const name of ['q', 'plain', 'all']) {
      const query = `filter[${name}]=garden&sort=-${name}`
      const qb = await essays.query(orm.em.fork(), parseQueryParams(query))
      t.strictSame((await qb.getResultList()).map(({ id }: Json) => id), await ids(query), query)
    }
  })
})
