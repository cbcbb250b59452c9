/**
 * npm run bench: measures the generated routes, hand-written routes, routes on MikroORM's own methods and, if they are
 * installed, other libraries, on 100 000 categories and 500 000 products in a throw-away PostgreSQL. Prints Markdown.
 *
 * Each variant is a separate process. They take turns, one at a time, with the same number of connections to the same
 * server. This process is the client. See README.md for the meaning of the numbers, and for the options below.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../scripts/postgres.ts'
import { Backends } from './backends.ts'
import { chart } from './chart.ts'
import { checkAnswers } from './check.ts'
import { conditions, loadOfMachine } from './conditions.ts'
import { start, type Contestant } from './contestant.ts'
import { CATEGORIES, createData, PRODUCTS_EACH, tidy } from './data.ts'
import type { Results } from './goals.ts'
import { measure } from './measure.ts'
import { operations } from './operations.ts'
import { report } from './report.ts'
import { measureStartup } from './startup.ts'
import { measureStream } from './stream.ts'
import { before, peersInstalled, variants } from './variants.ts'

if (process.argv.includes('--worst')) {
  await import('./worst/run.ts')
  process.exit()
}
if (process.argv.includes('--growth')) {
  await import('./growth/run.ts')
  process.exit()
}
if (process.argv.includes('--distributed')) {
  await import('./distributed/run.ts')
  process.exit()
}

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    'warm-up': { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string', default: '0.8' },
    quick: { type: 'boolean', default: false },
    connections: { type: 'string', default: '16' },
    pool: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true },
    variant: { type: 'string', multiple: true },
    peers: { type: 'boolean' },
    save: { type: 'boolean', default: false },
    profile: { type: 'string' },
    before: { type: 'string' },
  },
})
const rounds = Number(options.rounds ?? (options.quick ? 1 : 4))
const warmUp = Number(options['warm-up'] ?? (options.quick ? 1 : 4))
const wanted = (name: string) => options.only?.includes(name) ?? true
const chosen = operations.filter(({ name }) => wanted(name))
const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
const progress = (text: string) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`)

if (options.peers === true && !peersInstalled()) {
  progress('installing peers')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: new URL('peers', import.meta.url),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
const peers = options.peers !== false && peersInstalled()
const compared = [...variants, ...options.before === undefined ? [] : [before(options.before)]].filter((
  { name, peer }
) => (name === 'before' || (options.variant?.includes(name) ?? true)) && (peer !== true || peers))
const left = variants.filter((variant) => !compared.includes(variant)).map(({ title }) => title)

const started = performance.now()
const load = loadOfMachine()
const lines: string[] = []
let results: Results = { samples: new Map() }

if (chosen.length > 0 || wanted('stream')) {
  // no background work and no parallel workers, whose CPU time could not be read after they have ended
  const postgres = await startPostgres({
    settings: {
      shared_buffers: '512MB',
      max_connections: 100,
      autovacuum: 'off',
      max_wal_size: '4GB',
      max_parallel_workers_per_gather: 0,
    },
  })
  const contestants: Contestant[] = []
  const client = new pg.Client(postgres.url)
  let backends: Backends | undefined
  try {
    await client.connect()
    await createData(
      postgres.url,
      (done, total) => progress(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows`)
    )
    const { rows: [server] } = await client.query<{ version: string }>(
      "select current_setting('server_version') as version"
    )
    lines.push(...conditions(server!.version, load, compared))
    if (chosen.length > 0) {
      for (const variant of compared) {
        progress(`starting: ${variant.name}`)
        contestants.push(await start(variant, { url: postgres.url, poolSize: Number(options.pool) }, profiling))
      }
      progress('comparing answers')
      await checkAnswers(chosen, contestants)
      await tidy(client)
      backends = await Backends.connect(postgres.url)
      const settings = { connections: Number(options.connections), seconds: Number(options.seconds), warmUp, rounds }
      results = {
        samples: await measure({
          operations: chosen,
          contestants,
          backends,
          client,
          onProgress: progress,
          ...settings,
        }),
      }
      lines.push(
        `${CATEGORIES} categories with ${PRODUCTS_EACH} products each, ${settings.connections} connections, ` +
          `pools of ${options.pool}. ${rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`} ` +
          `of ${settings.seconds} s, after ${warmUp} that ${warmUp === 1 ? "doesn't" : "don't"} count.`
      )
    }
    if (wanted('stream')) {
      progress('measuring: stream')
      results = { ...results, stream: await measureStream(postgres.url) }
    }
  } finally {
    await backends?.close()
    for (const { server } of contestants) await server.stop()
    await client.end()
    await postgres.stop()
  }
}
if (wanted('startup')) {
  progress('measuring: start-up')
  results = {
    ...results,
    startup: {
      one: await measureStartup(1, options.quick ? 3 : 7),
      fifty: await measureStartup(50, options.quick ? 3 : 5),
    },
  }
}
progress('')
if (left.length > 0) {
  lines.push(`Left out: ${left.join(', ')}.${peers ? '' : ' `npm run bench -- --peers` installs and includes all.'}`)
}
const text = `${lines.map((line) => `- ${line}`).join('\n')}\n\n${report(results, chosen, compared)}\n`
console.log(text)
if (options.save) {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  // profiles must be interpreted, so costs.md is written by hand and appended
  fs.writeFileSync(file('results.svg'), chart(results.samples, chosen, compared))
  fs.writeFileSync(
    file('RESULTS.md'),
    '# Results\n\nWritten by `npm run bench -- --save`; [README.md](README.md) says what the columns mean.\n\n' +
      `![CPU of a request](results.svg)\n\n${text}\n${fs.readFileSync(file('costs.md'), 'utf8')}`
  )
}
progress(`${((performance.now() - started) / 1000).toFixed(0)} s`)
