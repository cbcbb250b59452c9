/** Entities declared in every way, on tables that were not made for this package: the page about existing databases. */
import { p } from '@mikro-orm/postgresql'
import fs from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { AllowedFilters } from '../../src/index.ts'
import { missingIndexes } from '../../src/advice/missing-indexes.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { readDocument } from '../helpers/document.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, select, serve, type Json } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const page = readDocument('docs/start/existing-database.md')
const ways = readDocument('docs/concepts/declaring-entities.md')
const blocks = {
  defineEntity: ways.block('ts define-entity.ts'),
  EntitySchema: ways.block('ts entity-schema.ts'),
  'decorators, standard': ways.block('ts es-decorators.ts'),
  'decorators, legacy': ways.block('ts es-decorators.ts').replace('/decorators/es', '/decorators/legacy'),
  view: page.block('ts view.ts'),
}

// the legacy decorators import it for a provider that is not used here; it is not among our dependencies
registerHooks({
  resolve: (name, context, next) =>
    name === 'reflect-metadata' ? { url: 'data:text/javascript,', shortCircuit: true } : next(name, context),
})

/** A code block of the page as the module that a build would make of it. */
async function load (name: string, code: string, folder: string): Promise<Record<string, any>> {
  const { outputText } = ts.transpileModule(code, {
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, experimentalDecorators: name.endsWith('legacy'),
      useDefineForClassFields: !name.endsWith('legacy'),
    },
  })
  const file = path.join(folder, `${name.replaceAll(/\W/g, '-')}.mjs`)
  fs.writeFileSync(file, outputText)
  return await import(pathToFileURL(file).href)
}

const folder = t.testdir({})
fs.symlinkSync(path.resolve(import.meta.dirname, '../../node_modules'), path.join(folder, 'node_modules'))
const modules = new Map<string, Record<string, any>>()
for (const [name, code] of Object.entries(blocks)) modules.set(name, await load(name, code, folder))
const { AuthorStats } = modules.get('view')!

/** Keys of all tables start with the tenant, which foreign keys share. */
const Order = entity('Order', {
  tenant: p.integer().primary().fieldName('F_TENANT'),
  id: p.integer().primary().fieldName('F_ID'),
  state: p.text().fieldName('F_STATE'),
  lines: () => p.oneToMany(Line).mappedBy('order'),
}, { tableName: 'T_ORDER' })
const Line = entity('Line', {
  tenant: p.integer().primary().fieldName('F_TENANT'),
  id: p.integer().primary().fieldName('F_ID'),
  sku: p.text().fieldName('F_SKU'),
  order: () => p.manyToOne(Order).joinColumns('F_TENANT', 'F_ORDER').nullable(),
}, { tableName: 'T_LINE' })
const OpenOrder = entity('OpenOrder', { tenant: p.integer().primary(), id: p.integer().primary(), state: p.text() }, {
  tableName: 'open_order',
})
const Product = entity('Product', {
  id: p.integer().primary().autoincrement(false),
  code: p.string().length(10).unique(),
  stocks: () => p.oneToMany(Stock).mappedBy('product'),
})
const Stock = entity('Stock', {
  id: p.bigint('string').primary().autoincrement(),
  host: p.string().columnType('inet').nullable(),
  product: () => p.manyToOne(Product).targetKey('code').fieldName('product').nullable(),
})
const Member = entity('Member', { id: p.integer().primary(), isGone: p.boolean().hidden().default(false) }, {
  filters: { present: { name: 'present', cond: { isGone: false }, default: true } },
})
/**
 * A type that refuses null itself, even if the column allows it. The table has more such columns than the entity maps.
 */
const Rating = entity('Rating', {
  id: p.integer().primary().autoincrement(), text: p.text(), stars: p.string().columnType('stars').default('***'),
})
const Remark = entity('Remark', {
  id: p.integer().primary().autoincrement(), text: p.text(),
  about: () => p.manyToOne([Product, Member] as never).nullable(),
})

