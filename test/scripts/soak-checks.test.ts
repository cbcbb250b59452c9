/** The checks of `npm run soak` find what they look for. */
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import t from 'tap'
import { busySessions, checkData } from '../../scripts/soak/checks.ts'
import { fateOf, Ledger } from '../../scripts/soak/ledger.ts'
import { entities, SEED } from '../../scripts/soak/entities.ts'
import { growth } from '../../scripts/soak/report.ts'
import { createDatabase, skipReasons } from '../helpers/databases.ts'

t.test('an outcome tells what is known about a write', async (t) => {
  const answer = { kind: 'answer', etag: undefined, text: '', complete: true } as const
  t.strictSame([201, 200, 400, 404, 409, 412, 500, 503].map((status) => fateOf({ ...answer, status })), [
    'acknowledged', 'acknowledged', 'refused', 'refused', 'refused', 'refused', 'refused', 'unknown',
  ])
  t.strictSame([fateOf({ kind: 'cut' }), fateOf({ kind: 'broken', reason: 'ECONNRESET' })], ['unknown', 'unknown'])
})

t.test('growing memory is found', async (t) => {
  t.equal(growth({ warm: { heap: 100, rss: 1 }, final: { heap: 120, rss: 1 } }).toFixed(3), '0.200')
})

t.test('the database is compared with the ledger', { skip: skipReasons.postgres }, async (t) => {
  const { url, drop } = await createDatabase()
  const orm = await MikroORM.init({ entities, clientUrl: url })
  const client = new pg.Client({ connectionString: url, application_name: 'observer' })
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await orm.close(true)
    await drop()
  })
  await orm.schema.create()
  await client.query(SEED)
  await client.query(`
    insert into product (
      marker, sku, category_id, stock, version
    ) select 'one', 'one', 1, 1, 1 union all select 'batch', 'batch ' || n, 1, 1, 1 from generate_series(1, 5) n;
    insert into transfer (marker, amount, from_id, to_id) values ('t', 5, 1, 2);
    update account set balance = balance + case id when 1 then -5 else 5 end where id <= 2;
    update product set stock = 3, version = 4 where id = 1`)
  const { rows: [own] } = await client.query("select id from product where marker = 'one'")

  /** The findings for these statements about the writes. */
  const found = async (change: (ledger: Ledger) => void): Promise<string[]> => {
    const ledger = new Ledger()
    ledger.products.set('one', { rows: 1, fate: 'acknowledged' }).set('batch', { rows: 5, fate: 'unknown' }).set(
      'never',
      { rows: 1, fate: 'unknown' }
    ).set('no', { rows: 1, fate: 'refused' })
    ledger.transfers.set('t', 'acknowledged').set('lost', 'unknown')
    ledger.states.set(own.id, [{ stock: 1, version: 1, deleted: false }])
    ledger.increments.set(1, { acknowledged: 2, unknown: 1 })
    change(ledger)
    return await checkData(client, ledger)
  }

  t.test('an equal ledger has no findings', async (t) => {
    t.strictSame(await found(() => {}), [])
  })

  t.test('differences from the ledger are found', async (t) => {
    t.strictSame(await found(({ products }) => products.set('never', { rows: 1, fate: 'acknowledged' })), [
      'the creation of never was acknowledged and has 0 of 1 rows',
    ])
    t.strictSame(await found(({ products }) => products.set('one', { rows: 1, fate: 'refused' })), [
      'the creation of one was refused and has 1 of 1 rows',
    ])
    t.strictSame(await found(({ products }) => products.set('batch', { rows: 6, fate: 'unknown' })), [
      'the creation of batch was unknown and has 5 of 6 rows',
    ])
    t.strictSame(await found(({ products }) => products.delete('one')), ['no request has created one'])
    t.strictSame(await found(({ transfers }) => transfers.set('lost', 'acknowledged')), [
      'the transfer lost was acknowledged and has 0 of 1 rows',
    ])
    t.strictSame(
      await found(
        ({ states }) => states.set(own.id, [{ stock: 1, version: 1, deleted: true }])
      ).then(([sentence]) => sentence?.startsWith(`product ${own.id} is {"stock":1`)),
      true
    )
    t.strictSame(await found(({ increments }) => increments.set(1, { acknowledged: 4, unknown: 0 })), [
      'product 1 has the stock 3 after 4 increments and 0 unknown ones',
    ])
    t.strictSame(await found(({ increments }) => increments.set(1, { acknowledged: 1, unknown: 1 })), [
      'product 1 has the stock 3 after 1 increments and 1 unknown ones',
    ])
  })

  t.test('a partial transaction and an open one are found', async (t) => {
    await client.query('update account set balance = 990 where id = 1')
    t.strictSame(await found(() => {}), ['account 1 has 990, and its transfers say 995'])
    const other = new pg.Client({ connectionString: url, application_name: 'soak' })
    await other.connect()
    await other.query('begin')
    t.strictSame((await busySessions(client)).filter((session) => session === 'idle in transaction: begin').length, 1)
    await other.end()
  })
})
