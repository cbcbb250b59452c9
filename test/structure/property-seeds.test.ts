/** Property tests draw the same examples in every run, because all of them use one helper, which has the seed. */
import fc from 'fast-check'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { assertProperty, drawing } from '../helpers/property.ts'

const folder = path.join(import.meta.dirname, '..')
const HELPER = path.join('helpers', 'property.ts')

t.test('no test draws examples without the helper', async (t) => {
  const files = fs.globSync('**/*.ts', { cwd: folder }).filter((file) =>
    file !== HELPER && !import.meta.filename.endsWith(file)
  )
  const text = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8')
  t.ok(files.some((file) => text(file).includes('assertProperty(')), 'property tests are found')
  t.strictSame(files.filter((file) => /\bfc\.(?:assert|check|sample|statistics)\b|\bMath\.random\b/.test(text(file))),
    [])
})

t.test('every run draws the same examples', async (t) => {
  const drawn = (): number[] => {
    const values: number[] = []
    assertProperty(
      fc.property(fc.integer(), (value) => {
        values.push(value)
      }),
      { numRuns: 20 }
    )
    return values
  }
  t.strictSame(drawn(), drawn())
})

t.test('the environment sets another seed and more runs', async (t) => {
  const usual = drawing({})
  t.equal(usual.factor, 1)
  t.strictSame(drawing({ FUZZ_SEED: ' ', FUZZ_RUNS_FACTOR: '' }), usual)
  t.strictSame(drawing({ FUZZ_SEED: '-232023565', FUZZ_RUNS_FACTOR: '2.5' }), { seed: -232_023_565, factor: 2.5 })
  for (const seed of ['x', '1.5', 'NaN']) t.throws(() => drawing({ FUZZ_SEED: seed }), /FUZZ_SEED must be an integer/)
  for (const factor of ['x', '0', '0.5', '-1', 'Infinity']) {
    t.throws(() => drawing({ FUZZ_RUNS_FACTOR: factor }), /FUZZ_RUNS_FACTOR must be/)
  }
})
