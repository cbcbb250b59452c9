/**
 * Random sequences of writes, done by the server and by the reference implementation (reference/store.ts). The answers
 * must be equal, and so must the final rows.
 */
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import assert from 'node:assert/strict'
import t from 'tap'
import { CrudBase, crudKit } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { newServer } from '../helpers/server.ts'
import type { Row, Value } from './reference/description.ts'
import { Store, type Written } from './reference/store.ts'
import { GENERATED, Label, Person, Ticket, ticket, WRITABLE } from './random/tickets.ts'
import { bodies, ifMatches } from './random/bodies.ts'

const SEQUENCES = 40

const PEOPLE = [1, 2]
const DELETED_PERSON = 3
const LABELS = [1, 2, 3].map((n) => `${n}0000000-0000-4000-8000-000000000000`)

/** Resources that differ in the properties that bodies may set, and in whether changes need a version. */
const RESOURCES = {
  '/tickets': { writable: { create: WRITABLE, update: WRITABLE }, requireIfMatch: false },
  '/guarded': { writable: { create: WRITABLE, update: WRITABLE }, requireIfMatch: true },
  '/narrow': { writable: { create: ['code', 'open', 'owner'], update: ['note', 'labels'] }, requireIfMatch: false },
}
type Path = keyof typeof RESOURCES

type Step =
  | { readonly kind: 'create', readonly body: Row }
  | {
    readonly kind: 'update',
    readonly ticket: number,
    readonly body: Row,
    readonly ifMatch: string | null,
    readonly method: 'PUT' | 'PATCH',
  }
  | { readonly kind: 'delete', readonly ticket: number, readonly ifMatch: string | null }
  | { readonly kind: 'restore' | 'read', readonly ticket: number }

const which = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), body: bodies('create', LABELS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('update' as const), ticket: which, body: bodies('update', LABELS), ifMatch: ifMatches,
      method: fc.constantFrom('PUT' as const, 'PATCH' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), ticket: which, ifMatch: ifMatches }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restore' as const, 'read' as const), ticket: which }) }
)

