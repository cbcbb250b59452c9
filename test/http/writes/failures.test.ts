import { defineEntity, p } from '@mikro-orm/core'
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'
import pg from 'pg'
import t, { type Test } from 'tap'
import { CrudBase, crudKit, DatabaseFactory, type CrudKitOptions } from '../../../src/index.ts'
import { lacks } from '../../helpers/capabilities.ts'
import { createDatabase, forEachDatabase, skipReasons } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { until } from '../../helpers/until.ts'
import { bodyOf, resource, select, serve, verdict, writes, type Json } from '../helper.ts'

const Owner = defineEntity({
  name: 'Owner', tableName: 'secret_owner',
  properties: { id: p.integer().primary().autoincrement(false), name: p.string() },
})

const Booking = defineEntity({
  name: 'Booking',
  tableName: 'secret_booking',
  properties: {
    id: p.integer().primary().autoincrement(), code: p.string().length(10).fieldName('secret_code').unique().nullable(),
    title: p.text().nullable(), room: p.integer().nullable(), day: p.date().nullable(), seats: p.integer().nullable(),
    note: p.text().nullable(), shadow: p.string().hidden().unique().nullable(),
    owner: () => p.manyToOne(Owner).nullable(),
  },
})

/** Constraints of the database that the entity does not know. */
const RULES = `
  alter table secret_booking add constraint secret_rule check (seats >= 0);
  alter table secret_booking add constraint secret_room_day exclude using btree (room with =, day with =);
  alter table secret_booking alter column title set not null;
  create unique index secret_pair on secret_booking (room, seats);
  create domain secret_domain as varchar(5);
  alter table secret_booking alter column note type secret_domain;
  create table secret_log (title varchar(5));
  create function secret_overflow() returns trigger language plpgsql as $$
    begin
      case new.title
        when 'logged' then insert into secret_log values (new.title);
        when 'overflow' then new.seats := (2147483647::bigint + 1)::int;
        when 'zero' then new.seats := 1 / 0;
        when 'date' then new.day := 'infinity'::date - '2024-01-01'::date;
        when 'badtext' then new.seats := 'secret'::int;
        when 'raise' then raise exception 'secret_message';
        when 'serialize' then raise exception 'secret_message' using errcode = '40001';
        when 'integrity' then raise exception 'secret_message' using errcode = '23000';
        when 'space' then raise exception 'secret_message' using errcode = '53100';
        when 'sleep' then perform pg_sleep(30);
        else null;
      end case;
      return new;
    end $$;
  create trigger secret_trigger before insert or update on secret_booking
  for each row execute function secret_overflow();
  insert into secret_owner (id, name) values (1, 'first'), (2, 'second'), (3, 'kept');
  create table secret_guard (owner_id int not null references secret_owner (id) on delete restrict on update restrict);
  insert into secret_guard values (3);
  insert into secret_booking (title, secret_code, room, day, seats, shadow, owner_id) values ('taken', 'TAKEN', 1,
  '2024-05-01', 7, 'shadow', 1), ('other', 'OTHER', 2, '2024-05-02', 8, null, null);
`

/** Words of the database that no answer may contain. */
const LEAKS = /secret|constraint|select |insert |update |relation "|column|sqlstate|\$1|node_modules/i

const crud = () => resource(Booking)
const resources = (): CrudKitOptions['resources'] => ({
  '/bookings': crud(), '/owners': resource(Owner), '/batch': { crud: crud(), operations: ['createMany'] },
})

/** A server, and the errors that it answers. */
function hearing (): { readonly app: FastifyInstance, readonly errors: any[] } {
  const errors: any[] = []
  const app = Fastify()
  app.addHook('onError', async (_request, _reply, error) => {
    errors.push(error)
  })
  return { app, errors }
}

const INVALID = '400 FST_CRUD_DATA_INVALID'
const CONFLICT = '409 FST_CRUD_CONFLICT'

/** Bodies, the answer, its message, and the SQLSTATE of its cause. Each is sent as a create and as an update. */
const CASES: ReadonlyArray<
  readonly [
    what: string, body: object | undefined, expected: string, message: RegExp, sqlState: string | RegExp,
    request?: `${'POST' | 'DELETE'} ${string}`
  ]
