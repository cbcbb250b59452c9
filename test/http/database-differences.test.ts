/** The warning at start-up about differences between the entities and the database. */
import { p } from '@mikro-orm/core'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { CrudBase, crudKit, type CrudKitOptions } from '../../src/index.ts'
import { entities as exampleEntities } from '../../example/entities/index.ts'
import { entities as fixtures } from '../fixtures/entities.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { keptLog } from '../helpers/log.ts'
import { newServer } from '../helpers/server.ts'
import { entity } from '../helpers/entity.ts'

/** A server, and the lines of its log from `warn` on. */
async function started (t: Test, options: CrudKitOptions): Promise<{ app: FastifyInstance, lines: readonly any[] }> {
  const log = keptLog()
  const app = newServer(t, { logger: { level: 'warn', stream: log.stream } })
  await app.register(crudKit, { indexAdvice: false, ...options } as CrudKitOptions)
  await app.ready()
  const { lines } = log
  log.clear()
  return { app, lines }
}

const crudOf = (model: any, options: object = {}): CrudBase<any> =>
  new CrudBase<any>({ model, writable: 'all', queryConfig: {}, ...options })

await forEachDatabase(t, { entities: fixtures }, async (t, { orm }) => {
  t.test('tables that MikroORM has made of every type do not differ', async (t) => {
    t.strictSame((await started(t, { orm })).lines, [])
  })
})

await forEachDatabase(t, { entities: exampleEntities }, async (t, { orm }) => {
  t.test('the tables of the example do not differ', async (t) => {
    t.strictSame((await started(t, { orm })).lines, [])
  })
})

const City = entity('City', { zip: p.string(), name: p.string() }, { embeddable: true })
const Order = entity('Order', {
  id: p.integer().primary(), state: p.string(), price: p.decimal(), city: () => p.embedded(City), tags: p.array(),
  paid: p.boolean(), due: p.date(), data: p.json(), parent: () => p.manyToOne(Order).nullable(),
  lines: () => p.manyToMany(Order), computed: p.string().persist(false).nullable(),
}, { schema: 'Old "shop"', tableName: 'T_ORDER' })
const Code = entity('Code', {
  id: p.integer().primary(), short: p.string(), numbers: p.array().columnType('int[]'), kind: p.string(),
  many: p.array().columnType('text[]'), version: p.integer().version(), point: p.string().columnType('point'),
  total: p.integer().generated('length(short) stored'), size: p.decimal(), at: p.datetime(),
  folded: p.string().columnType('citext'),
})
const CodeView = entity('CodeView', { id: p.integer().primary(), short: p.string() }, {
  view: true,
  expression: 'select id, short from code',
})
const odd = `
  create schema "Old ""shop""";
  create domain positive as int check (value > 0);
  create domain small_positive as positive check (value < 100);
  create domain words as text[];
  create type kind as enum ('a', 'b');
  create table "Old ""shop"""."T_ORDER" (
    id uuid primary key, state int, price varchar(20), city_name text, tags text, paid boolean, due timestamptz,
    data uuid[], parent_id uuid
  );
  create table code (
    id small_positive primary key, short varchar(9), numbers small_positive[], kind kind, many words, version smallint,
    point point, total int generated always as (length(short)) stored, size double precision, at timestamp, folded text
  ) partition by range (id);
  create table code_1 partition of code for values from (1) to (10);
  create view code_view as select id, short from code;
`

await forEachDatabase(t, { entities: [Order, City, Code, CodeView], tables: odd }, async (t, { orm }) => {
  t.test('one warning names missing tables, missing columns and types that do not fit', async (t) => {
    const { lines } = await started(t, { orm })
    t.equal(lines.length, 1)
    const [{ level, msg, differences }] = lines
    t.equal(level, 40)
    const [tables, columns, types, ...more] = msg.split('\n')
    t.strictSame(more, [])
    t.match(tables, 'The database has no table "Old ""shop"""."T_ORDER_lines" of ')
    t.match(columns, 'The database has no column "Old ""shop"""."T_ORDER"."city_zip" of Order.city.zip: requests for')
    t.match(types, '"Old ""shop"""."T_ORDER"."id" is uuid, and Order.id is integer')
    t.strictSame(
      differences.filter(({ kind }: any) => kind === 'type').map(({ property, stored }: any) => [property, stored]),
      [
        ['Order.id', 'uuid'], ['Order.state', 'integer'], ['Order.price', 'character varying(20)'],
        ['Order.tags', 'text'], ['Order.due', 'timestamp with time zone'], ['Order.data', 'uuid[]'],
        ['Order.parent', 'uuid'],
      ],
      'domains, enums, partitioned tables, views and generated columns of Code and CodeView fit'
    )
  })
})

