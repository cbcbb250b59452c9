/** Writes the results as Markdown. */
import { goals, verdict, type Results } from './goals.ts'
import type { Sample, Samples } from './measure.ts'
import type { Operation } from './operations.ts'
import type { StartupCost } from './startup.ts'
import { figures, median, ratio } from './statistics.ts'
import type { StreamCost } from './stream.ts'
import type { Variant } from './variants.ts'

/** The report of all measurements, goals first. */
export function report (results: Results, operations: readonly Operation[], variants: readonly Variant[]): string {
  const { samples, stream, startup } = results
  return [
    goalTable(results),
    ...(operations.length === 0 ? [] : [ratioTable(samples, operations, variants)]),
    ...operations.map((operation) => operationTable(operation, samples, variants)),
    ...(stream === undefined ? [] : [streamTable(stream)]),
    ...(startup === undefined ? [] : [startupTable(startup)]),
  ].filter((part) => part !== '').join('\n\n')
}

function goalTable (results: Results): string {
  const rows = goals.flatMap((goal) => {
    const measured = goal.measured(results)
    const figure = (value: number) => `${goal.unit === 'x' ? value.toFixed(2) : value.toFixed(0)}${goal.unit}`
    return measured === undefined
      ? []
      : [[goal.title, `<= ${figure(goal.limit)}`, figure(measured), verdict(goal, measured)]]
  })
  return rows.length === 0 ? '' : `## Goals\n\n${table(['', 'goal', 'measured', ''], rows)}`
}

/** The table of all CPU ratios, the most important one. */
function ratioTable (samples: Samples, operations: readonly Operation[], variants: readonly Variant[]): string {
  const rows = operations.map((
    { name, title }
  ) => [title, ...variants.map((variant) => times(ratio(samples, { operation: name, variant: variant.name }, 'cpu')))])
  return `## CPU of a request, to the hand-written route\n\n${table(['', ...variants.map(({ title }) => title)], rows)}`
}

/** A table with a row for each variant. Values are medians over the rounds; CPU is for one request. */
function operationTable ({ name, title }: Operation, samples: Samples, variants: readonly Variant[]): string {
  const rows = variants.map((variant) => {
    const series = { operation: name, variant: variant.name }
    const middle = (key: keyof Sample, digits = 0) => {
      const values = figures(samples, series, key)
      return values === undefined ? '' : median(values).toFixed(digits)
    }
    return [
      variant.title,
      middle('cpu'),
      times(ratio(samples, series, 'cpu')),
      spread(figures(samples, series, 'cpu')!),
      middle('postgresCpu'),
      times(ratio(samples, series, 'postgresCpu')),
      middle('perSecond'),
      middle('p50', 1),
      middle('p99', 1),
      middle('peakMemory'),
    ]
  })
  return `### ${title}\n\n${
    table([
      '',
      'CPU, us',
      'ratio',
      'range',
      'PostgreSQL CPU, us',
      'ratio',
      'requests/s',
      'p50, ms',
      'p99, ms',
      'peak memory, MiB',
    ], rows)
  }`
}

function startupTable ({ one, fifty }: NonNullable<Results['startup']>): string {
  const cells = (
    costs: readonly StartupCost[],
    key: keyof StartupCost
  ) => [median(costs.map((cost) => cost[key])).toFixed(0), spread(costs.map((cost) => cost[key]))]
  const row = (title: string, key: keyof StartupCost) => [title, ...cells(one, key), ...cells(fifty, key)]
  return `### Start-up, CPU of a fresh process\n\n${
    table(['', '1 resource: CPU, ms', 'range', '50 resources: CPU, ms', 'range'], [
      row('Fastify and MikroORM: import, init, an empty server made ready', 'others'),
      row('fastify-crud-kit: import', 'imported'),
      row('fastify-crud-kit: resources registered, the server made ready', 'registered'),
      row('**fastify-crud-kit: sum**', 'sum'),
    ])
  }`
}

function streamTable ({ rows, before, peak, rowsPerSecond }: StreamCost): string {
  return `### ${rows.toLocaleString('en')} rows as NDJSON\n\n${
    table(['', 'before, MiB', 'peak, MiB', 'growth, MiB', 'rows/s'], [
      ['fastify-crud-kit', before.toFixed(0), peak.toFixed(0), (peak - before).toFixed(0), rowsPerSecond.toFixed(0)],
    ])
  }`
}

const times = (value: number | undefined) => value === undefined ? '' : `${value.toFixed(2)}x`

const spread = (values: readonly number[]) => `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`

function table (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const rule = head.map((_, column) => column === 0 ? '---' : '---:')
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