> = [
  ['unique', { title: 'x', code: 'TAKEN' }, `${CONFLICT} /code`, /another record with this value of 'code'/, '23505'],
  [
    'unique, of two columns', { title: 'x', room: 1, seats: 7 }, `${CONFLICT} /room /seats`,
    /these values of 'room' and 'seats'\./, '23505',
  ],
  [
    'unique, in a batch', [{ title: 'x', code: 'FREE' }, { title: 'x', code: 'TAKEN' }], `${CONFLICT} /1/code`,
    /'code'/, '23505', 'POST /batch',
  ],
  [
    'foreign key, absent', { title: 'x', owner: 9 }, `${CONFLICT} /owner`,
    /'owner' refers to a record that does not exist/, '23503',
  ],
  // 23503 before PostgreSQL 18
  [
    'foreign key that restricts, still referred to', undefined, CONFLICT,
    /^A record that others refer to cannot be removed\.$/, /^23(001|503)$/, 'DELETE /owners/3',
  ],
  ['not null', { title: null }, `${INVALID} /title`, /'title' cannot be null/, '23502'],
  ['not null, left out', { code: 'NULL' }, `${INVALID} /title`, /'title' cannot be null/, '23502', 'POST /bookings'],
  ['check', { title: 'x', seats: -1 }, `${INVALID} /seats`, /The value of 'seats' does not satisfy a rule/, '23514'],
  ['exclusion', { title: 'x', room: 1, day: '2024-05-01' }, `${CONFLICT} /room /day`, /overlap/, '23P01'],
  ['too long', { title: 'x', note: 'longer' }, `${INVALID} /note`, /The value of 'note' is too long/, '22001'],
  ['too long for a table of a trigger', { title: 'logged' }, INVALID, /too long/, '22001'],
  ['out of range', { title: 'overflow' }, INVALID, /out of range/, '22003'],
  ['division by zero', { title: 'zero' }, INVALID, /not valid/, '22012'],
  ['not of its type', { title: 'badtext' }, INVALID, /not valid/, '22P02'],
  [
    'serialization failure', { title: 'serialize' }, '503 FST_CRUD_UNAVAILABLE',
    /^Concurrent writes conflict with this request\./, '40001',
  ],
  [
    'integrity, as a trigger of the application says it', { title: 'integrity' }, CONFLICT,
    /conflicts with another record/, '23000',
  ],
  ['disk full', { title: 'space' }, '503 FST_CRUD_UNAVAILABLE', /not available at the moment/, '53100'],
  [
    "an exception of the application's own trigger", { title: 'raise' }, '500 FST_CRUD_DATABASE_ERROR',
    /could not answer/, 'P0001',
  ],
]

await forEachDatabase(
  t,
  { entities: [Owner, Booking], needs: ['exclusionConstraint', 'triggers'] },
  async (t, { orm }) => {
    await select(orm, 'alter table secret_booking drop constraint secret_booking_owner_id_foreign')
    await select(
      orm,
      'alter table secret_booking add constraint secret_booking_owner_id_foreign foreign key (owner_id) references ' +
        'secret_owner (id)'
    )
    for (const statement of RULES.split(/;\n(?= {2}\S|$)/).filter((text) => text.trim() !== '')) {
      await select(orm, statement)
    }
    const app = await serve(t, orm, resources())
    const rows = async () => await select(orm, 'select * from secret_booking order by id')

    for (const [what, payload, expected, message, sqlState, only] of CASES) {
      for (const request of only === undefined ? ['POST /bookings', 'PATCH /bookings/2'] : [only]) {
        t.test(`${what}: ${request}`, async (t) => {
          const before = await rows()
          const { app, errors } = hearing()
          t.teardown(() => app.close())
          await app.register(crudKit, { orm, resources: resources()! })
          const [method, url] = request.split(' ') as ['POST', string]
          const response = await app.inject({ method, url, ...(payload && { payload }) })
          t.equal(verdict(response), expected)
          t.match(bodyOf(response).message, message)
          t.equal(bodyOf(response).detail, bodyOf(response).message)
          t.notMatch(response.body.replaceAll(/cannot be|refers to/g, ''), LEAKS)
          t.equal(response.headers['retry-after'], expected.startsWith('503') ? '1' : undefined)
          t.match(errors, [{ cause: { code: sqlState, message: String } }])
          t.strictSame(Object.keys(bodyOf(response)), ['statusCode', 'code', 'error', 'message', 'detail', 'errors'])
          t.strictSame(await rows(), before)
        })
      }
    }

    t.test('a foreign key refuses to remove a row that is still referred to', async (t) => {
      const { remove } = writes(app)
      const response = await remove('/owners/1')
      t.equal(verdict(response), '409 FST_CRUD_CONFLICT')
      t.notMatch(response.body, LEAKS)
      t.equal((await remove('/owners/2')).statusCode, 200)
    })

    t.test('a conflict points to the properties that bodies may set', async (t) => {
      const crud = new CrudBase<any>({ model: Booking, writable: { create: ['title', 'seats'], update: ['title'] } })
      const app = await serve(t, orm, { '/rooms': { crud, scope: () => ({ room: 1 }) } })
      const response = await writes(app).post('/rooms', { title: 'x', seats: 7 })
      t.equal(verdict(response), '409 FST_CRUD_CONFLICT /seats')
      t.match(response.json().message, "these values of 'room' and 'seats'")
    })

    t.test('a conflict on a hidden property does not name it', async (t) => {
      const shadowed = hooked({ model: Booking, writable: 'all' }, {
        beforeCreate: (data) => ({ ...data, shadow: 'shadow' }),
      })
      const app = await serve(t, orm, { '/shadowed': shadowed })
      const response = await writes(app).post('/shadowed', { title: 'x' })
      t.equal(verdict(response), '409 FST_CRUD_CONFLICT')
      t.equal(response.json().message, 'There is another record with these values.')
      t.notMatch(response.body, /shadow/)
    })

    t.test("inside the caller's transaction, the error is thrown and the rest is rolled back", async (t) => {
      const before = await rows()
      const em = orm.em.fork()
      await t.rejects(
        em.transactional(async (em) => {
          await crud().create(em as any, { title: 'kept?' })
          await crud().create(em as any, { title: 'x', code: 'TAKEN' })
        }),
        { code: 'FST_CRUD_CONFLICT' }
      )
      t.strictSame(await rows(), before)
    })
  }
)

