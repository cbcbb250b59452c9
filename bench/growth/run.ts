/**
 * npm run bench -- --growth: measures PostgreSQL's time for each request with 10 000 to 10 000 000 rows. Prints
 * Markdown; --save writes it to bench/GROWTH.md. --quick leaves out the largest table. --only chooses requests.
 */
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { conditions, loadOfMachine } from '../conditions.ts'
import { measureGrowth } from './measure.ts'
import { growthOperations } from './operations.ts'
import { count, FLAT, growthTables } from './report.ts'

const { values: options } = parseArgs({
  options: {
    growth: { type: 'boolean' },
    save: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seconds: { type: 'string', default: '0.15' },
  },
})
const sizes = options.quick ? [10_000, 100_000, 1_000_000] : [10_000, 100_000, 1_000_000, 10_000_000]
const operations = growthOperations.filter(({ name }) => options.only?.includes(name) ?? true)
const rounds = Number(options.rounds ?? (options.quick ? 3 : 5))
const started = performance.now()
const load = loadOfMachine()
const { samples, version } = await measureGrowth({
  sizes,
  operations,
  byHand: true,
  rounds,
  seconds: Number(options.seconds),
  onProgress: (text) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`),
})
const lines = [
  ...conditions(version, load, []),
  'CPU time of PostgreSQL for one request, in microseconds, by the number of rows of `categories`. There are as many ' +
  `products, tickets and items. The figures are medians of ${rounds} rounds, in which the tables take turns of 50 ms.`,
  '**growth** is the ratio of the largest table to the smallest one in which the request finds as many rows. It ' +
  'is the median of the ratios of the rounds, with the smallest and the largest ratio.',
  'The cost grows like the number of rows to the power of **exponent**: 0 is flat, 1 is linear.',
  `Up to ${FLAT}x counts as flat. An index of 10 000 000 rows has one or two more levels than one of 10 000, and its ` +
  'pages are less often in the caches of the CPU.',
  `The run took ${((performance.now() - started) / 60_000).toFixed(0)} minutes. Most of it is filling the tables.`,
]
const text = `${lines.map((line) => `- ${line}`).join('\n')}\n\n${growthTables(samples, operations, sizes)}\n`
console.log(text)
if (options.save) {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  // plans must be interpreted, so notes.md is written by hand and appended
  fs.writeFileSync(
    file('../GROWTH.md'),
    `# Growth\n\nWritten by \`npm run bench -- --growth --save\`, for up to ${count(sizes.at(-1)!)} rows; ` +
      `[README.md](README.md) describes it.\n\n${text}\n${fs.readFileSync(file('notes.md'), 'utf8')}`
  )
}
