/**
 * node bench/observe.ts: measures the cost of observing stage times, and that it costs nothing when off. Sends the same
 * requests in turn to servers in this process, and prints the process's CPU time for each. See README.md.
 */
import './forget-built.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { parseArgs } from 'node:util'
import { startPostgres } from '../scripts/postgres.ts'
import {
  AllowedFilters,
  AllowedSort,
  CrudBase,
  crudKit,
  DatabaseFactory,
  QueryBuilderConfig,
} from './library.ts'
import type { QueryMessage } from '../src/index.ts'
import { Category, entities } from './entities.ts'
import { median } from './statistics.ts'

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, requests: { type: 'string', default: '1000' } },
})
const [rounds, requests] = [Number(options.rounds), Number(options.requests)]
const AT_ONCE = 16
const ROWS = 5_000

const categories = new CrudBase<any>({
  model: Category,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [AllowedFilters.exact('status'), new AllowedFilters('price', 'gte')],
    allowedSorts: [new AllowedSort('name')],
  }),
})
const urls = {
  get: (n: number) => `/categories/${n % ROWS + 1}`,
  list: (n: number) => `/categories?filter[status]=active&filter[price]=${n % 100}&sort=name`,
}

let millis = 0
const listen = (message: unknown) => {
  millis += (message as QueryMessage).duration
}

async function turn (app: FastifyInstance, url: (n: number) => string, subscribed: boolean): Promise<number> {
  if (subscribed) subscribe('fastify-crud-kit:query', listen)
  const before = process.cpuUsage()
  let next = 0
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (next < requests) {
      const { statusCode } = await app.inject(url(next++))
      if (statusCode !== 200) throw new Error(`answered with ${statusCode}`)
    }
  }))
  const { user, system } = process.cpuUsage(before)
  unsubscribe('fastify-crud-kit:query', listen)
  return (user + system) / requests
}

const postgres = await startPostgres()
const factory = new DatabaseFactory({ databaseUrl: postgres.url, entities, schema: 'create' })
const serve = async (serverTiming: boolean): Promise<FastifyInstance> => {
  const app = Fastify()
  await app.register(crudKit, {
    database: factory,
    indexAdvice: false,
    serverTiming,
    resources: { '/categories': categories },
  })
  await app.ready()
  return app
}
const [plain, timing] = [await serve(false), await serve(true)]
try {
  await plain.orm.em.getConnection().execute(
    `insert into categories (created_at, updated_at, name, description, price, status)
    select now(), now(), 'Category ' || i, 'A category', i % 1000, (array['draft', 'active'])[i % 2 + 1]
      from generate_series(1, ${ROWS}) as i`
  )
  // the mode without observers runs twice, to show how far two equal measurements differ
  const modes = [
    ['no observer', plain, false],
    ['no observer, again', plain, false],
    ['a subscriber', plain, true],
    ['Server-Timing', timing, false],
    ['both', timing, true],
  ] as const
  console.log('| | | CPU, µs | ratio |\n| --- | --- | ---: | ---: |')
  for (const [operation, url] of Object.entries(urls)) {
    const costs = modes.map((): number[] => [])
    for (let round = -3; round < rounds; round++) {
      for (const [index, [, app, subscribed]] of modes.entries()) {
        const cost = await turn(app, url, subscribed)
        if (round >= 0) costs[index]!.push(cost)
      }
    }
    for (const [index, [mode]] of modes.entries()) {
      const ratios = costs[index]!.map((cost, round) => cost / costs[0]![round]!)
      console.log(`| ${operation} | ${mode} | ${median(costs[index]!).toFixed(1)} | ${median(ratios).toFixed(3)} |`)
    }
  }
  if (millis === 0) throw new Error('the subscriber has received no message')
} finally {
  await plain.close()
  await timing.close()
  await postgres.stop()
}