const Entry = entity('Entry', { id: p.integer().primary(), text: p.string(), owner: p.integer() })
const Heard = entity('Heard', { id: p.integer().primary(), text: p.string() }, {
  hooks: { beforeDelete: [() => {}], beforeUpdate: [() => {}] },
})
/** Records whose declared key is the key of the table, or a part of it that is unique as well. */
const Fine = entity('Fine', { id: p.integer().primary(), code: p.string().primary(), text: p.string() })
const Loose = entity('Loose', { id: p.integer().primary(), text: p.string() })
const Ruled = entity('Ruled', { id: p.integer().primary(), text: p.string() })
const keys = `
  create table entry (id int, text varchar(255), owner int, unique (id, owner));
  create unique index on entry (id) where id > 100;
  create unique index on entry ((id + 1)) where id > 100;
  create table fine (id int unique, code varchar(255), text varchar(255));
  create table heard (id int, text varchar(255));
  create view loose as select id, text from entry;
  create view ruled as select id, text from fine;
  create rule away as on delete to ruled do instead delete from fine where id = old.id returning fine.id, fine.text;
  insert into entry values (1, 'a', 1), (1, 'b', 2), (2, 'c', 1);
  insert into heard values (1, 'a'), (1, 'b');
  insert into fine values (1, 'x', 'one');
`

await forEachDatabase(t, { entities: [Entry, Heard, Fine, Loose, Ruled], tables: keys }, async (t, { orm }) => {
  const rows = async () => await orm.em.fork().execute('select id, text from entry order by id, text')

  t.test('a key that is not unique is named, and no write changes several rows', async (t) => {
    const entries = crudOf(Entry)
    // the same statements, before it is known that keys repeat
    await entries.update(orm.em.fork(), 2, { text: 'c' })
    await entries.delete(orm.em.fork(), 3).catch((error: Error) => t.match(error, { code: 'FST_CRUD_NOT_FOUND' }))
    const { app, lines } = await started(t, {
      orm,
      resources: {
        '/entries': entries, '/heard': crudOf(Heard), '/owned': { crud: crudOf(Entry), scope: () => ({ owner: 1 }) },
        '/fine': crudOf(Fine), '/loose': crudOf(Loose), '/ruled': crudOf(Ruled),
      },
    })
    t.strictSame(
      lines.map(({ differences }) => differences),
      [[
        { kind: 'key', entity: 'Heard', table: '"heard"', columns: ['id'] },
        { kind: 'key', entity: 'Entry', table: '"entry"', columns: ['id'] },
      ]]
    )
    t.match(lines[0].msg,
      'No unique index covers the key of an entity, so that several rows may have one key: "id" of ')
    const send = async (method: 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const answer = await app.inject({ method, url, ...payload && { payload } })
      return [answer.statusCode, answer.json().text ?? answer.json().code, answer.json().message]
    }
    const refused = [409, 'FST_CRUD_CONFLICT', 'Several records have this key.']
    const before = await rows()
    t.strictSame(await send('DELETE', '/entries/1'), refused)
    t.strictSame(await send('PATCH', '/entries/1', { text: 'z' }), refused)
    t.strictSame(await send('DELETE', '/loose/1'), refused, 'a view tells nothing about its keys')
    t.strictSame(await send('DELETE', '/heard/1'), refused)
    t.strictSame(await send('PATCH', '/heard/1', { text: 'z' }), refused)
    t.strictSame(await rows(), before)
    t.match(await send('PATCH', '/entries/2', { text: 'z' }), [200, 'z'])
    t.match(await send('PATCH', '/owned/1', { text: 'y' }), [200, 'y'], 'one row in the scope')
    t.match(await send('DELETE', '/owned/1'), [200, 'y'])
    t.match(await send('DELETE', '/entries/1'), [200, 'b'])
    t.match(await send('DELETE', '/entries/1'), [404, 'FST_CRUD_NOT_FOUND'])
    t.match(await send('DELETE', '/loose/2'), [200, 'z'])
    t.match(await send('PATCH', '/fine/1/x', { text: 'two' }), [200, 'two'])
    t.match(await send('DELETE', '/ruled/1'), [200, 'two'])
  })
})

const Part = entity('Part', {
  id: p.integer().primary(), serial: p.string().unique(), maker: p.integer(), code: p.string(), lot: p.integer(),
}, { uniques: [{ properties: ['maker', 'code'] }, { properties: ['maker', 'lot'] }] })
const parts = `
  create table part (
    id int generated by default as identity primary key, serial varchar(255), maker int, code varchar(255), lot int,
    unique (code, maker), unique (maker)
  );
  create unique index on part (serial) where maker > 0;
`

