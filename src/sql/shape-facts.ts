/**
 * Facts by which `form.ts` chooses the form of a statement. They depend only on the shape of the plan, so they are
 * computed once for each shape and kept with it.
 */
import { isFormula, keyColumns } from '../model/index.ts'
import { isComputed, isCustomTerm, type ListPlan } from '../plan/index.ts'
import { forecastOf } from './forecast.ts'
import { comparesNumber, hasFormula, sortedNumbers } from './number-uses.ts'
import type { ListShape, Shape } from './shape.ts'

/** What all plans of one shape say about their form. */
export interface ShapeFacts {
  /** Whether a condition may leave out rows. */
  readonly leavesOut: boolean
  /** Whether records show the values of formulas. */
  readonly showsComputed: boolean
  /** Whether a page needs much more of its rows than of the others, and looks them up by their keys. */
  readonly mayLookUp: boolean
  /** Whether a page needs every row that the filters keep, if there is an exact total. */
  readonly needsAll: boolean
  /** Whether numbers about related rows may be computed for each row by itself. */
  readonly mayCompute: boolean
  /** Whether only a measured statement keeps within the limits. */
  readonly mustMeasure: boolean
}

/** Computes the facts of a shape. Plans with the same shape have the same facts. */
export function shapeFactsOf (shape: Shape): ShapeFacts {
  return {
    ...shape.kind === 'list' ? factsOfList(shape) : NO_LIST,
    mustMeasure: 'selection' in shape && shape.limits !== undefined &&
      forecastOf(shape.selection, shape.limits).mustMeasure,
  }
}

const NO_LIST = { leavesOut: false, showsComputed: false, mayLookUp: false, needsAll: false, mayCompute: false }

const factsOfList = (shape: ListShape): Omit<ShapeFacts, 'mustMeasure'> => ({
  leavesOut: shape.conditions.length > 0 || isFiltered(shape),
  showsComputed: showsComputed(shape),
  mayLookUp: mayLookUp(shape),
  needsAll: needsAll(shape),
  mayCompute: usesNumbers(shape) && narrows(shape) && readsColumns(shape),
})

const isFiltered = ({ filters, model }: ListShape): boolean => filters?.has(model) === true

/**
 * Whether the page needs every row that the filters keep. No index has the order of a relevance, so to count these rows
 * apart would only find them twice. Behind another term, a relevance is computed only for the rows of the page and its
 * ties. The rows have only their keys, and a view would be read twice to look up those of the page.
 */
const needsAll = ({ order, model }: ListShape): boolean => model.readOnly === undefined && isRelevance(order[0]!)

const isRelevance = (term: ListPlan['order'][number]): boolean =>
  !isCustomTerm(term) && term.operand.kind === 'relevance'

/** Whether records show the values of formulas. */
export const showsComputed = ({ selection }: Pick<ListPlan, 'selection'>): boolean =>
  selection.properties.some(isFormula)

const usesNumbers = ({ conditions, order }: ListShape): boolean =>
  conditions.some(comparesNumber) || sortedNumbers(order).length > 0

/** Whether a condition without numbers about related rows may leave out rows. */
const narrows = (shape: ListShape): boolean => isFiltered(shape) || !shape.conditions.every(comparesNumber)

/**
 * Whether the numbers, the order, the records and the facets need nothing of a row but its columns. SQL of the
 * application, as in a formula, may need the row itself.
 */
const readsColumns = (shape: ListShape): boolean =>
  !showsComputed(shape) && shape.facets?.some(({ term: { operand } }) => isComputed(operand)) !== true &&
  !shape.conditions.some((condition) => comparesNumber(condition) && hasFormula(condition)) &&
  shape.order.every((term) => !isCustomTerm(term) && (term.operand.kind === 'number' || !isComputed(term.operand)))

/** At least this many properties are needed only for the rows of the page. A sort of narrower rows is as fast. */
const FEWEST_OTHERS = 2

/** Whether a page needs much more of its rows than of the others. A view would be read twice. */
function mayLookUp ({ model, selection, order }: ListShape): boolean {
  // no record shows a relevance
  const sorted = order.filter((term) => !isRelevance(term))
  return model.readOnly === undefined &&
    selection.properties.length - keyColumns(model).length - sorted.length >= FEWEST_OTHERS
}
