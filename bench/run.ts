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
import pg from 'pg'
import { startPostgres } from '../scripts/postgres.ts'
import { Backends } from './backends.ts'
import { chart } from './chart.ts'
import { checkAnswers } from './check.ts'
import { conditions, loadOfMachine } from './conditions.ts'
import { start, type Contestant } from './contestant.ts'
import { CATEGORIES, createData, PRODUCTS_EACH, tidy } from './data.ts'
import type { Results } from './goals.ts'
import { measureBounded } from './growth/bounded.ts'
import { measure } from './measure.ts'
import { operations } from './operations.ts'
import { OTHER_PARTS, readOptions } from './options.ts'
import { checkOut } from './other-checkout.ts'
import { report } from './report.ts'
import { measureStartup } from './startup.ts'
import { measureStream } from './stream.ts'
import { before, peersInstalled, variants } from './variants.ts'

// Ctrl-C ends the process through 'exit', which stops PostgreSQL and removes temporary files
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

for (const part of ['worst', 'growth', 'distributed', 'bulk']) {
  if (process.argv.includes(`--${part}`)) {
    await import(`./${part}/run.ts`)
    process.exit()
  }
}

const options = readOptions(
  process.argv.slice(2),
  [...operations.map(({ name }) => name), ...OTHER_PARTS],
  variants.map(({ name }) => name)
)
const { rounds, warmUp } = options
const chosen = operations.filter(({ name }) => options.includes(name))
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
const other = options.compare === undefined
  ? undefined
  : checkOut(fileURLToPath(new URL('..', import.meta.url)), options.compare)
if (other !== undefined) process.once('exit', other.remove)
const elsewhere = other === undefined ? options.before : other.folder
const compared = [
  ...variants.filter(({ name, peer }) => options.includesVariant(name) && (peer !== true || peers)),
  ...elsewhere === undefined ? [] : [before(elsewhere, other && `fastify-crud-kit at ${other.commit}`)],
]
const left = variants.filter((variant) => !compared.includes(variant)).map(({ title }) => title)

const started = performance.now()
const load = loadOfMachine()
const lines: string[] = []
let results: Results = { samples: new Map() }

if (chosen.length > 0 || options.includes('stream')) {
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
        contestants.push(await start(variant, { url: postgres.url, poolSize: options.pool }, profiling))
      }
      progress('comparing answers')
      await checkAnswers(chosen, contestants)
      await tidy(client)
      backends = await Backends.connect(postgres.url)
      results = {
        samples: await measure({
          operations: chosen,
          contestants,
          backends,
          client,
          onProgress: progress,
          ...options,
        }),
      }
      lines.push(
        `${CATEGORIES} categories with ${PRODUCTS_EACH} products each, ${options.connections} connections, ` +
          `pools of ${options.pool}. ${rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`} ` +
          `of ${options.seconds} s, after ${warmUp} that ${warmUp === 1 ? 'does' : 'do'} not count. A ratio is the ` +
          'median of the ratios of the rounds, and the range has the smallest and the largest one.'
      )
    }
    if (options.includes('stream')) {
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
if (options.includes('bounded') && !options.quick) {
  progress('measuring: bounded totals')
  const bounded = await measureBounded({ rounds, onProgress: progress })
  results = { ...results, ...(bounded && { bounded }) }
}
if (options.includes('startup')) {
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
if (elsewhere === undefined && left.length > 0) {
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
// the other tables that a saved run has, each in a process of its own
if (options.save && options.whole) {
  for (const part of ['--worst', ...process.env['CITUS_URL'] === undefined ? [] : ['--distributed']]) {
    progress(`measuring: ${part}`)
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), part, '--save'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
}
progress(`${((performance.now() - started) / 1000).toFixed(0)} s`)
