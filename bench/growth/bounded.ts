/** Measures whether a list with a bounded total costs as much in a large table as in a small one. */
import { measureGrowth, type GrowthOptions } from './measure.ts'
import { growthOperations } from './operations.ts'
import { growthOf, type Growth } from './report.ts'

const SIZES = [100_000, 10_000_000] as const

/** The growth of the server's time. `undefined` if it was not measured in both tables. */
export async function measureBounded (
  options: Pick<GrowthOptions, 'rounds' | 'onProgress'>
): Promise<Growth | undefined> {
  const { samples } = await measureGrowth({
    ...options,
    sizes: SIZES,
    operations: growthOperations.filter(({ name }) => name === 'bounded'),
    byHand: false,
    seconds: 0.4,
  })
  return growthOf(samples, 'bounded', SIZES)
}
