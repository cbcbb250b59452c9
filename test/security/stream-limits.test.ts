/**
 * Streams of records with too many included records: a batch is read in parts, and a single record that is too large is
 * refused.
 */
import { p, raw } from '@mikro-orm/core'
import http from 'node:http'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { AllowedSort, CrudBase, crudKit, parseQueryParams } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'
import { collect } from '../helpers/collect.ts'

const Maker: any = entity('Maker', { id: p.integer().primary(), story: p.text() })
const Box: any = entity('Box', {
  id: p.integer().primary(), kind: p.string(), items: () => p.oneToMany(Item).mappedBy('box'),
})
const Item: any = entity('Item', {
  id: p.integer().primary(), text: p.text(), box: () => p.manyToOne(Box), maker: () => p.manyToOne(Maker).nullable(),
  parts: () => p.oneToMany(Part).mappedBy('item'),
})
const Part: any = entity('Part', { id: p.integer().primary(), item: () => p.manyToOne(Item) })

const MAX_INCLUDED = 50
const MAX_BYTES = 20_000
const LONG = 5_000
const lists = {
  allowedFilters: ['kind', { id: ['lte', 'eq'] }],
  allowedSorts: [
    'id',
    AllowedSort.custom('size', (qb: any, direction: any) => qb.orderBy({ [raw('length(e0.kind)')]: direction })),
  ],
  allowedIncludes: ['items', 'items.parts', 'items.maker'],
}
const boxes = new CrudBase<any>({
  model: Box,
  queryConfig: whitelist({ ...lists, pagination: { maxIncluded: MAX_INCLUDED, maxBytes: MAX_BYTES } }),
})
const boxesByDefault = new CrudBase<any>({ model: Box, queryConfig: whitelist(lists) })
const TOO_LARGE = 'FST_CRUD_TOO_LARGE'