await forOneDatabase(t, { entities: [Person, Label, Ticket] }, async (t, { orm }) => {
  const run = (sql: string, values: unknown[] = []): Promise<Value> => orm.em.getConnection().execute(sql, values)
  for (const id of PEOPLE) await run('insert into person (id) values (?)', [id])
  await run('insert into person (id, deleted_at) values (?, now())', [DELETED_PERSON])
  for (const code of LABELS) await run('insert into label (code) values (?)', [code])

  const app = newServer(t)
  const resources = Object.entries(RESOURCES).map(([path, { writable, requireIfMatch }]) =>
    [path, { crud: new CrudBase({ model: Ticket as any, writable }), requireIfMatch, name: path.slice(1) }] as const
  )
  await app.register(crudKit, { orm, indexAdvice: false, resources: Object.fromEntries(resources) })
  const seen: Record<string, number> = {}

  await assertProperty(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(RESOURCES) as Path[]),
      fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }),
      async (path, further) => {
        await run('truncate ticket_labels, ticket')
        const targets = { owner: PEOPLE, labels: LABELS }
        const keys = { owner: { type: 'integer' as const }, labels: { type: 'uuid' as const } }
        const store = new Store({
          entity: ticket, ...RESOURCES[path], generated: GENERATED, unique: 'code', targets, keys,
        })
        // rows to start with
        const steps: Step[] = [
          ...['A', 'B', 'C'].map((code) => ({ kind: 'create' as const, body: { code, open: true } })),
          ...further,
        ]
        for (const step of steps) {
          const id = 'ticket' in step ? [...store.rows.keys()][step.ticket] ?? 2_000_000_000 : undefined
          const { sent, received } = await send(path, step, id, store)
          const expected = perform(store, step, id, received, sent.ifMatch)
          seen[received.statusCode] = (seen[received.statusCode] ?? 0) + 1
          compare(expected, received, `${JSON.stringify(step)} of ${id} ${sent.ifMatch ?? ''}`)
        }
        await compareRows(store)
      }
    ),
    { numRuns: SEQUENCES }
  )
  t.comment(JSON.stringify(seen))
  t.ok([200, 201, 400, 404, 409, 412, 428].every((status) => seen[status]! > 0), JSON.stringify(seen))

  async function send (
    path: Path,
    step: Step,
    id: Value,
    store: Store
  ): Promise<{ sent: { ifMatch: string | undefined }, received: LightMyRequestResponse }> {
    const version = store.rows.get(id)?.['version'] ?? 1
    const tag = 'ifMatch' in step && step.ifMatch !== null
      ? step.ifMatch.replace('current', String(version)).replace('next', String(version + 1))
      : undefined
    const headers = tag === undefined ? {} : { 'if-match': tag }
    const request = {
      create: { method: 'POST', url: path },
      update: { method: 'method' in step ? step.method : 'PATCH', url: `${path}/${id}` },
      delete: { method: 'DELETE', url: `${path}/${id}` },
      restore: { method: 'POST', url: `${path}/${id}/restore` },
      read: { method: 'GET', url: `${path}/${id}` },
    } as const
    const body = 'body' in step
      ? { payload: JSON.stringify(step.body), headers: { ...headers, 'content-type': 'application/json' } }
      : { headers }
    return { sent: { ifMatch: tag }, received: await app.inject({ ...request[step.kind], ...body }) }
  }

  /** The same step in the reference, which is told the values that the database generates: keys and times. */
  function perform (
    store: Store,
    step: Step,
    id: Value,
    received: LightMyRequestResponse,
    ifMatch: string | undefined
  ): Written {
    const record = received.json()
    switch (step.kind) {
      case 'create':
        return store.create(step.body, record.id)
      case 'update':
        return store.update(id, step.body, ifMatch, record.version)
      case 'delete':
        return store.remove(id, record.deleted_at, ifMatch)
      case 'restore':
        return store.restore(id)
      case 'read':
        return store.read(id)
    }
  }

  function compare (expected: Written, received: LightMyRequestResponse, what: string): void {
    const body = received.json()
    if ('record' in expected && received.statusCode < 300) {
      const { labels, secret, ...record } = expected.record
      assert.deepStrictEqual(body, record, what)
      assert.equal(received.headers['etag'], `"${record['version']}"`, what)
      return
    }
    const message = `${what}: ${JSON.stringify(expected)} ${received.body}`
    const reasons = 'refused' in expected ? expected.refused : []
    const reason = reasons.find(({ status, code }) => status === received.statusCode && code === body.code)
    assert.ok(reason, message)
    // an item of a list is named by its place: `/labels/0`
    const pointers = [
      ...new Set<string>(body.errors.map(({ source }: Value) => /^\/[^/]*/.exec(source?.pointer ?? '')?.[0])),
    ].sort()
    // the database reports conflicts one at a time
    if (reason.status === 409) assert.ok(pointers.every((pointer) => reason.pointers!.includes(pointer)), message)
    else if (reason.pointers) assert.deepStrictEqual(pointers, reason.pointers, message)
  }

  /** The rows, including deleted ones, hidden columns and links. */
  async function compareRows (store: Store): Promise<void> {
    const stored = await run(
      'select row_to_json(t)::text as row from (select *, ' +
        '(extract(epoch from seen_at) * 1000)::text as seen_millis, serial::text as serial_text, ' +
        "(select coalesce(json_agg(label order by label), '[]') from ticket_labels l " +
        'where l.ticket = ticket.id) as labels from ticket order by id) t'
    )
    const rows = stored.map(({ row }: Value) => {
      const { owner_id: owner, seen_millis: seen, serial_text: serial, serial: _, ...others } = JSON.parse(row)
      return { ...others, owner, seen: seen === null ? null : Number(seen), serial }
    })
    // times as numbers, so that time zones do not matter; decimals as numbers, too
    const plain = ({ deleted_at: deletedAt, seen_at: _, cost, ...row }: Row): Value => ({
      ...row, cost: cost === null ? null : Number(cost), deleted: deletedAt !== null,
    })
    const expected = [...store.rows.values()].sort((a, b) => a['id'] - b['id']).map((row) => ({
      ...row,
      labels: [...row['labels']].sort(),
    }))
    const withTimes = expected.map((row: Row) => ({
      ...row,
      seen: row['seen_at'] === null ? null : Date.parse(row['seen_at']),
    }))
    assert.deepStrictEqual(rows.map(plain), withTimes.map(plain))
  }
})
