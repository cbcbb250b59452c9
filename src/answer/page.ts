/** The answer of a list: the items as the database wrote them, and the page information. */
import {
  PAGE_STYLES, type AnswerValues, type InfoOf, type SkippingStyle, type StyleName, type TotalInfo,
} from '../base/page-styles.ts'
import type { KeysetPlan, ListPlan, Window } from '../plan/index.ts'
import { FACETS_COLUMN, type Row } from '../sql/index.ts'
import { parseExact } from '../model/index.ts'
import { toWireOfValue } from './wire.ts'

/**
 * The page information for the row of a list.
 *
 * @param row with `fetched`, the number of rows found, and `total`
 * @param total an estimate instead of the total of the row
 */
export function pageInfo (
  { style, offset, limit, count }: Window,
  row: Row,
  total: unknown = row.total
): InfoOf<SkippingStyle> {
  const fetched = Number(row.fetched)
  const counted = total === null ? null : Number(total)
  const totals = totalsOf(counted, count)
  const { skips, answer } = PAGE_STYLES[style]
  const values: Omit<AnswerValues, 'cursor'> = {
    place: skips.place(offset, limit),
    size: limit,
    pages: totals.total === null ? null : Math.ceil(totals.total / limit),
  }
  // the totals are a new object, which gets the other members instead of being copied
  const info = totals as unknown as Record<string, unknown>
  for (const name in answer) info[name] = values[answer[name as keyof typeof answer]]
  // without an exact total, the page has one row more than its limit if others follow
  info.has_next = counted === null || count !== 'exact' ? fetched > limit : offset + fetched < counted && fetched > 0
  info.has_prev = offset > 0 && counted !== 0
  return info as unknown as InfoOf<SkippingStyle>
}

/** The total of an answer. A bounded total is the bound if there are more rows. */
function totalsOf (counted: number | null, count: Window['count']): TotalInfo {
  if (typeof count !== 'object' || counted === null) return { total: counted }
  return { total: Math.min(counted, count.upTo), total_is_minimum: counted > count.upTo }
}

/**
 * The total, if the fetched rows show it: on the last page, or on the first page if it is empty. One extra row is
 * fetched.
 */
export function totalOfPage ({ offset, limit }: Window, row: Row): number | undefined {
  const fetched = Number(row.fetched)
  return fetched <= limit && (fetched > 0 || offset === 0) ? offset + fetched : undefined
}

/**
 * The planner's estimate of a total, corrected by the page: at least the number of rows known to exist, and at most the
 * offset if the page is empty.
 *
 * @param plan the row of `explain (format json)`
 */
export function plannedTotal ({ offset }: Window, row: Row, plan: Row): number {
  const text = plan['QUERY PLAN']
  const [{ Plan }] = (typeof text === 'string' ? JSON.parse(text) : text) as [Explained]
  const rows = plannedRows(Plan)
  const fetched = Number(row.fetched)
  return fetched === 0 ? Math.min(rows, offset) : Math.max(rows, offset + fetched)
}

interface Explained {
  readonly Plan: {
    readonly 'Plan Rows': number,
    /** Citus: the plans of the tasks that nodes do. By default it shows one of them. */
    readonly 'Distributed Query'?: {
      readonly Job: {
        readonly 'Task Count': number,
        readonly Tasks: readonly { readonly 'Remote Plan': ReadonlyArray<readonly Explained[]> }[],
      },
    },
  }
}

/** The rows that the planner expects. A distributed plan itself has a constant, and its tasks have the estimates. */
function plannedRows (plan: Explained['Plan']): number {
  const job = plan['Distributed Query']?.Job
  if (job === undefined) return plan['Plan Rows']
  const shown = job.Tasks.map((task) => task['Remote Plan'][0]![0]!.Plan['Plan Rows'])
  const sum = shown.reduce((sum, rows) => sum + rows, 0)
  return shown.length === 0 ? 0 : Math.round(sum / shown.length * job['Task Count'])
}

/**
 * The whole answer as JSON text.
 *
 * @param facets the JSON of the facets, if the request asks for some
 */
export function pageJson (items: string, info: InfoOf<StyleName>, facets?: string): string {
  // the page information without its opening brace
  const page = `{"items":${items},${JSON.stringify(info).slice(1)}`
  return facets === undefined ? page : `${page.slice(0, -1)},"facets":${facets}}`
}

/** A value of a facet, as the database writes it. */
interface Counted {
  value: unknown
}

/** The JSON of the facets of a plan; `undefined` if it has none. */
export function facetsJson ({ facets }: Pick<ListPlan | KeysetPlan, 'facets'>, row: Row): string | undefined {
  if (facets === undefined) return undefined
  const text = row[FACETS_COLUMN] as string
  const conversions = facets.flatMap(({ term }) => {
    const convert = toWireOfValue(term)
    return convert === undefined ? [] : [[term.name, convert] as const]
  })
  if (conversions.length === 0) return text
  const values = parseExact(text) as Readonly<Record<string, Counted[]>>
  for (const [name, convert] of conversions) {
    for (const counted of values[name]!) counted.value = convert(counted.value)
  }
  return JSON.stringify(values)
}

/**
 * The JSON text of a list of JSON texts. `join` would copy each text, and sending the answer copies all of them again.
 */
export function listJson (texts: readonly string[]): string {
  let json = ''
  for (const text of texts) json += json === '' ? text : `,${text}`
  return `[${json}]`
}