const tables = `
  create table author (id serial primary key, name text not null);
  create table book (id serial primary key, title text not null, author_id integer not null references author);
  create view author_stats as ${AuthorStats.meta.expression};
  create table "T_ORDER" ("F_TENANT" int, "F_ID" int, "F_STATE" text not null, primary key ("F_TENANT", "F_ID"));
  create table "T_LINE" (
    "F_TENANT" int, "F_ID" int, "F_ORDER" int, "F_SKU" text not null, primary key ("F_TENANT", "F_ID"),
    foreign key ("F_TENANT", "F_ORDER") references "T_ORDER"
  );
  create view open_order as select "F_TENANT" as tenant, "F_ID" as id, "F_STATE" as state from "T_ORDER"
  where "F_STATE" = 'open' with check option;
  create table product (id int primary key, code varchar(10) not null unique);
  create table stock (id bigint generated always as identity primary key, host inet,
  product varchar(10) references product (code));
  create table member (id int primary key, is_gone boolean not null default false);
  create domain stars as text not null check (value ~ '^\\*{1,5}$');
  create domain amount as int check (value is not null and value > 0);
  create table rating (id serial primary key, text text not null, stars stars default '***',
  unmapped stars default '*', amount amount default 1);
  create table remark (id serial primary key, text text not null, about_type varchar(10), about_id text);
  insert into "T_ORDER" values (1, 5, 'open'), (2, 5, 'open');
  insert into "T_LINE" values (1, 1, 5, 'A'), (1, 2, null, 'B');
  insert into product values (1, 'X'), (2, 'Y');
  insert into stock (host, product) values ('10.0.0.1', 'X');
  insert into member values (1, default), (2, true);
`

const authors = [...modules].flatMap(([, { Author, Book }]) => Author === undefined ? [] : [Author, Book])
const entities = [...authors, AuthorStats, Order, Line, OpenOrder, Product, Stock, Member, Rating, Remark]

const database = { entities, tables, orm: { discovery: { checkDuplicateTableNames: false } } as never }