await forEachDatabase(t, { entities: [Part], tables: parts }, async (t, { orm }) => {
  t.test('a key of upserts without a unique index is named, where upserts are offered', async (t) => {
    const crud = crudOf(Part, { upsertKeys: ['serial', ['maker', 'code'], ['maker', 'lot']] })
    const { app, lines } = await started(t, {
      orm,
      resources: {
        '/parts': { crud, operations: ['list', 'upsert'] },
        '/others': { crud, operations: ['list', 'create'] },
      },
    })
    const [{ msg, differences }, ...more] = lines
    t.strictSame(more, [])
    const found = { kind: 'upsertKey', entity: 'Part', table: '"part"', prefix: '/parts' }
    t.strictSame(differences, [
      { ...found, key: 'serial', columns: ['serial'] },
      { ...found, key: 'maker,lot', columns: ['maker', 'lot'] },
    ])
    t.match(msg,
      'No unique index has exactly the columns of a key in "upsertKeys", so that upserts with it get a 500: ')
    t.match(msg, 'on=serial of /parts ("serial" in "part"), on=maker,lot of /parts ("maker", "lot" in "part")')
    const payload = { serial: 'a', maker: 1, code: 'x', lot: 1 }
    const statuses: number[] = []
    for (const on of ['serial', 'maker,code', 'maker,lot']) {
      statuses.push((await app.inject({ method: 'PUT', url: `/parts?on=${on}`, payload })).statusCode)
    }
    t.strictSame(statuses, [500, 201, 500])
  })
})

const Stats = entity('Stats', { id: p.integer().primary() }, {
  view: { materialized: true },
  expression: 'select 1 as id',
})
const Audit = entity('Audit', { id: p.integer().primary(), text: p.string() })
const Summary = entity('Summary', { id: p.integer().primary(), text: p.string() })
const Guarded = entity('Guarded', { id: p.integer().primary(), text: p.string() })
const changes = `
  create table audit (id int primary key, text varchar(255));
  create rule kept as on update to audit do instead nothing;
  create rule noted as on delete to audit do also notify noted;
  create view summary as select id, max(text) as text from audit group by id;
  create view guarded as select id, max(text) as text from audit group by id;
  create function change () returns trigger language plpgsql as 'begin return new; end';
  create trigger changed instead of update on guarded for each row execute function change();
  create materialized view stats as select id from audit with no data;
  insert into audit values (1, 'a');
`

await forEachDatabase(t, { entities: [Stats, Audit, Summary, Guarded], tables: changes }, async (t, { orm }) => {
  const resources = {
    '/stats': { crud: crudOf(Stats), operations: ['list', 'get'] },
    '/audit': crudOf(Audit),
    '/summary': crudOf(Summary),
    '/guarded': { crud: crudOf(Guarded), operations: ['list', 'get', 'update'] },
  } as const

  t.test('operations that a table or view refuses are named', async (t) => {
    const { app, lines } = await started(t, { orm, resources })
    t.equal(lines.length, 1)
    t.strictSame(
      lines[0].differences.filter(({ kind }: any) => kind === 'operations')
        .map(({ prefix, refused, possible }: any) => [prefix, refused, possible]),
      [['/audit', ['update'], ['list', 'get', 'create', 'delete']], ['/summary', ['create', 'update', 'delete'], [
        'list',
        'get',
      ]]]
    )
    t.match(lines[0].msg, 'The database refuses \'update\' of /audit, because "audit" has a rule without returning')
    t.match(lines[0].msg, "Write operations: ['list', 'get', 'create', 'delete']")
    for (const url of ['/audit/1', '/summary/1']) {
      t.equal((await app.inject({ method: 'PATCH', url, payload: { text: 'b' } })).statusCode, 500, url)
    }
    t.equal((await app.inject({ method: 'PATCH', url: '/guarded/1', payload: { text: 'b' } })).statusCode, 200)
    t.equal((await app.inject({ method: 'DELETE', url: '/audit/1' })).statusCode, 200)
    await orm.em.fork().execute("insert into audit values (1, 'a')")
  })

  t.test('a materialized view that was never filled is unavailable', async (t) => {
    const { app, lines } = await started(t, { orm, resources })
    t.match(lines[0].msg, 'A materialized view has no rows yet, so that requests for it get a 503: "stats" of Stats')
    for (const url of ['/stats', '/stats/1']) {
      const answer = await app.inject(url)
      t.match([answer.statusCode, answer.json().code, answer.headers['retry-after']], [
        503, 'FST_CRUD_UNAVAILABLE', String,
      ])
    }
    await orm.em.fork().execute('refresh materialized view stats')
    t.match((await app.inject('/stats')).json().items, [{ id: 1 }])
    t.notMatch((await started(t, { orm, resources })).lines[0].msg, /materialized view/)
  })
})
