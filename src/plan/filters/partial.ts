/** Partial filters, which search a property for a text or match it against a pattern. */
import type { PartialFilter } from '../../config/index.ts'
import { PARTIAL } from '../../operators/index.ts'
import type { FilterKind } from './kind.ts'
import { operators, resolveOperators, targetOf, type OperatorFilter } from './operators.ts'

/** A filter by operators that read values differently, as `PARTIAL` says. Inside of JSON, it compares text. */
export const partial: FilterKind<PartialFilter<string>, OperatorFilter<'partial'>> = {
  resolve: (filter, model) =>
    resolveOperators(filter, targetOf(filter.field, model, 'string'), (operator) => PARTIAL[operator]),
  plan: operators.plan,
  compared: operators.compared,
  describe: (entry) => ({ ...operators.describe(entry), looks: 'partial' }),
  takesOperators: true,
}
