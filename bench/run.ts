/**
 * npm run bench: measures the generated routes, hand-written routes, routes on MikroORM's own methods and, if they are
 * installed, other libraries, on 100 000 categories and 500 000 products in a throw-away PostgreSQL. Prints Markdown.
 *
 * Each variant is a separate process. They take short turns, one at a time, with the same number of connections to the
 * same server. This process is the client. See README.md for the meaning of the numbers, and for the options below.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CATEGORIES, PRODUCTS_EACH } from './amounts.ts'
import { amountOperations } from './amounts/operations.ts'
import { measureBulk } from './bulk/measure.ts'
import { forgetBuilt } from './built.ts'
import { chart } from './chart.ts'
import { conditions, loadOfMachine } from './conditions.ts'
import { updateFigures } from './figures.ts'
import type { Results } from './goals.ts'
import { measureBounded } from './growth/bounded.ts'
import { operations } from './operations.ts'
import { OTHER_PARTS, readOptions } from './options.ts'
import { checkOut } from './other-checkout.ts'
import { report } from './report.ts'
import { measureRequests } from './requests.ts'
import { measureStartup } from './startup.ts'
import { before, peersInstalled, variants } from './variants.ts'

forgetBuilt()

// Ctrl-C ends the process through 'exit', which stops PostgreSQL and removes temporary files
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

if (process.argv.includes('--all')) {
  await import('./all.ts')
  process.exit()
}
if (process.argv.includes('--figures')) {
  updateFigures()
  process.exit()
}
for (const part of ['worst', 'growth', 'distributed']) {
  if (process.argv.includes(`--${part}`)) {
    await import(`./${part}/run.ts`)
    if (process.argv.includes('--save')) updateFigures()
    process.exit()
  }
}

const options = readOptions(
  process.argv.slice(2),
  [...[...operations, ...amountOperations].map(({ name }) => name), ...OTHER_PARTS],
  variants.map(({ name }) => name)
)
const { rounds, warmUp } = options
if (options.before !== undefined) forgetBuilt(options.before)
const chosen = operations.filter(({ name }) => options.includes(name))
const amounts = amountOperations.filter(({ name }) => options.includes(name, 'amounts'))
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

if (chosen.length > 0 || amounts.length > 0 || options.includes('stream')) {
  const { version, ...measured } = await measureRequests({
    ...options,
    operations: chosen,
    amounts,
    variants: compared,
    onProgress: progress,
  })
  results = measured
  lines.push(
    ...conditions(version, load, compared),
    `${CATEGORIES} categories with ${PRODUCTS_EACH} products each, ${options.connections} connections, ` +
      `pools of ${options.pool}. ${rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`} ` +
      `of ${options.seconds} s for each variant, after ${warmUp} that ${warmUp === 1 ? 'does' : 'do'} not count. A ` +
      'ratio is the median of the ratios of the rounds, and the range has the smallest and the largest one.'
  )
}
if (options.includes('bulk')) {
  progress('measuring: writes of several records')
  results = { ...results, bulk: await measureBulk({ ...options, onProgress: progress }) }
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
  updateFigures()
}
progress(`${((performance.now() - started) / 1000).toFixed(0)} s`)
