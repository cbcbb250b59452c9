/** The soak's result: a table for the terminal, and a paragraph for docs/operating/operations.md. */
import type { Fate } from './ledger.ts'
import type { Tally } from './load.ts'

export interface Memory {
  readonly heap: number
  readonly rss: number
}

export interface Result {
  readonly minutes: number
  readonly tallies: ReadonlyMap<string, Tally>
  readonly disturbances: Readonly<Record<string, number>>
  readonly writes: Readonly<Record<Fate, number>>
  readonly warm: Memory
  readonly final: Memory
  readonly exitMillis: number | undefined
  readonly failures: readonly string[]
}

const MIB = 2 ** 20
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`
const number = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ')

/** The growth of the heap since the server was warm, as a ratio. */
export const growth = ({ warm, final }: Pick<Result, 'warm' | 'final'>): number => final.heap / warm.heap - 1

function table (rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map(
    (row) =>
      row.map(
        (cell, column) => column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
      ).join('  ')
  ).join('\n')
}

const sum = (
  tallies: Iterable<Tally>,
  of: (tally: Tally) => number
): number => [...tallies].reduce((total, tally) => total + of(tally), 0)
const all = ({ success, refused, unavailable, cut }: Tally): number => success + refused + unavailable + cut

export function printTable ({ tallies, disturbances, writes, warm, final, exitMillis }: Result): void {
  console.log(table([
    ['request', '2xx', '4xx', '503', 'cut'],
    ...[...tallies].sort().map(
      ([what, { success, refused, unavailable, cut }]) => [what, ...[success, refused, unavailable, cut].map(number)]
    ),
  ]))
  console.log()
  console.log(table([
    ...Object.entries(disturbances).map(([name, count]) => [name, number(count)]),
    ...Object.entries(writes).map(([fate, count]) => [`writes ${fate}`, number(count)]),
    [
      'heap after the first minute, at the end',
      `${mib(warm.heap)}, ${mib(final.heap)} (${(100 * growth({ warm, final })).toFixed(1)} %)`,
    ],
    ['resident memory', `${mib(warm.rss)}, ${mib(final.rss)}`],
    ['exit after close', exitMillis === undefined ? 'none' : `${exitMillis} ms`],
  ]))
}

/** Writes the paragraph for docs/operating/operations.md. */
export function paragraph ({ minutes, tallies, disturbances, writes, warm, final }: Result, date: Date): string {
  const values = [...tallies.values()]
  const events = Object.entries(disturbances).map(([name, count]) => `${count} ${name}`).join(', ')
  const { acknowledged, refused, unknown } = writes
  const text = `
    On ${date.toISOString().slice(0, 10)} \`npm run soak\` sent ${
    number(sum(values, all))
  } requests in ${minutes} min to
    one process with 10 connections. ${number(sum(values, ({ cut }) => cut))} of them were cut off, by clients that
    went away, read slowly or sent half of a request, or with the database. Events on the database in that time:
    ${events}. ${number(sum(values, ({ unavailable }) => unavailable))} requests were answered 503, none 500. Of
    ${number(acknowledged)} acknowledged writes none was lost or doubled, of ${number(refused)} refused ones none was
    done, and the ${number(unknown)} of unknown outcome were done once or not at all. The heap had ${mib(warm.heap)}
    after the first minute and ${mib(final.heap)} at the end; resident memory had ${mib(warm.rss)} and
    ${mib(final.rss)}. No connection stayed in use, and the process ended by itself after \`app.close()\`.`
  return text.trim().replace(/\s+/g, ' ')
}
