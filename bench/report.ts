/** Samples to Markdown. */
import type { Sample } from './measure.ts'
import type { StartupCost } from './startup.ts'
import type { StreamCost } from './stream.ts'
import { BASE, variants, type VariantName } from './variants.ts'

export function median (values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** One operation: a row for each variant, medians over the rounds; CPU is that of one request. */
export function operationTable (title: string, samples: ReadonlyMap<VariantName, readonly Sample[]>): string {
  const of = (name: VariantName, key: keyof Sample) => median(samples.get(name)!.map((sample) => sample[key] ?? NaN))
  // of the same round: what else the machine does changes from round to round
  const ratio = (name: VariantName, key: keyof Sample) =>
    `${median(samples.get(name)!.map((sample, round) => (sample[key] ?? NaN) / (samples.get(BASE)![round]![key] ?? NaN))).toFixed(2)}x`
  const ahead = median(samples.get('mikro-orm')!.map(({ cpu }, round) => cpu / samples.get('crud-kit')![round]!.cpu)).toFixed(1)
  const rows = variants.map(({ name, title }) => [
    title,
    of(name, 'cpu').toFixed(0), ratio(name, 'cpu'), spread(samples.get(name)!.map(({ cpu }) => cpu)),
    ...(Number.isNaN(of(name, 'postgresCpu')) ? ['', ''] : [of(name, 'postgresCpu').toFixed(0), ratio(name, 'postgresCpu')]),
    of(name, 'perSecond').toFixed(0), of(name, 'p50').toFixed(1), of(name, 'p99').toFixed(1),
  ])
  const head = ['', 'CPU, us', 'ratio', 'range', 'PostgreSQL CPU, us', 'ratio', 'requests/s', 'p50, ms', 'p99, ms']
  return `### ${title}\n\n${table(head, rows)}\n\nMikroORM's CPU is ${ahead} times that of fastify-crud-kit.\n`
}

export function startupTable (costs: readonly StartupCost[]): string {
  const row = (title: string, key: keyof StartupCost) => [title, median(costs.map((cost) => cost[key])).toFixed(0), spread(costs.map((cost) => cost[key]))]
  return `### Start-up, CPU of a fresh process\n\n${table(['', 'CPU, ms', 'range'], [
    row('Fastify and MikroORM: import, init, an empty server made ready', 'others'),
    row('fastify-crud-kit: import', 'imported'),
    row('fastify-crud-kit: one resource registered, the server made ready', 'registered'),
    row('**fastify-crud-kit: sum**', 'sum'),
  ])}\n`
}

export function streamTable ({ rows, before, peak, rowsPerSecond }: StreamCost): string {
  return `### ${rows.toLocaleString('en')} rows as NDJSON\n\n${table(['', 'before, MiB', 'peak, MiB', 'growth, MiB', 'rows/s'], [
    ['fastify-crud-kit', before.toFixed(0), peak.toFixed(0), (peak - before).toFixed(0), rowsPerSecond.toFixed(0)],
  ])}\n`
}

const spread = (values: readonly number[]) => `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`

function table (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const rule = head.map((_, column) => column === 0 ? '---' : '---:')
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
