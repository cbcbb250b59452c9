/**
 * The form of the statement of a read: how it finds the rows of a page, their related records and the total, and how it
 * keeps within the limits of an answer. `formOf` alone chooses it. A form may be a guess about the data. If the rows of
 * the statement show that the guess was wrong, `planAgain` (`src/answer/plan-again.ts`) makes a plan that says so, and
 * the read has another statement with the form that `formOf` chooses for it.
 */
import { sameIn } from './same-members.ts'
import type { RelationProperty } from '../model/index.ts'
import type { ListPlan, ReadPlan, PlannedInclude, Window } from '../plan/index.ts'
import type { Dialect } from './dialect.ts'
import { showsRelated } from './members.ts'
import { shapeFactsOf, type ShapeFacts } from './shape-facts.ts'

export interface Form {
  /**
   * Which rows the page is taken from:
   * - `direct`: those of the table in the order of the page, which may end before most rows are read. The total is
   *   counted separately (`rows-direct.ts`).
   * - `gathered`: all rows that the filters keep. They also give the total (`rows-gathered.ts`). If there are too many,
   *   the statement has no answer.
   * - `all`: the same, however many there are.
   */
  readonly rows: 'direct' | 'gathered' | 'all'
  /**
   * What these rows have while the page is taken from them:
   * - `all`: the columns of the answer.
   * - `keys`: keys and sort values. The rows of the page are then looked up by their keys (`rows-by-key.ts`).
   */
  readonly columns: 'all' | 'keys'
  /**
   * How related records are found, where `formOfInclude` and `formOfRelation` permit it:
   * - `each`: for each parent by itself, records in a subquery (`each-parent.ts`) and numbers in a lateral join
   *   (`related-numbers.ts`).
   * - `grouped`: for all parents at once, and then grouped by their key (`record.ts`).
   */
  readonly related: 'each' | 'grouped'
  /**
   * For which rows numbers about related rows are computed that filters compare and sorts order by:
   * - `each`: those that the other conditions keep, for each row by itself, where an index leads to its related rows.
   * - `kept`: those that the other conditions keep, all at once (`table-rows.ts`).
   * - `all`: all rows of the table.
   */
  readonly numbers: 'each' | 'kept' | 'all'
  /**
   * How the statement keeps within the limits of an answer (`weight.ts`):
   * - `none`: nothing included can make the answer too large.
   * - `trusted`: rows and values are cut off just above the limits. A short answer proves that nothing was cut off.
   * - `measured`: the statement counts records and bytes before it writes an answer.
   */
  readonly limits: 'none' | 'trusted' | 'measured'
  /** The total of a list: counted, or up to this number. An estimate takes another statement. */
  readonly total: 'exact' | 'none' | number
  /** How JSON objects are written: from a row, or by `json_build_object`, whose arguments take longer. */
  readonly objects: 'row' | 'built'
  /** Whether the server may keep the statement by a name. */
  readonly isNamed: boolean
}

/** Experience with the latest lists of a shape. */
export interface RowsKept {
  /** How many rows the filters are likely to keep: at most `FEW`, at most as many as are gathered, or more. */
  readonly kept: 'few' | 'some' | 'many'
  /** Whether the filters without numbers about related rows are likely to keep at most as many rows as are gathered. */
  readonly fitsEach: boolean
}

/** Lists whose shape has no experience, because it is read once. */
const UNKNOWN: RowsKept = { kept: 'many', fitsEach: false }

/**
 * Chooses the form of a plan's statement.
 *
 * @param expected how many rows the filters are likely to keep. The plan must then contain all of its conditions
 * @param facts those of the plan's shape, if they are known
 */
export function formOf (
  plan: ReadPlan,
  dialect: Dialect,
  expected: RowsKept = UNKNOWN,
  facts: ShapeFacts = shapeFactsOf(plan)
): Form {
  const { kept } = expected
  const limits = formOfLimits(plan, facts)
  const isList = plan.kind === 'list'
  const rows = isList ? formOfRows(plan, dialect, kept, facts) : 'direct'
  return {
    rows,
    columns: isList && dialect.looksUpRows ? formOfColumns(plan, rows, kept, facts) : 'all',
    related: formOfRelated(plan, dialect, limits),
    numbers: formOfNumbers(dialect, rows, expected, facts),
    limits,
    total: isList ? totalOf(plan.window) : 'none',
    objects: dialect.objects,
    isNamed: isNamed(plan, dialect),
  }
}

/** Whether plans of one shape have the same statement. */
export const isSameForm = sameIn<Form>({
  rows: true,
  columns: true,
  related: true,
  numbers: true,
  limits: true,
  total: true,
  objects: true,
  isNamed: true,
})

const totalOf = ({ count }: Window): Form['total'] =>
  typeof count === 'object' ? count.upTo : count === 'planned' ? 'none' : count