// PGlite is one connection in this process, so statements cannot block each other
t.test('PostgreSQL', {
  skip: skipReasons.postgres || await lacks('exclusionConstraint', 'triggers', 'activityView', 'locksView'),
}, async (t) => {
  const serveOwn = async (
    t: Test,
    pool: { max: number, connectionTimeoutMillis?: number },
    driverOptions: object = {}
  ) => {
    const { url, drop } = await createDatabase()
    const factory = new DatabaseFactory({
      databaseUrl: url, entities: [Owner, Booking], pool, schema: 'create', ormOptions: { driverOptions },
    })
    const { app, errors } = hearing()
    const clients: pg.Client[] = []
    t.teardown(async () => {
      await app.close()
      await Promise.all(clients.map((client) => client.end()))
      await drop()
    })
    const connect = async (): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: url })
      clients.push(client)
      await client.connect()
      return client
    }
    await app.register(crudKit, { database: factory, resources: resources()! })
    await app.ready()
    const admin = await connect()
    await admin.query(RULES)
    return { app, errors, admin, connect, url, database: new URL(url).pathname.slice(1) }
  }

  /** Its connections read the settings of the database when they begin. */
  const END_OTHERS = 'select pg_terminate_backend(pid) from pg_stat_activity ' +
    'where datname = current_database() and pid <> pg_backend_pid()'
  /** Waits until a condition on the server's activity holds. Nothing else shows that a statement is running. */
  const seen = (client: pg.Client, sql: string): Promise<Json> =>
    until(async () => (await client.query(sql)).rows[0], sql)

  const unavailable = (t: Test, response: LightMyRequestResponse, error: any, cause: object): void => {
    t.equal(verdict(response), '503 FST_CRUD_UNAVAILABLE')
    t.equal(response.headers['retry-after'], '1')
    t.notMatch(response.body, LEAKS)
    t.match(error, { cause })
  }

  t.test('a statement that exceeds its timeout writes nothing', async (t) => {
    const { app, errors, admin } = await serveOwn(t, { max: 2 }, { statement_timeout: 2_000 })
    const { post, patch } = writes(app)
    unavailable(t, await post('/bookings', { title: 'sleep' }), errors.pop(), { code: '57014' })
    await admin.query('begin; update secret_booking set seats = 9 where id = 2')
    unavailable(t, await patch('/bookings/2', { seats: 3 }), errors.pop(), { code: '57014' })
    await admin.query('rollback')
    t.equal((await patch('/bookings/2', { seats: 3 })).statusCode, 200)
    t.equal((await admin.query("select 1 from secret_booking where title = 'sleep'")).rowCount, 0)
  })

  t.test('a connection cut in the middle of a write fails the write, and the next request succeeds', async (t) => {
    const { app, errors, admin } = await serveOwn(t, { max: 2 })
    const { post } = writes(app)
    const sent = post('/bookings', { title: 'sleep' })
    const { pid } = await seen(admin,
      "select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()")
    await admin.query('select pg_terminate_backend($1)', [pid])
    unavailable(t, await sent, errors.pop(), { message: /terminat/ })
    t.equal((await admin.query("select 1 from secret_booking where title = 'sleep'")).rowCount, 0)
    t.equal((await post('/bookings', { title: 'after' })).statusCode, 201)
  })

  t.test('a pool without a free connection answers 503', async (t) => {
    const { app, errors, admin } = await serveOwn(t, { max: 1, connectionTimeoutMillis: 3_000 })
    const { post } = writes(app)
    await admin.query('begin; lock table secret_owner in access exclusive mode')
    const waiting = post('/owners', { id: 5, name: 'waits' })
    await seen(admin, "select 1 from pg_locks where not granted and relation = 'secret_owner'::regclass")
    unavailable(t, await post('/bookings', { title: 'no room' }), errors.pop(), { message: /timeout exceeded/ })
    await admin.query('rollback')
    t.equal((await waiting).statusCode, 201)
  })

  t.test('a server with too many connections answers 503', { skip: await lacks('createRole') }, async (t) => {
    const { url, drop } = await createDatabase()
    const name = new URL(url).pathname.slice(1)
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    await admin.query(`create role ${name} login password 'x'`)
    const databaseUrl = new URL(url)
    databaseUrl.username = name
    databaseUrl.password = 'x'
    await admin.query(`grant all on schema public to ${name}; grant all on database ${name} to ${name}`)
    const { app, errors } = hearing()
    t.teardown(async () => {
      await app.close()
      await admin.query(`drop owned by ${name}; drop role ${name}`)
      await admin.end()
      await drop()
    })
    await app.register(crudKit, {
      database: { databaseUrl: databaseUrl.href, entities: [Owner, Booking], pool: { max: 2 }, schema: 'create' },
      resources: resources()!,
    })
    await app.ready()
    await admin.query(`alter database ${name} connection limit 0`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name])
    await seen(admin, `select 1 where not exists (select 1 from pg_stat_activity where usename = '${name}')`)
    // an idle connection may not know it yet
    await app.inject('/owners/1')
    errors.length = 0
    unavailable(t, await writes(app).post('/owners', { id: 1, name: 'x' }), errors.pop(), { code: '53300' })
    await admin.query(`alter database ${name} connection limit -1`)
    t.equal((await writes(app).post('/owners', { id: 1, name: 'x' })).statusCode, 201)
  })

  t.test('a serialization failure against another transaction is reported', async (t) => {
    const { app, errors, admin, database } = await serveOwn(t, { max: 2 })
    await admin.query(`alter database ${database} set default_transaction_isolation = 'repeatable read'`)
    await admin.query(END_OTHERS)
    const { patch, get } = writes(app)
    await get('/bookings/2')
    await admin.query('begin; update secret_booking set seats = 9 where id = 2')
    const sent = patch('/bookings/2', { seats: 3 })
    await seen(admin, "select 1 from pg_locks where not granted and locktype = 'transactionid'")
    errors.length = 0
    await admin.query('commit')
    t.equal((await sent).json().seats, 3, 'it was tried again')
    t.strictSame(errors, [])
    t.equal((await get('/bookings/2')).json().seats, 3)
  })

  t.test('a deadlock is reported', { skip: await lacks('setDeadlockTimeout') }, async (t) => {
    const { app, errors, admin, connect, database } = await serveOwn(t, { max: 2 })
    await admin.query(`alter database ${database} set deadlock_timeout = '20ms'`)
    await admin.query(END_OTHERS)
    // the request locks its booking, waits until the test holds the owner, and then requests the owner
    await admin.query(`
      create function secret_touch() returns trigger language plpgsql as $$
        begin
          perform pg_advisory_xact_lock(1);
          update secret_owner set name = 'touched' where id = 1;
          return new;
        end $$;
      create trigger secret_touch after update on secret_booking for each row execute function secret_touch()`)
    const { patch, get } = writes(app)
    await get('/bookings/2')
    const rival = await connect()
    await rival.query("set deadlock_timeout = '1h'")
    await admin.query('select pg_advisory_lock(1)')
    await rival.query('begin')
    await rival.query("update secret_owner set name = 'mine' where id = 1")
    const sent = patch('/bookings/2', { note: 'x' })
    await seen(admin, "select 1 from pg_locks where not granted and locktype = 'advisory'")
    const rivals = rival.query('delete from secret_booking where id = 2')
    await seen(admin, "select 1 from pg_locks where not granted and locktype = 'transactionid'")
    errors.length = 0
    await admin.query('select pg_advisory_unlock(1)')
    // the server chose to undo the request
    t.equal((await rivals).rowCount, 1)
    await rival.query('rollback')
    t.equal((await sent).json().note, 'x', 'it was tried again')
    t.strictSame(errors, [])
  })
})
