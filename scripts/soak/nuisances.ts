/** Workers that behave badly: they disconnect, read slowly, or send half of a request. */
import { ACCOUNTS } from './entities.ts'
import { fateOf } from './ledger.ts'
import type { Worker } from './load.ts'
import { pick, upTo } from './random.ts'
import { newMarker, newProduct } from './writers.ts'

/** Disconnects at a random moment of a request. A write may have been done. */
export const abort: Worker = async (load) => {
  const cutAfter = upTo(pick([5, 40, 300])) - 1
  const marker = newMarker()
  switch (upTo(5)) {
    case 1: {
      const fate = fateOf(
        await load.send('an aborted create', [201], 'POST', '/products', { body: newProduct(marker), cutAfter })
      )
      load.ledger.products.set(marker, { rows: 1, fate })
      break
    }
    case 2: {
      const body = Array.from({ length: 20 }, (_, index) => newProduct(marker, `${marker}-${index}`))
      load.ledger.products.set(
        marker,
        { rows: 20, fate: fateOf(await load.send('an aborted batch', [201], 'POST', '/products', { body, cutAfter })) }
      )
      break
    }
    case 3: {
      const from = upTo(ACCOUNTS)
      const body = { marker, amount: 1, from, to: from % ACCOUNTS + 1 }
      load.ledger.transfers.set(
        marker,
        fateOf(await load.send('an aborted transaction', [201], 'POST', '/transfers', { body, cutAfter }))
      )
      break
    }
    case 4:
      await load.send(
        'an aborted stream',
        [200],
        'GET',
        '/readings',
        { headers: { accept: pick(['application/x-ndjson', 'text/csv']) }, cutAfter: cutAfter * 4 }
      )
      break
    default:
      await load.send('an aborted list', [200], 'GET', '/products?include=category,tags&sort=-stock', { cutAfter })
  }
}

export const readSlowly: Worker = async (load) => {
  await load.client.readSlowly('/readings', pick(['application/x-ndjson', 'text/csv']), 200 + upTo(2_000))
  load.tally('a slow reader').cut++
}

const POST = 'POST /products HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\n'
const HALVES = [
  'GET /products?include=cat',
  'GET /products HTTP/1.1\r\nHost: soak\r\nX-Half: ',
  `${POST}Content-Length: 1000\r\n\r\n{"marker":"half","sku":"half"`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n400\r\n{"marker":"half",`,
  'PATCH /products/1 HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"stock":',
]

export const sendHalf: Worker = async (load) => {
  await load.client.sendHalf(pick(HALVES), upTo(800))
  load.tally('half a request').cut++
}
