/**
 * npm run bench: the generated routes beside routes written by hand and routes on MikroORM's own find, on 100 000
 * categories and 500 000 products in a throw-away PostgreSQL. Prints Markdown.
 *
 * Each variant is a process of its own; they take turns, one at a time, with the same number of connections to the
 * same server. This process is the client. See README.md for what the numbers mean, and for the options below.
 */
import os from 'node:os'
import { parseArgs } from 'node:util'
import { startPostgres } from '../scripts/postgres.ts'
import { Backends } from './backends.ts'
import { checkAnswers } from './check.ts'
import { CATEGORIES, createData, PRODUCTS_EACH } from './data.ts'
import { measure } from './measure.ts'
import { operations } from './operations.ts'
import { operationTable, startupTable, streamTable } from './report.ts'
import { ServerProcess } from './server-process.ts'
import { measureStartup } from './startup.ts'
import { measureStream } from './stream.ts'
import { variants, type VariantName } from './variants.ts'

const { values: options } = parseArgs({
  options: {
    'warm-up': { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    pool: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true, default: [...operations.map(({ name }) => name), 'stream'] },
    profile: { type: 'string' },
  },
})
const chosen = operations.filter(({ name }) => options.only.includes(name))
const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
const progress = (text: string) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`)

const started = performance.now()
const postgres = await startPostgres({ settings: { shared_buffers: '512MB', max_connections: 50 } })
const servers = new Map<VariantName, ServerProcess>()
let backends: Backends | undefined
try {
  await createData(postgres.url, (done, total) => progress(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows`))
  for (const { name } of variants) {
    servers.set(name, await ServerProcess.start(name, { url: postgres.url, poolSize: Number(options.pool) }, profiling))
  }
  backends = await Backends.connect(postgres.url)
  progress('comparing answers')
  await checkAnswers(chosen, servers)

  console.log(`\nNode ${process.version}, ${os.availableParallelism()} CPUs (${os.cpus()[0]?.model}), ${CATEGORIES} categories with ${PRODUCTS_EACH} products each. ` +
    `${options.connections} connections, pools of ${options.pool}. Medians of ${options.rounds} rounds of ${options.seconds} s.\n`)
  for (const operation of chosen) {
    progress(`measuring: ${operation.name}`)
    const samples = await measure(operation, {
      servers,
      backends,
      connections: Number(options.connections),
      seconds: Number(options.seconds),
      warmUp: Number(options['warm-up']),
      rounds: Number(options.rounds),
    })
    progress('')
    console.log(operationTable(operation.title, samples))
  }
  if (options.only.includes('stream')) {
    progress('measuring: stream')
    const cost = await measureStream(postgres.url)
    progress('')
    console.log(streamTable(cost))
  }
} finally {
  await backends?.close()
  for (const server of servers.values()) await server.stop()
  await postgres.stop()
}
progress('measuring: start-up')
const costs = await measureStartup(9)
progress('')
console.log(startupTable(costs))
progress(`${((performance.now() - started) / 1000).toFixed(0)} s`)
