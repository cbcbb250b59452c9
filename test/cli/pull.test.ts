/** `pull`: published schemas become entities and resources that start, answer their rows, and need no advice. */
import type { EntitySchema } from '@mikro-orm/core'
import Fastify from 'fastify'
import fs from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { crudKit, type CrudKitOptions } from '../../plugins/crud-kit.ts'
import { filesFor } from '../../src/cli/pull/pull.ts'
import { readDatabase } from '../../src/cli/pull/read-database.ts'
import { IdempotencyRecord } from '../../src/index.ts'
import { runCommand } from '../helpers/command-line.ts'
import { forOneDatabase, newDatabases } from '../helpers/databases.ts'
import { readDocument } from '../helpers/document.ts'
import { fillDatabase, loadPulled } from '../helpers/pulled.ts'
import { PUBLISHED } from '../helpers/published.ts'
import { writes, type Exchange } from '../http/helper.ts'

/** What the program says about the published schemas. */
const SAID: readonly string[] = [
  '90 files written, 0 kept that differ, 0 unchanged.',
  'Left out: Odd Schema.dot.ted, because MikroORM takes what is before a dot for the schema.',
  'Left out: pagila.payment_2022, because the rows of a partition are in the table that it belongs to.',
  "Odd Schema.friend has only keys: it is 'Map_by_friend' of MapEntity.",
  "northwind.customer_customer_demo has only keys: it is 'customer_demographics' of Customers and 'customers' of " +
  'CustomerDemographics.',
  "public.map_genre has only keys: it is 'genre' of MapEntity and 'Map' of Genre.",
  "public.playlist_track has only keys: it is 'track' of Playlist and 'playlist' of Track.",
  'Odd Schema.host: The reference id to Odd Schema.visit is left out: its key would be a part of itself.',
  'Odd Schema.own_key: The reference id to Odd Schema.own_key is left out: its key would be a part of itself.',
  'Odd Schema.twofold: The reference thing to Odd Schema.Über Größen is left out: another relation has its column.',
  "northwind.order_totals: Its key is what the view groups by. A row in which 'order_id' is null would have no key: " +
  'leave such rows out of the view.',
  "northwind.us_states: The database has no key for it, so that 'state_id' is a guess: it must tell rows apart. " +
  'Correct it if it does not.',
  "pagila.ratings: Its key is what the view groups by. A row in which 'rating' is null would have no key: leave such " +
  'rows out of the view.',
  "pagila.staff: 'password' is hidden, because its name looks like a secret.",
  "person.Password: 'PasswordHash' is hidden, because its name looks like a secret.",
  "person.Password: 'PasswordSalt' is hidden, because its name looks like a secret.",
  "public.customer: 'password_hash' is hidden, because its name looks like a secret.",
  "public.customer: 'api_token' is hidden, because its name looks like a secret.",
]