await forEachDatabase(t, { entities: [Maker, Box, Item, Part] }, async (t, { orm, name }) => {
  const execute = (sql: string) => orm.em.getConnection().execute(sql)
  let lastItem = 0
  /** Boxes with items of a given length, each with parts. */
  const fill = async (
    kind: string,
    from: number,
    to: number,
    { items = 0, text = "'short'", parts = 0, maker = 'null' }
  ) => {
    await execute(`insert into box select i, '${kind}' from generate_series(${from}, ${to}) i`)
    await execute(
      `insert into item select ${lastItem} + (i - ${from}) * ${items} + j, ${text}, i, ${maker} ` +
        `from generate_series(${from}, ${to}) i, generate_series(1, ${items}) j`
    )
    const count = (to - from + 1) * items
    await execute(
      `insert into part select (i * 100) + j, i from generate_series(${lastItem + 1}, ${
        lastItem + count
      }) i, generate_series(1, ${parts}) j`
    )
    lastItem += count
  }
  // the stories of a maker's items are 1.2 GB together, more than a value of PostgreSQL can have
  await execute("insert into maker select 1, repeat('x', 12000000)")
  await fill('small', 1, 100, { items: 10 })
  await fill('long', 101, 130, { items: 1, text: `repeat('x', ${LONG})` })
  await fill('full', 131, 133, { items: MAX_INCLUDED })
  await fill('crowded', 141, 141, { items: MAX_INCLUDED + 1 })
  await fill('deep', 142, 142, { items: 5, parts: 10 })
  await fill('heavy', 143, 143, { items: 5, text: `repeat('x', ${LONG})` })
  await fill('escaped', 144, 144, { items: 1, text: `repeat(chr(1), ${LONG})` })
  await fill('huge', 145, 145, { items: 100, maker: '1' })

  const log = new PassThrough()
  const app = newServer(t, { logger: { level: 'warn', stream: log } })
  await app.register(crudKit, {
    orm: orm as never,
    indexAdvice: false,
    resources: {
      '/boxes': { crud: boxes, operations: ['list', 'get'], stream: true },
      '/default': { crud: boxesByDefault, operations: ['list'], stream: true },
    },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const stream = (query: string, crud = boxes, em = orm.em.fork()) => collect(crud.stream(em, parseQueryParams(query)))
  const refusal = async (url: string) => {
    const response = await app.inject({ url, headers: { accept: 'application/x-ndjson' } })
    return { status: response.statusCode, ...response.json() }
  }

  t.test('a batch that is too large is read in parts, whichever limit it exceeds', async (t) => {
    for (const [query, count, items] of [['filter[kind]=small', 100, 10], ['filter[kind]=long', 30, 1], [
      'filter[kind]=full', 3, MAX_INCLUDED,
    ], ['filter[id]=133', 133, undefined]] as const) {
      for (const sort of ['', '&sort=-id', '&sort=size']) {
        const records = await stream(`${query}${sort}&include=items`)
        const ids = records.map(({ id }) => id)
        t.equal(new Set(ids).size, count, `${query}${sort}`)
        if (sort !== '&sort=size') t.strictSame(ids, ids.toSorted((a, b) => sort === '' ? a - b : b - a))
        if (items !== undefined) t.ok(records.every((record) => record['items'].length === items))
      }
      const inside = await orm.em.fork().transactional((em) => stream(`${query}&include=items`, boxes, em as never))
      t.equal(inside.length, count, 'in a transaction of the caller')
    }
  })

  t.test('batches grow again after one that was too large', async (t) => {
    const recorder = await recordStatements(orm, t)
    await stream('filter[id]=133&include=items')
    // 50 boxes fit into at most ten batches of five, and each of the other boxes needs one
    t.ok(recorder.take().length < 133, 'fewer statements than records')
  })

  t.test('one record that includes too much is a 400 before the first byte', async (t) => {
    t.match(await refusal('/boxes?filter[kind]=crowded&include=items'), {
      status: 400,
      code: TOO_LARGE,
      errors: [{
        source: { parameter: 'include' },
        detail:
          `With the include 'items' a record of the stream would have more than ${MAX_INCLUDED} included records. ` +
          'Ask for fewer includes, or ask for the related records themselves, page by page. ' +
          'A server may limit the related records of each record (the option limit of AllowedInclude).',
      }],
    })
    t.match(await refusal('/boxes?filter[kind]=deep&include=items.parts&sort=size'), {
      status: 400, code: TOO_LARGE, errors: [{ detail: /'items.parts'/ }],
    })
    for (const kind of ['heavy', 'escaped']) {
      t.match(await refusal(`/boxes?filter[kind]=${kind}&include=items`), {
        status: 400,
        code: TOO_LARGE,
        errors: [{
          detail: `A record of the stream would have more than ${MAX_BYTES} bytes. ` +
            'Ask for fewer fields (fields) or fewer includes.',
        }],
      }, kind)
    }
    t.equal((await stream('filter[kind]=crowded')).length, 1, 'it is a record as any other without the include')
    await orm.em.fork().transactional(async (em) => {
      await t.rejects(stream('filter[kind]=crowded&include=items', boxes, em as never), { code: TOO_LARGE })
      t.equal(await boxes.count(em as never, parseQueryParams('filter[kind]=crowded')), 1, 'the transaction goes on')
    })
  })

  t.test('default limits also apply to more than the database could build', async (t) => {
    t.match(await refusal('/default?filter[kind]=huge&include=items.maker'), {
      status: 400, code: TOO_LARGE, errors: [{ detail: /16777216 bytes/ }],
    })
  })

  t.test('an error after the first byte breaks off the answer, and is logged', async (t) => {
    const [response] = await once(
      http.get({ port, path: '/boxes?include=items&sort=id', headers: { accept: 'application/x-ndjson' } }),
      'response'
    ) as [http.IncomingMessage]
    t.equal(response.statusCode, 200)
    let text = ''
    await t.rejects(
      (async () => {
        for await (const chunk of response) text += chunk
      })(),
      { code: 'ECONNRESET' }
    )
    t.match(text, /^\{"id" ?: ?1,/)
    t.notMatch(text, /^\{"id" ?: ?141,/m, 'the record that is too large has not been sent')
    t.match(String(log.read()), TOO_LARGE)
  })

  t.test('nothing stays open', { skip: name === 'pglite' && 'it has one connection' }, async (t) => {
    const sessions = await execute(
      "select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'"
    )
    t.strictSame(sessions, [])
  })
})
