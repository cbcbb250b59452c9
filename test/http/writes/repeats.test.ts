/** Writes that a concurrent write undid are tried again, without running their hooks again. */
import { defineEntity, p } from '@mikro-orm/core'
import pg from 'pg'
import t from 'tap'
import { CrudBase, primaryKey, softDelete, withTransaction, type CrudRecord } from '../../../src/index.ts'
import { forEachDatabase, forPostgres } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { column, select, serve, verdict, writes } from '../helper.ts'

const Label = defineEntity({ name: 'Label', tableName: 'label', properties: { ...primaryKey, name: p.string() } })
const Job = defineEntity({
  name: 'Job',
  tableName: 'job',
  properties: { ...primaryKey, ...softDelete, name: p.string().unique(), labels: () => p.manyToMany(Label).owner() },
})
/** Fails as often as `refusals` has attempts left. Sequences also advance in transactions that are rolled back. */
const TRIGGER = [
  'create sequence attempts',
  'create table refusals (code text, times int)',
  `create function refuse() returns trigger language plpgsql as $$
    declare refusal refusals;
    begin
      select * into refusal from refusals;
      if found and nextval('attempts') <= refusal.times then raise exception 'secret'
      using errcode = refusal.code; end if;
      return coalesce(new, old);
    end $$`,
  'create trigger refuse after insert or update or delete on job for each row execute function refuse()',
]

await forEachDatabase(t, { entities: [Label, Job], needs: ['triggers'] }, async (t, { orm }) => {
  for (const sql of TRIGGER) await select(orm, sql)
  await select(orm, "insert into label (name) values ('a')")
  let calls = 0
  const counted = (value?: CrudRecord): CrudRecord | undefined => {
    calls++
    return value
  }
  const crud = hooked({ model: Job, writable: 'all' }, {
    beforeCreate: (data) => counted(data), beforeUpdate: (_, data) => counted(data), beforeDelete: () => counted(),
  })
  const app = await serve(t, orm, {
    '/jobs': {
      crud, operations: ['get', 'create', 'createMany', 'update', 'delete', 'restore'], allowHardDelete: true,
    },
  })
  const { created, post, patch, remove, restore } = writes(app)
  const refuse = async (code: string, times: number) => {
    await select(orm, 'delete from refusals')
    await select(orm, 'alter sequence attempts restart')
    await select(orm, `insert into refusals values ('${code}', ${times})`)
  }
  const attempts = async () => Number((await select(orm, "select nextval('attempts')::int as next"))[0].next) - 1
  let number = 0
  const name = () => `job ${number++}`

  for (const [what, send] of [
    ['create', async () => await post('/jobs', { name: name() })],
    ['create with links, by the unit of work', async () => await post('/jobs', { name: name(), labels: [1] })],
    ['createMany', async () => await post('/jobs', [{ name: name() }])],
    ['update', async (id: number) => await patch(`/jobs/${id}`, { name: name() })],
    ['update with links, by the unit of work',
      async (id: number) => await patch(`/jobs/${id}`, { name: name(), labels: [1] })],
    ['delete', async (id: number) => await remove(`/jobs/${id}`)],
    ['hard delete', async (id: number) => await remove(`/jobs/${id}?hard=true`)],
  ] as const) {
    for (const code of ['40001', '40P01']) {
      t.test(`${what} is tried again after ${code}`, async (t) => {
        await select(orm, 'delete from refusals')
        const { id } = await created('/jobs', { name: name() })
        calls = 0
        await refuse(code, 3)
        const response = await send(id)
        t.ok(response.statusCode === 200 || response.statusCode === 201, response.body)
        t.equal(await attempts(), 4)
        t.equal(calls, 1, 'hooks ran once')
        await refuse(code, 4)
        const { id: other } = (await (select(orm, 'select max(id) as id from job where deleted_at is null')))[0] as {
          id: number,
        }
        const refused = await send(other)
        t.equal(verdict(refused), '503 FST_CRUD_UNAVAILABLE')
        t.match(refused.json().message, /^Concurrent writes conflict with this request\. Repeat the request\.$/)
        t.equal(refused.headers['retry-after'], '1')
        t.notMatch(refused.body, /secret|deadlock|serializ/)
        t.equal(await attempts(), 4, 'no more than three repetitions')
      })
    }
  }

  t.test('restore is tried again', async (t) => {
    await select(orm, 'delete from refusals')
    const { id } = await created('/jobs', { name: name() })
    await remove(`/jobs/${id}`)
    await refuse('40001', 2)
    t.equal((await restore(`/jobs/${id}`)).statusCode, 200)
    t.equal(await attempts(), 3)
  })

  t.test('other errors are not tried again', async (t) => {
    // for any reason, also if the database may recover soon
    for (const [code, status] of [['55P03', 503], ['23514', 400], ['57014', 503], ['57P01', 503], ['53300', 503], [
      '08006',
      503,
    ]] as const) {
      await refuse(code, 4)
      t.equal((await post('/jobs', { name: name() })).statusCode, status, code)
      t.equal(await attempts(), 1, code)
    }
  })

  t.test("nothing is repeated inside the caller's transaction, which was rolled back as a whole", async (t) => {
    await refuse('40001', 3)
    await t.rejects(
      orm.em.fork().transactional(async (em) => {
        await crud.create(em as never, { name: name() })
      }),
      { code: 'FST_CRUD_UNAVAILABLE' }
    )
    t.equal(await attempts(), 1)
    await refuse('40001', 1)
    let runs = 0
    await withTransaction(orm.em.fork(), async (em) => {
      runs++
      await crud.create(em, { name: name() })
    })
    t.equal(runs, 2, 'withTransaction repeats the whole')
  })
})

await forPostgres(t, 'two batches that deadlock are both stored in the end', {
  entities: [Label, Job],
  needs: ['setDeadlockTimeout', 'locksView'],
}, async (t, { orm, url }) => {
  const rival = new pg.Client({ connectionString: url! })
  await rival.connect()
  t.teardown(() => rival.end())
  const crud = new CrudBase({ model: Job, writable: ['name'] })
  const app = await serve(t, orm, { '/jobs': { crud, operations: ['createMany'] } })
  // the rival waits longer, so that the server undoes the request's transaction
  await rival.query("set deadlock_timeout = '1h'")
  await rival.query('begin')
  await rival.query("insert into job (name) values ('b')")
  const sent = app.inject({ method: 'POST', url: '/jobs', payload: [{ name: 'a' }, { name: 'b' }] })
  for (;;) {
    const { rowCount } = await rival.query("select 1 from pg_locks where not granted and locktype = 'transactionid'")
    if (rowCount === 1) break
  }
  // waits for the request's 'a', as the request waits for the rival's 'b'
  await rival.query("insert into job (name) values ('a')")
  await rival.query('rollback')
  t.equal((await sent).statusCode, 201, (await sent).body)
  t.strictSame(await column(orm, 'select name from job order by 1'), ['a', 'b'])

  const names = Array.from({ length: 30 }, (_, index) => ({ name: `n${index}` }))
  for (let round = 0; round < 5; round++) {
    const race = await Promise.all(
      [names, names.toReversed(), names, names.toReversed()].map((payload) =>
        app.inject({ method: 'POST', url: '/jobs', payload })
      )
    )
    t.strictSame(race.map(({ statusCode }) => statusCode).sort(), [201, 409, 409, 409])
    await select(orm, "delete from job where name like 'n%'")
  }
})