/** Requests to the pulled resources, and their answers. */
const ANSWERS: readonly Exchange[] = [
  ['GET /customer?include=support_rep', {
    items: [{ email: 'luis@example.org', support_rep: { first_name: 'Nancy', reports_to: 1 } }],
  }],
  ['GET /customer?filter[password_hash]=x', '400 FST_CRUD_FILTER_INVALID filter[password_hash]'],
  ['GET /customer?fields=api_token', '400 FST_CRUD_FIELD_INVALID fields'],
  ['GET /playlist?include=track', { items: [{ track: [{ name: 'Overdose' }] }] }],
  ['GET /film?filter[rating]=PG-13&sort=-title&include=film_actor,language', {
    items: [{
      rating: 'PG-13', earlier: ['G', 'PG-13'], demand: 'low', search: 'academy dinosaur', short: 'ACA', status: 'new',
      film_actor: [{ actor: 1, film: 1 }], language: { name: /^English/ }, original_language: null,
    }],
  }],
  ['POST /film', { title: 'ACE', language: 1, status: "it's" }, { short: 'ACE' }],
  ['POST /film', { title: 'ACE', language: 1, status: 'gone' }, '400 FST_ERR_VALIDATION /status'],
  ['GET /film_actor/1/1', { actor: 1, film: 1 }],
  ['GET /payment/2022-01-24/1', { amount: '2.99' }],
  ['POST /staff', { staff_id: 2, store: 1 }, '201'],
  ['GET /us_states', { items: [{ state_id: 1, state_name: 'Alabama' }] }],
  ['POST /us_states', {}, '404'],
  ['POST /Password', { BusinessEntity: 1 }, '404'],
  ['GET /Password?include=BusinessEntity', { items: [{ BusinessEntity: { FirstName: 'Ken' } }] }],
  ['GET /Person?include=Password', { items: [{ Password: { BusinessEntity: 1 } }] }],
  ['GET /contract?include=seller,buyer,account_code', {
    items: [{ tenant: 1, seller: { code: 'A' }, buyer: { code: 'B' }, account_code: { code: 'A' } }],
  }],
  ['POST /contract', { tenant: 1, seller_id: 8, seller: { tenant: 1, id: 8 } }, { seller_id: 8, buyer: null }],
  ['GET /contract_line/1/1', { span: '[1,5)', address: '10.0.0.1' }],
  ['POST /products', { product_id: 12, product_name: 'x', discontinued: 0, sizes: [3] }, { tags: [], sizes: [3] }],
  ['GET /products?filter[tags][contains]=dairy', { total: 1 }],
  ['GET /Uber-Grossen?filter[a_b][isnull]=true', { items: [{ The_Id: 1, a_b_2: 'x', größe: 2, it_s: "it's" }] }],
  ['GET /class?filter[mood][in]=%22a,b%22&include=class,class_by_parent', {
    items: [{ class: { select: 3 }, class_by_parent: [{ id: 1 }] }],
  }],
  ['POST /class', { id: 2, mood: "it's" }, '201'],
  ['PATCH /Seen-Things/1', { A_or_B: 'y' }, { Its_Key: 1, A_or_B: 'y', twice_it: 4 }],
  ['PATCH /Seen-Things/1', { twice_it: 6 }, '400 FST_ERR_VALIDATION /twice_it'],
  ['PATCH /own_key/1', { note: 'b' }, { id: 1, note: 'b' }],
  ['GET /visit?include=id', { items: [{ id: { id: 1 } }] }],
  ['GET /twofold?include=thing', { items: [{ thing: { id: 1, mood: 'a,b' } }] }],
  // a domain of an enum type
  ["GET /odd_types?filter[temper][in]=it's", { total: 0 }],
  ['PATCH /odd_types/1', { temper: "it's", hundreds: '300', deleted_at: '2026-01-01' }, {
    temper: "it's", hundreds: '300', deleted_at: '2026-01-01',
  }],
  ['DELETE /odd_types/1', '200'],
  ['GET /Map?include=Map_by_friend', { items: [{ Map_by_friend: [{}] }] }],
]

const RESTRICTED = `
  create table unseen (id integer primary key);
  create table seen (id integer primary key);
  create table half (id integer primary key, name text, salary integer);
  create schema hotel;
  create table hotel.booking (day date, slot integer, version integer not null default 1, primary key (day, slot));
  create table hotel.guest (
    id integer primary key, day date not null, slot integer not null, name text, version text,
    foreign key (day, slot) references hotel.booking
  );
  create index on hotel.guest (day, slot);
  create table hotel.page (
    id integer primary key, name text, version smallint not null default 1, unique (name, version)
  );
  create view hotel.guests_by_day as select day, count(*) as guests, min(slot) as first_id, name from hotel.guest
    group by day, name order by 2;
  create materialized view hotel.slots as select distinct on (day) slot, day from hotel.guest order by day, slot;
  create view hotel.names as select name as "the name", count(*) from hotel.guest group by name;
  create view hotel.sums as select day, slot, count(*) from hotel.guest group by rollup (day, slot);
  create view hotel.sums_of_groups as select day, slot, sum(rows) from
    (select day, slot, count(*) as rows from hotel.guest group by day, slot) s group by rollup (day, slot);
  create view hotel.twice as select day, generate_series(1, 2) from (select day from hotel.guest) s group by day;
  create view hotel.totals as select s.day, t.slot from (select day from hotel.guest group by day) s, hotel.booking t;
`