/**
 * Gathered rows are worth their cost unless there are many: the filters are then evaluated once, and not for the page
 * and for the total. Otherwise PostgreSQL may read the table in the order of the page, expecting to fill the page soon,
 * and read most of it.
 */
function formOfRows (plan: ListPlan, dialect: Dialect, kept: RowsKept['kept'], facts: ShapeFacts): Form['rows'] {
  if (!dialect.gathersRows) return 'direct'
  if (kept !== 'many' && plan.hasManyRows !== true && mayGather(plan, facts)) return 'gathered'
  return dialect.looksUpRows && facts.needsAll && totalOf(plan.window) === 'exact' ? 'all' : 'direct'
}

/**
 * The most rows that a statement gathers for an exact total. More take longer than a page and a total apart if the page
 * is read in the order of an index.
 */
const MOST_GATHERED = 10_000
/** For a total up to a lower number, as many rows as are counted, but at least these. */
const FEWEST_GATHERED = 1_000

/** The most rows that a statement gathers. One row more tells that there are too many. */
export function mostGathered (total: Form['total']): number {
  return typeof total === 'number' ? Math.min(Math.max(total, FEWEST_GATHERED), MOST_GATHERED) : MOST_GATHERED
}

/** Whether a page is among the rows that can be gathered. */
function mayGather ({ window }: ListPlan, { leavesOut, showsComputed, mayLookUp }: ShapeFacts): boolean {
  const total = totalOf(window)
  return total !== 'none' &&
    window.offset + window.limit <= mostGathered(total) &&
    leavesOut &&
    // a formula would be evaluated for all gathered rows, and not only for those of the page
    (!showsComputed || mayLookUp)
}

/** The most gathered rows that have all columns: to look up the rows of the page takes longer than to keep so few. */
export const FEW = 500

/**
 * Rows that only pass through a sort have few columns: they take less memory, and the server often finds them in an
 * index alone.
 */
function formOfColumns (
  { window }: ListPlan,
  rows: Form['rows'],
  kept: RowsKept['kept'],
  { showsComputed, mayLookUp }: ShapeFacts
): Form['columns'] {
  if (rows === 'all') return 'keys'
  const isWorthwhile = rows === 'gathered' ? kept !== 'few' || showsComputed : isDeep(window)
  return isWorthwhile && mayLookUp ? 'keys' : 'all'
}

/** To look up the related rows of each row is the fastest way, unless there are many rows. */
function formOfNumbers (
  dialect: Dialect,
  rows: Form['rows'],
  { fitsEach }: RowsKept,
  { mayCompute }: ShapeFacts
): Form['numbers'] {
  if (!dialect.narrowsNumbers) return 'all'
  return rows === 'gathered' && fitsEach && mayCompute ? 'each' : 'kept'
}

/** A page that skips fewer rows is not deep. */
const DEEP = 4_000
/** Rows that a deep page skips for each of its own rows. A look-up by key costs as much as skipping some rows. */
const DEEP_FOR_EACH_ROW = 200

const isDeep = ({ offset, limit }: Window): boolean => offset >= DEEP && offset >= limit * DEEP_FOR_EACH_ROW

function formOfLimits (plan: ReadPlan, { mustMeasure }: ShapeFacts): Form['limits'] {
  if (!('selection' in plan) || plan.limits === undefined) return 'none'
  return plan.isDoubtful === true || mustMeasure ? 'measured' : 'trusted'
}

/**
 * The rows that are measured are read level by level. Related records are looked up for each parent only in statements
 * with few parents, which those of streams are not.
 */
function formOfRelated ({ kind }: ReadPlan, dialect: Dialect, limits: Form['limits']): Form['related'] {
  const isPage = kind === 'list' || kind === 'keyset' || kind === 'get'
  return isPage && dialect.readsEachParent && limits !== 'measured' ? 'each' : 'grouped'
}

/** How the rows of one relation are found. Without an index, `each` would read the table for each parent. */
export function formOfRelation (related: Form['related'], { join }: RelationProperty): Form['related'] {
  return related === 'each' && join.indexed ? 'each' : 'grouped'
}

/** The form of one include. Records that show relations themselves are read level by level. */
export function formOfInclude ({ related }: Form, { relation, selection }: PlannedInclude): Form['related'] {
  return showsRelated(selection) ? 'grouped' : formOfRelation(related, relation)
}

/**
 * The server plans a list for the values of each run, even if it keeps the statement (`custom-plan.ts`). Of the other
 * statements, those whose number of rows depends on the values are not kept.
 */
function isNamed ({ kind }: ReadPlan, dialect: Dialect): boolean {
  switch (kind) {
    case 'get':
    case 'exists':
      return true
    case 'list':
    case 'keyset':
    case 'aggregate':
      return dialect.keepsPlannedForValues
    case 'stream':
    case 'records':
    case 'count':
    case 'estimate':
      return false
  }
}
