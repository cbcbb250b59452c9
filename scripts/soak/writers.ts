/** Workers that write and record the outcomes. */
import type { Outcome } from './client.ts'
import { ACCOUNTS, CATEGORIES, SHARED, TAGS } from './entities.ts'
import { fateOf, type ProductState } from './ledger.ts'
import type { Load, Worker } from './load.ts'
import { pick, upTo } from './random.ts'

let count = 0
export const newMarker = (): string => `m${++count}`

export const newProduct = (marker: string, sku = marker): object => (
  { marker, sku, stock: 1, category: upTo(CATEGORIES), tags: upTo(2) === 1 ? [upTo(TAGS)] : [] }
)

const json = (outcome: Outcome): any => outcome.kind === 'answer' ? JSON.parse(outcome.text) : undefined

/** Creates a product and changes it a few times, or until an outcome is unknown. */
export const changeOwn: Worker = async (load) => {
  const marker = newMarker()
  const created = await load.send('create', [201], 'POST', '/products', { body: newProduct(marker) })
  load.ledger.products.set(marker, { rows: 1, fate: fateOf(created) })
  if (fateOf(created) !== 'acknowledged') return
  const { id, version } = json(created)
  let state: ProductState = { stock: 1, version, deleted: false }
  for (let changes = upTo(6); changes > 0; changes--) {
    const [outcome, next] = await change(load, `/products/${id}`, state)
    if (outcome === undefined) continue
    if (fateOf(outcome) === 'acknowledged') state = { ...next, version: json(outcome).version }
    load.ledger.states.set(id, fateOf(outcome) === 'unknown' ? [state, next] : [state])
    if (fateOf(outcome) !== 'acknowledged') return
  }
}

/** Makes one change of a product, and returns the state that it leads to. */
async function change (load: Load, path: string, state: ProductState): Promise<[
  outcome: Outcome | undefined,
  next: ProductState
]> {
  const { stock, version, deleted } = state
  if (deleted) {
    await load.send('a write to what is deleted', [404], 'PATCH', path, { body: { stock: 1 } })
    return [
      await load.send('restore', [200], 'POST', `${path}/restore`),
      { stock, version: version + 1, deleted: false },
    ]
  }
  switch (upTo(4)) {
    case 1:
      return [
        await load.send('delete', [200], 'DELETE', path, { headers: { 'if-match': `"${version}"` } }),
        { stock, version: version + 1, deleted: true },
      ]
    case 2:
      await load.send(
        'a stale update',
        [412],
        'PATCH',
        path,
        { body: { stock: 0 }, headers: { 'if-match': `"${version + 7}"` } }
      )
      return [undefined, state]
    case 3:
      return [
        await load.send(
          'update of links',
          [200],
          'PATCH',
          path,
          { body: { stock: stock + 1, tags: [upTo(TAGS)] }, headers: { 'if-match': `"${version}"` } }
        ),
        { stock: stock + 1, version: version + 1, deleted },
      ]
    default:
      return [
        await load.send(
          'update',
          [200],
          'PATCH',
          path,
          { body: { stock: stock + 1 }, headers: { 'if-match': `"${version}"` } }
        ),
        { stock: stock + 1, version: version + 1, deleted },
      ]
  }
}

const BATCH = 5

/** Sends batches, some of which must fail as a whole, and single records that must fail. */
export const createMany: Worker = async (load) => {
  const marker = newMarker()
  const batch = Array.from({ length: BATCH }, (_, index) => newProduct(marker, `${marker}-${index}`))
  const failing = upTo(4) === 1
  if (failing) batch[BATCH - 1] = newProduct(marker, `shared ${upTo(SHARED)}`)
  const outcome = await load.send(
    failing ? 'a batch with a duplicate' : 'batch',
    failing ? [409] : [201],
    'POST',
    '/products',
    { body: batch }
  )
  load.ledger.products.set(marker, { rows: BATCH, fate: fateOf(outcome) })
  const single = newMarker()
  const [what, status, body] = pick<[string, number, object]>([
    ['a duplicate', 409, newProduct(single, 'shared 1')],
    ['a relation to nothing', 409, { ...newProduct(single), category: 999_999 }],
    ['an invalid record', 400, { ...newProduct(single), stock: 'many' }],
  ])
  load.ledger.products.set(
    single,
    { rows: 1, fate: fateOf(await load.send(what, [status], 'POST', '/products', { body })) }
  )
}

/** Adds 1 to a product that other workers change at the same time. */
export const increment: Worker = async (load) => {
  const id = upTo(SHARED)
  const read = await load.send('get', [200], 'GET', `/products/${id}`)
  if (read.kind !== 'answer' || read.status !== 200) return
  const { stock } = json(read)
  const outcome = await load.send(
    'a contended update',
    [200, 412],
    'PATCH',
    `/products/${id}`,
    { body: { stock: stock + 1 }, headers: { 'if-match': read.etag! } }
  )
  load.ledger.increment(id, fateOf(outcome))
}

/** Moves an amount from one account to another, in a transaction. */
export const transfer: Worker = async (load) => {
  const marker = newMarker()
  const from = upTo(ACCOUNTS)
  const to = from % ACCOUNTS + 1
  load.ledger.transfers.set(
    marker,
    fateOf(await load.send('transaction', [201], 'POST', '/transfers', { body: { marker, amount: upTo(9), from, to } }))
  )
}