async function start (t: Test, databaseUrl: string, folder: string) {
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => logged.push(line) } } })
  t.teardown(() => app.close())
  const entities = await loadPulled(folder, 'entities') as EntitySchema[]
  const resources = await loadPulled(folder, 'resources') as NonNullable<CrudKitOptions['resources']>
  await app.register(crudKit, { database: { databaseUrl, entities }, resources })
  await app.listen({ port: 0 })
  const get = async (url: string) => {
    const answer = await app.inject(url)
    return { status: answer.statusCode, body: answer.json() }
  }
  return { app, get, logged, entities, resources }
}

// on one database, since pulled-types.test.ts compares the files of both
for (const { name, skip, open } of newDatabases.filter(({ name }) => name === 'postgres')) {
  t.test(name, { skip }, async (t) => {
    const { url, close } = await open()
    t.teardown(close)
    await fillDatabase(url, PUBLISHED)
    const folder = t.testdir({ 'package.json': '{ "type": "commonjs" }' })
    const pull = async (...args: string[]) => await runCommand(['pull', ...args], folder, { DATABASE_URL: url })
    const first = await pull('--out', 'db')
    t.match(first, { code: 0, err: '' })
    const lines = first.out.split('\n').filter((line) => !line.startsWith('new '))
    t.strictSame(lines.slice(0, lines.indexOf('')), SAID)
    t.match(first.out, 'entities/infer-entity-entity.ts', 'the file imports a type of this name')
    const serving = readDocument('docs/start/command-line.md').block('ts server.ts')
    t.ok(first.out.includes(serving), 'the program that serves them')

    t.match(first.out, /^ {2}npm pkg set type=module\n {2}npm install fastify-crud-kit fastify@5 /m)

    await t.test('a second pull writes only what is new, and shows how edited files differ', async (t) => {
      // as Git on Windows checks it out
      const film = path.join(folder, 'db/entities/film.ts')
      fs.writeFileSync(film, fs.readFileSync(film, 'utf8').replaceAll('\n', '\r\n'))
      const again = await pull('--out', 'db')
      t.match(again.out, /^0 files written, 0 kept that differ, 90 unchanged\.$/m)
      t.match(again.out, /package\.json needs "type": "module", .*: npm pkg set type=module\n$/)
      fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
      t.notMatch(again.out, 'server.ts')
      const file = path.join(folder, 'db/resources/genre.ts')
      const text = fs.readFileSync(file, 'utf8')
      const edited = text.replace("Sort('genre_id', 'name')", "Sort('name')")
      t.not(edited, text)
      fs.writeFileSync(file, edited)
      fs.rmSync(path.join(folder, 'db/entities/genre.ts'))
      const { out } = await pull('--out', 'db')
      t.match(out, 'new db/entities/genre.ts\nkept db/resources/genre.ts, which pull would write in another way:')
      t.match(
        out,
        "\n-     allowedSorts: [new AllowedSort('name')],\n+     allowedSorts: [new AllowedSort('genre_id', 'name')],\n"
      )
      t.match(out, /^1 files written, 1 kept that differ, 88 unchanged\.$/m)
      t.equal(fs.readFileSync(file, 'utf8'), edited)
    })

    await t.test('options select tables, and print the files instead of writing them', async (t) => {
      const { out } = await pull('--print', '--schema', 'northwind', '--take', 'order*', '--take', '*.customers')
      t.strictSame([...out.matchAll(/^\/\/ (entities\/.*)$/gm)].map(([, file]) => file),
        ['customers', 'order-details', 'order-totals', 'orders', 'index'].map((file) => `entities/${file}.ts`))
      t.match(out, 'product_id: p.smallint().primary(),', 'a reference to a table that is not taken is a column')
      const spaced = await pull('--schema', 'northwind', '--take', 'orders', '--out', 'my db')
      t.match(spaced.out, " node 'my db/server.ts', and open ")
      const nothing = await pull('--schema', 'nothwind')
      t.match(nothing, {
        code: 1, out: '', err: /^The database has no table or view in the schema nothwind that .*\n$/,
      })
    })

    await t.test('the files start a server', async (t) => {
      const { app, get, logged, resources } = await start(t, url, path.join(folder, 'db'))
      for (const prefix of Object.keys(resources)) {
        const { status, body } = await get(prefix)
        if (status !== 200 || body.total === 0) t.fail(prefix, { body })
      }
      await writes(app).check(t, ANSWERS)
      const warnings = logged.map((line) => JSON.parse(line) as { readonly msg: string })
      t.match(warnings, [{ differences: [{ kind: 'key', entity: 'UsStates', columns: ['state_id'] }] }])
      t.equal(warnings.length, 1, 'the key that is a guess is the only warning')
    })
  })
}