await forEachDatabase(t, database, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/orders': resource(Order, { allowedIncludes: ['lines'] }),
    '/lines': resource(Line, { allowedIncludes: ['order'], allowedFilters: ['order.state'] }),
    '/open-orders': resource(OpenOrder),
    '/products': resource(Product, { allowedIncludes: ['stocks'], allowedFilters: ['stocks.id'] }),
    '/stocks': resource(Stock, { allowedIncludes: ['product'], allowedFilters: ['product', { host: ['isnull'] }] }),
    '/members': resource(Member),
    '/ratings': { crud: resource(Rating), operations: ['createMany'] },
    '/remarks': resource(Remark),
  })
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object
  ): Promise<[status: number, body: Json]> => {
    const response = await app.inject({ method, url, ...(payload && { payload }) })
    return [response.statusCode, response.json()]
  }

  for (const [name, { Author, Book }] of modules) {
    if (Author === undefined) continue
    t.test(`entities declared with ${name} are resources`, async (t) => {
      const app = await serve(t, orm, {
        '/authors': resource(Author, { allowedIncludes: ['books'], allowedFilters: ['books.title'] }),
        '/books': resource(Book, { allowedIncludes: ['author'], allowedSorts: ['author.name'] }),
      })
      const recorder = await recordStatements(orm, t)
      const ada = (await app.inject({ method: 'POST', url: '/authors', payload: { name } })).json()
      t.match(ada, { id: Number, name })
      const title = `by ${name}`
      const book = (await app.inject({ method: 'POST', url: '/books', payload: { title, author: ada.id } })).json()
      t.match(book, { id: Number, title, author: ada.id })
      t.equal(recorder.take().length, 2, 'a Collection in the class does not need the unit of work')
      const { get } = client(app, '/authors')
      t.match((await get(`include=books&filter[books.title]=${encodeURIComponent(title)}`)).items, [{
        id: ada.id, name, books: [book],
      }])
      t.match(
        (await client(app, '/books').get('include=author&sort=-author.name')).items.find(({ id }: Json) =>
          id === book.id
        ),
        { title, author: ada }
      )
      t.equal(
        (await app.inject({ method: 'PATCH', url: `/books/${book.id}`, payload: { title: 'changed' } })).json().title,
        'changed'
      )
      t.equal((await app.inject({ method: 'DELETE', url: `/books/${book.id}` })).statusCode, 200)
    })
  }

  t.test('a column shared by a key and a foreign key is written once', async (t) => {
    const order = { tenant: 1, id: 5 }
    t.strictSame(await send('POST', '/lines', { tenant: 1, id: 3, sku: 'C', order }), [201, {
      tenant: 1, id: 3, sku: 'C', order,
    }])
    const sentence = "'tenant' of 'order' must have the same value as 'tenant', because both are stored in one column."
    t.match(await send('POST', '/lines', { tenant: 1, id: 4, sku: 'D', order: { tenant: 2, id: 5 } }), [400, {
      code: 'FST_ERR_VALIDATION', message: sentence, errors: [{ source: { pointer: '/order' } }],
    }])
    t.match(await send('POST', '/lines', { order: { tenant: 2, id: 5 }, sku: 'D', id: 4, tenant: 1 }), [400, {
      message: sentence,
    }], 'in whatever order')
    t.match(await send('PATCH', '/lines/1/2', { order: { tenant: 2, id: 5 } }), [400, {
      errors: [{
        source: { pointer: '/order' },
        detail: "'order' shares a column with the record's key, which cannot be changed.",
      }],
    }])
    t.match(await send('PATCH', '/lines/1/2', { order, tenant: 1 }), [200, { order }])
    t.match(
      (await client(app, '/lines').get('include=order&filter[order.state]=open')).items.map((
        { id, order }: Json
      ) => [id, order]),
      [[1, { ...order, state: 'open' }], [2, { ...order, state: 'open' }], [3, { ...order, state: 'open' }]]
    )
    t.match(await send('PATCH', '/lines/1/2', { order: null }), [200, { tenant: 1, id: 2, order: null }])
    t.strictSame(await select(orm, 'select "F_TENANT" as tenant, "F_ORDER" as order from "T_LINE" where "F_ID" = 2'), [
      { tenant: 1, order: null },
    ])
    t.match(await send('GET', '/orders/1/5?include=lines'), [200, { lines: [{ id: 1 }, { id: 3 }] }])
    t.match(await send('GET', '/orders/2/5?include=lines'), [200, { lines: [] }])
  })

  t.test('a scope on a shared column also applies to the relation', async (t) => {
    const scoped = await serve(t, orm, { '/lines': { crud: resource(Line), scope: () => ({ tenant: 1 }) } })
    const create = async (payload: object) =>
      (await scoped.inject({ method: 'POST', url: '/lines', payload })).statusCode
    t.equal(await create({ id: 10, sku: 'S', tenant: 2, order: { tenant: 2, id: 5 } }), 403)
    t.equal(await create({ id: 10, sku: 'S', tenant: 1, order: { tenant: 2, id: 5 } }), 403)
    t.equal(
      (await scoped.inject({ method: 'PATCH', url: '/lines/1/1', payload: { order: { tenant: 2, id: 5 } } }))
        .statusCode,
      400
    )
    t.equal((await select(orm, 'select 1 from "T_LINE" where "F_TENANT" <> 1')).length, 0)
  })

  t.test('a foreign key may refer to a unique column that is not the primary key', async (t) => {
    t.match(await send('POST', '/stocks', { product: 'Y' }), [201, { id: /^\d+$/, product: 'Y' }])
    t.match(await send('POST', '/stocks', { product: 'Z' }), [409, { errors: [{ source: { pointer: '/product' } }] }])
    t.match((await client(app, '/stocks').get('filter[product]=X&include=product')).items, [
      { host: '10.0.0.1', product: { id: 1, code: 'X' } },
    ])
    t.match((await client(app, '/products').get('include=stocks&filter[stocks.id]=1')).items, [{
      id: 1, code: 'X', stocks: [{ id: '1', product: 'X' }],
    }])
  })

  t.test('a column of an unknown type is text, and may be tested for null', async (t) => {
    t.match((await client(app, '/stocks').get('filter[host][isnull]=false')).items, [{ host: '10.0.0.1' }])
    await t.rejects(serve(t, orm, { '/stocks': resource(Stock, { allowedFilters: ['host'] }) }), {
      code: 'FST_CRUD_CONFIG_INVALID',
    })
  })

  t.test('a batch uses the default of a column whose type refuses null', async (t) => {
    const ratings = async (...records: object[]): Promise<[status: number, stars: unknown]> => {
      const [status, body] = await send('POST', '/ratings', records)
      return [status, Array.isArray(body) ? body.map(({ stars }) => stars) : body.code]
    }
    const recorder = await recordStatements(orm, t)
    t.strictSame(await ratings({ text: 'a' }, { text: 'b' }), [201, ['***', '***']])
    t.match(recorder.take(), [{ sql: /json_populate_recordset/ }], 'as one value')
    t.strictSame(await select(orm, 'select distinct unmapped, amount from rating'), [{ unmapped: '*', amount: 1 }],
      'by the defaults of the table')
    t.strictSame(await ratings({ text: 'a', stars: '*' }, { text: 'b', stars: '**' }, { text: 'c' }), [201, [
      '*', '**', '***',
    ]])
    t.strictSame(await ratings({ text: 'a', stars: '*' }, { text: 'b', stars: 'none' }), [400, 'FST_CRUD_DATA_INVALID'])
  })

  t.test('another deletion marker is a filter that is on by default', async (t) => {
    t.strictSame((await client(app, '/members').get()).items, [{ id: 1 }])
    t.equal((await send('GET', '/members/2'))[0], 404)
  })

  t.test('a relation to rows of several tables is left out', async (t) => {
    t.match(await send('POST', '/remarks', { text: 'hello' }), [201, { id: 1, text: 'hello' }])
    t.strictSame((await client(app, '/remarks').get()).items, [{ id: 1, text: 'hello' }])
  })

  t.test('a view is read like a table, and has no write routes', async (t) => {
    const stats = resource(AuthorStats, { allowedFilters: [{ books: ['gte'] }], allowedSorts: ['name'] })
    const app = await serve(t, orm, { '/stats': stats })
    const { items } = await client(app, '/stats').get('filter[books]=0&sort=name')
    t.match(items.map(({ name }: Json) => name), [...modules.keys()].filter((name) => name !== 'view').sort())
    t.strictSame((await app.inject(`/stats/${items[0].id}`)).json(), items[0])
    for (const [method, url] of [
      ['POST', '/stats'], ['PATCH', '/stats/1'], ['PUT', '/stats/1'], ['DELETE', '/stats/1'],
      ['POST', '/stats/1/restore'],
    ] as const) {
      t.equal((await app.inject({ method, url, ...(method !== 'DELETE' && { payload: {} }) })).statusCode, 404,
        `${method} ${url}`)
    }
    const em = orm.em.fork()
    const refused = { code: 'FST_CRUD_CONFIG_INVALID', message: 'AuthorStats is read-only: it is a view.' }
    await t.rejects(stats.create(em, { name: 'x' }), refused)
    await t.rejects(stats.createMany(em, [{ name: 'x' }]), refused)
    await t.rejects(stats.update(em, 1, { name: 'x' }), refused)
    await t.rejects(stats.delete(em, 1), refused)
    await t.rejects(stats.restore(em, 1), refused)
  })

  t.test('a write operation on a view stops start-up, with the reason', async (t) => {
    for (const operation of ['create', 'createMany', 'update', 'delete', 'restore'] as const) {
      await t.rejects(serve(t, orm, { '/stats': { crud: resource(AuthorStats), operations: ['list', operation] } }), {
        code: 'FST_CRUD_CONFIG_INVALID',
        message: `The resource /stats: '${operation}' needs an entity that is written, ` +
          'and AuthorStats is read-only: it is a view.',
      })
    }
  })

  t.test('index advice skips a view and covers the tables beside it', async (t) => {
    const em = orm.em.fork()
    const whitelistOf = (entity: unknown, name: string) =>
      resource(entity, { allowedFilters: [AllowedFilters.exact(name)] }).bind(em).whitelist
    const whitelists = [whitelistOf(AuthorStats, 'name'), whitelistOf(OpenOrder, 'state'), whitelistOf(Line, 'sku')]
    const missing = await missingIndexes(em, whitelists, new Map())
    t.strictSame(missing.map(({ sql }) => sql), ['create index on "T_LINE" ("F_SKU")'])
  })

  t.test('an updatable view has all routes', async (t) => {
    t.match(await send('POST', '/open-orders', { tenant: 3, id: 1, state: 'open' }), [201, { id: 1 }])
    t.match(await send('PATCH', '/open-orders/3/1', { state: 'paid' }), [400, { code: 'FST_CRUD_DATA_INVALID' }])
    t.match(await send('DELETE', '/open-orders/3/1'), [200, { state: 'open' }])
  })
})
