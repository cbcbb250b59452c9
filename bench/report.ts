/** Writes the results as Markdown. */
import { amountTable } from './amounts/report.ts'
import { bulkTable } from './bulk/report.ts'
import { goals, verdict, type Results } from './goals.ts'
import { has, type Sample, type Samples } from './measure.ts'
import type { Operation } from './operations.ts'
import type { StartupCost } from './startup.ts'
import { figures, median, ratios, spread, table, times } from './statistics.ts'
import type { StreamCost } from './stream.ts'
import { BASE, type Variant } from './variants.ts'

/** The report of all measurements, goals first. */
export function report (results: Results, operations: readonly Operation[], variants: readonly Variant[]): string {
  const { samples, bulk, stream, startup } = results
  return [
    goalTable(results),
    comparisonTable(samples, operations, variants),
    ...(operations.length === 0 ? [] : [ratioTable(samples, operations, variants)]),
    amountTable(samples),
    ...(bulk === undefined ? [] : [bulkTable(bulk)]),
    ...operations.map((operation) => operationTable(operation, samples, variants)),
    ...(stream === undefined ? [] : [streamTable(stream)]),
    ...(startup === undefined ? [] : [startupTable(startup)]),
  ].filter((part) => part !== '').join('\n\n')
}

function goalTable (results: Results): string {
  const rows = goals.flatMap((goal) => {
    const measured = goal.measured(results)
    const digits = goal.unit === 'x' ? 2 : 0
    const figure = (value: number) => `${value.toFixed(digits)}${goal.unit}`
    return measured === undefined
      ? []
      : [[
          goal.title,
        `<= ${figure(goal.limit)}`,
        figure(median(measured)),
        spread(measured, digits),
        verdict(goal, measured),
        ]]
  })
  return rows.length === 0 ? '' : `## Goals\n\n${table(['', 'goal', 'median', 'range', ''], rows)}`
}

/** The routes of this checkout as a ratio to those of the other one. Empty without another one. */
function comparisonTable (samples: Samples, operations: readonly Operation[], variants: readonly Variant[]): string {
  const other = variants.find(({ name }) => name === 'before')
  if (other === undefined || !variants.some(({ name }) => name === 'crud-kit')) return ''
  const rows = operations.map(({ name, title }) => {
    const cells = (key: 'cpu' | 'postgresCpu') => {
      const values = ratios(samples, { operation: name, variant: 'crud-kit' }, key, {
        operation: name,
        variant: 'before',
      })
      return [times(values), spread(values, 2)]
    }
    return [title, ...cells('cpu'), ...cells('postgresCpu')]
  })
  return `## This checkout, to ${other.title}\n\n${table(['', 'CPU', 'range', 'PostgreSQL CPU', 'range'], rows)}`
}

/** The table of all CPU ratios, the most important one. */
function ratioTable (samples: Samples, operations: readonly Operation[], variants: readonly Variant[]): string {
  const rows = operations.map((
    { name, title }
  ) => [
    title,
    ...variants.map((variant) => {
      const values = ratios(samples, { operation: name, variant: variant.name }, 'cpu')
      return variant.name === BASE ? times(values) : `${times(values)} ${spread(values, 2, ['(', ')'])}`.trim()
    }),
  ])
  return `## CPU of a request, to the hand-written route\n\n${table(['', ...variants.map(({ title }) => title)], rows)}`
}

/** A table with a row for each variant. Values are medians over the rounds. CPU is for one request. */
function operationTable (operation: Operation, samples: Samples, variants: readonly Variant[]): string {
  const { name, title } = operation
  const rows = variants.filter((variant) => has(variant, operation)).map((variant) => {
    const series = { operation: name, variant: variant.name }
    const middle = (key: keyof Sample, digits = 0) => {
      const values = figures(samples, series, key)
      return values === undefined ? '' : median(values).toFixed(digits)
    }
    return [
      variant.title,
      middle('cpu'),
      times(ratios(samples, series, 'cpu')),
      variant.name === BASE ? '' : spread(ratios(samples, series, 'cpu'), 2),
      middle('postgresCpu'),
      times(ratios(samples, series, 'postgresCpu')),
      variant.name === BASE ? '' : spread(ratios(samples, series, 'postgresCpu'), 2),
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
      'range',
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
