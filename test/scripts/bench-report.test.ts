/** The tables that the benchmark writes. */
import t from 'tap'
import { amountTable } from '../../bench/amounts/report.ts'
import { goals, verdict } from '../../bench/goals.ts'
import type { Sample, Samples } from '../../bench/measure.ts'
import type { OperationName } from '../../bench/operations.ts'
import { figures, ratios } from '../../bench/statistics.ts'
import type { VariantName } from '../../bench/variants.ts'

const sample = (cpu: number, postgresCpu: number | undefined = cpu): Sample => ({
  cpu, postgresCpu, perSecond: 1, p50: 1, p99: 1, peakMemory: undefined,
})

const samplesOf = (
  operation: OperationName,
  rounds: Readonly<Partial<Record<VariantName, ReadonlyArray<Sample | undefined>>>>
): Samples => new Map([[operation, new Map(Object.entries(rounds) as Array<[VariantName, Sample[]]>)]])

t.test('a ratio is of the rounds in which both variants took part', async (t) => {
  const samples = samplesOf('list', {
    'hand-written': [sample(10), sample(20), sample(40)],
    'mikro-orm': [sample(30), undefined, sample(60)],
  })
  const series = { operation: 'list', variant: 'mikro-orm' } as const
  t.strictSame(ratios(samples, series, 'cpu'), [3, 1.5])
  t.strictSame(figures(samples, series, 'cpu'), [30, 60])
  t.equal(ratios(samples, series, 'peakMemory'), undefined, 'a figure that this system does not have')
  t.equal(ratios(samples, { ...series, variant: 'platformatic' }, 'cpu'), undefined, 'a variant that is left out')
  t.equal(ratios(samples, series, 'cpu', { ...series, variant: 'before' }), undefined)
})

t.test('a goal is met if the median of the rounds meets it', async (t) => {
  const goal = goals.find(({ title }) => title === 'list: CPU to hand-written')!
  const samples = samplesOf('list', {
    'hand-written': [sample(100), sample(100), sample(100)],
    'crud-kit': [sample(90), sample(115), sample(400)],
  })
  const measured = goal.measured({ samples })!
  t.strictSame(measured, [0.9, 1.15, 4])
  t.equal(verdict(goal, measured), 'met by less than 1 %')
  t.equal(verdict(goal, [1.38]), '**not met** by 20 %')
  t.equal(verdict(goal, [1.152]), '**not met** by less than 1 %')
  t.equal(goal.measured({ samples: new Map() }), undefined)
})

t.test('a statement that suits other numbers of rows only is a cliff', async (t) => {
  const rows = (amount: 30 | 5000, cpu: number) =>
    samplesOf(`list-${amount}`, { 'hand-written-any': [sample(100)], 'crud-kit': [sample(100, cpu)] })
  const table = amountTable(new Map([...rows(30, 110), ...rows(5000, 150)]))
  t.match(table, /\| list \| 30 \| .* 1\.10x \| {2}\| {2}\|/)
  t.match(table, /\| list \| 5 000 \| .* 1\.50x \| {2}\| \*\*cliff\*\* \|/)
  t.notMatch(table, 'half of all')
  t.equal(amountTable(new Map()), '')
})
