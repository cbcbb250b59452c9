/**
 * Runs the property tests of the suite. Every run of the suite draws the same examples, so that failures can be
 * repeated. `FUZZ_SEED`, an integer, draws others. `FUZZ_RUNS_FACTOR`, 1 or more, draws that many times as many.
 */
import fc, { type Arbitrary, type IAsyncProperty, type IProperty } from 'fast-check'

const SEED = 20_260_105
/** The number of examples of a test that does not set it. */
const RUNS = 100

/** The examples that a property test draws. */
export interface Runs {
  /** Examples to draw. Default: 100. */
  readonly numRuns?: number
  /**
   * The number of the series, for one of several series of examples in a test. Without it, they would draw the same.
   * Default: 0.
   */
  readonly series?: number
}

/**
 * Asserts that a property holds for all examples. The error names the seed and path of the counterexample.
 *
 * @example assertProperty(fc.property(fc.integer(), (n) => n === -(-n)), { numRuns: 1000 })
 */
export function assertProperty<Values> (property: IAsyncProperty<Values>, runs?: Runs): Promise<void>
export function assertProperty<Values> (property: IProperty<Values>, runs?: Runs): void
export function assertProperty<Values> (
  property: IAsyncProperty<Values> | IProperty<Values>,
  { numRuns = RUNS, series = 0 }: Runs = {}
): Promise<void> | void {
  const { seed, factor } = drawing(process.env)
  return fc.assert(property as IAsyncProperty<Values>, { seed: seed + series, numRuns: Math.ceil(numRuns * factor) })
}

/** Draws examples, for a test that compares many of them. */
export function draw<Value> (values: fc.Arbitrary<Value>, { numRuns = RUNS, series = 0 }: Runs = {}): Value[] {
  const { seed, factor } = drawing(process.env)
  return fc.sample(values, { seed: seed + series, numRuns: Math.ceil(numRuns * factor) })
}

/**
 * Whether a property fails for one of the examples, for tests that show what a property finds. The first such example
 * is enough, so it is not made smaller. The property returns whether it holds, and an error that it throws is thrown.
 */
export async function isRefuted<Values extends [unknown, ...unknown[]]> (
  arbitraries: { readonly [Index in keyof Values]: Arbitrary<Values[Index]> },
  holds: (...values: Values) => Promise<boolean>,
  { numRuns = RUNS, series = 0 }: Runs = {}
): Promise<boolean> {
  const { seed, factor } = drawing(process.env)
  let refuted = false
  const property = fc.asyncProperty<Values>(...arbitraries as never, async (...values: Values) => {
    refuted = !await holds(...values)
    return !refuted
  })
  const { errorInstance } = await fc.check(property, {
    seed: seed + series, numRuns: Math.ceil(numRuns * factor), endOnFailure: true,
  })
  if (!refuted && errorInstance !== null) throw errorInstance
  return refuted
}

/**
 * The seed, and the factor for the number of examples.
 *
 * @throws {Error} for a setting that is not such a number, so that a typing error does not pass for a long run
 */
export function drawing (env: NodeJS.ProcessEnv): { readonly seed: number, readonly factor: number } {
  const seed = numberOf(env, 'FUZZ_SEED', SEED)
  const factor = numberOf(env, 'FUZZ_RUNS_FACTOR', 1)
  if (!Number.isSafeInteger(seed)) throw new Error(`FUZZ_SEED must be an integer; it is ${env['FUZZ_SEED']}`)
  if (!(factor >= 1 && factor < Infinity)) {
    throw new Error(`FUZZ_RUNS_FACTOR must be a number of 1 or more; it is ${env['FUZZ_RUNS_FACTOR']}`)
  }
  return { seed, factor }
}

function numberOf (env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const text = env[name]?.trim() ?? ''
  return text === '' ? otherwise : Number(text)
}
