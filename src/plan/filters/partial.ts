/** Partial filters: text that stands anywhere in a property, or a pattern. */
import type { PartialFilter } from '../../config/index.ts'
import { PARTIAL } from '../../operators/index.ts'
import type { FilterKind } from './kind.ts'
import { operators, resolveOperators, type OperatorFilter } from './operators.ts'

/** A filter by operators whose operators read values in their own way. Inside of JSON it compares text. */
export const partial: FilterKind<PartialFilter<string>, OperatorFilter<'partial'>> = {
  resolve: (filter, model) =>
    resolveOperators(filter, model, { jsonType: 'string', formOf: (operator) => PARTIAL[operator] }),
  plan: operators.plan,
  compared: operators.compared,
}
