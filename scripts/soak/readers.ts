/** Workers that read: lists, records, streams. */
import { CATEGORIES, READINGS, SHARED } from './entities.ts'
import type { Worker } from './load.ts'
import { pick, upTo } from './random.ts'

const LISTS: ReadonlyArray<() => string> = [
  () => '/products?include=category,tags&sort=-id',
  () => `/products?filter[category.name]=category ${upTo(CATEGORIES)}&per_page=5`,
  () => `/products?filter[tags.name]=tag 1&filter[stock][gte]=2&page=${upTo(3)}`,
  () => `/products?filter[id][gte]=${upTo(1_000)}&sort=id&cursor=`,
  () => `/products?filter[marker]=m${upTo(5_000)}&include=tags`,
  () => '/products?sort=category.name&limit=10&offset=20',
  () => '/categories?include=productsCount',
]
const REFUSED = [
  '/products?filter[price]=1', '/products?sort=nothing', '/products?per_page=1000', '/products?filter[id]=x',
  '/products/x', '/products?cursor=garbage',
]

export const read: Worker = async (load) => {
  switch (upTo(6)) {
    case 1:
      await load.send('a bad request', [400], 'GET', pick(REFUSED))
      break
    case 2:
      await load.send('get', [200], 'GET', `/products/${upTo(SHARED)}?include=category`)
      break
    case 3:
      await load.send('get of nothing', [404], 'GET', '/products/2000000000')
      break
    default: {
      const path = encodeURI(pick(LISTS)())
      const outcome = await load.send('list', [200], 'GET', path)
      if (
        outcome.kind === 'answer' && outcome.status === 200 && !Array.isArray(JSON.parse(outcome.text).items)
      ) load.surprise(`${path}: ${outcome.text}`)
    }
  }
}

/** Tells which lines of a format are records. */
const FORMATS = {
  'application/x-ndjson': (lines: readonly string[]) => lines,
  'text/csv': (lines: readonly string[]) => lines.slice(1),
}

/** Reads whole streams. A complete stream must have all rows exactly once. If its database fails, it is cut off. */
export const stream: Worker = async (load) => {
  const accept = pick(Object.keys(FORMATS) as (keyof typeof FORMATS)[])
  const outcome = await load.send('stream', [200], 'GET', '/readings', { headers: { accept } })
  if (outcome.kind !== 'answer' || outcome.status !== 200) return
  if (!outcome.complete) {
    load.tally('stream').success--
    load.tally('stream').cut++
    return
  }
  const ids = new Set(
    FORMATS[accept](outcome.text.trim().split(/\r?\n/)).map(
      (line) => accept === 'text/csv' ? Number.parseInt(line) : JSON.parse(line).id
    )
  )
  if (ids.size !== READINGS) load.surprise(`a stream of ${accept} has ended with ${ids.size} of ${READINGS} records`)
}