forOneDatabase(t, { entities: [IdempotencyRecord], tables: RESTRICTED }, async (t, { orm }) => {
  await t.test('keys of grouped views, versions, and parts of references', async (t) => {
    const all = { schemas: ['hotel'], take: [] }
    const { files, notes } = filesFor(await orm.em.fork().transactional((em) => readDatabase(em, all)), all)
    const text = (name: string) => files.find(({ path }) => path === name)!.text
    const keyOf = (name: string) =>
      [...text(`entities/${name}.ts`).matchAll(/^ {4}(\w+): .*\.primary\(\)/gm)].map(([, property]) => property)
    t.strictSame(keyOf('guests-by-day'), ['day', 'name'])
    t.strictSame(keyOf('slots'), ['day'])
    t.strictSame(keyOf('names'), ['the_name'])
    const guess = "The database has no key for it, so that 'day' is a guess: it must tell rows apart. Correct it if " +
      'it does not.'
    const groups = (columns: string) => `Its key is what the view groups by. A row in which ${columns} is null would ` +
      'have no key: leave such rows out of the view.'
    t.strictSame(notes, [
      "hotel.booking: 'version' counts the changes of a row. Remove .version() if your application writes it.",
      `hotel.guests_by_day: ${groups("'day' or 'name'")}`,
      `hotel.names: ${groups("'the_name'")}`,
      `hotel.slots: ${groups("'day'")}`,
      `hotel.sums: ${guess}`,
      `hotel.sums_of_groups: ${guess}`,
      `hotel.totals: ${guess}`,
      `hotel.twice: ${guess}`,
    ])
    t.match(text('entities/booking.ts'), "version: p.integer().defaultRaw('1').version(),")
    t.notMatch(text('resources/booking.ts'), /writable: .*version/)
    t.match(text('entities/guest.ts'), 'version: p.text().nullable(),')
    // a version that tells rows apart is a number that clients give
    t.notMatch(text('entities/page.ts'), '.version()')
    t.match(text('resources/page.ts'), /writable: .*version/)
    t.match(text('resources/guest.ts'), "new AllowedFilters('booking.day', 'eq', ['eq', 'in'])")
    t.notMatch(text('resources/guest.ts'), 'booking.slot')
  })

  await t.test('what a role may not do, its files leave out', async (t) => {
    const em = orm.em.fork()
    await em.begin()
    await em.execute('create role pull_reader')
    await em.execute('grant usage on schema public to pull_reader')
    await em.execute('grant select on seen to pull_reader')
    await em.execute('grant select (id, name), insert, update on half to pull_reader')
    await em.execute('set local role pull_reader')
    const all = { schemas: ['public'], take: [] }
    const facts = await readDatabase(em, all)
    await em.rollback()
    const { files, notes } = filesFor(facts, all)
    const text = (name: string) => files.find(({ path }) => path === name)!.text
    const refused = 'because this role needs GRANT SELECT, and GRANT USAGE on the schema.'
    t.strictSame(notes, [
      `Left out: public.unseen, ${refused}`,
      "public.half: The column 'salary' is left out: this role may not read it.",
    ])
    const skipped = [...'abcdefg'].map((name) => ({ schema: 'public', name, reason: facts.skipped[0]!.reason }))
    t.throws(() => filesFor({ relations: [], skipped }, all), {
      message: `public.a, public.b, public.c, public.d, public.e and 2 more, ${refused} Check the URL`,
    })
    t.match(text('entities/seen.ts'), '  readonly: true,')
    t.notMatch(text('resources/seen.ts'), 'writable')
    t.match(text('resources/half.ts'), "operations: ['list', 'get', 'update'] as const")
    t.match(text('resources/half.ts'), "'create' is left out: this role may not read all columns.")
    t.notMatch(text('entities/half.ts'), /salary: /)
  })
})
