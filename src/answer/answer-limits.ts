/** Checks the limits of an answer, from what its statement reports and from the length of its text. */
import { TooLargeError } from '../base/errors.ts'
import { PAGE_STYLES, type PageParameterName } from '../base/page-styles.ts'
import type { AggregatePlan, GetPlan, PlannedInclude, KeysetPlan, ListPlan, StreamPlan } from '../plan/index.ts'
import { EXCESS_COLUMN, EXCESS_OF_BYTES, forecastOf, KEYSET_ROW, TOO_LONG, type Form, type Row } from '../sql/index.ts'

/** The plan of an answer with limits. */
export type LimitedPlan = ListPlan | KeysetPlan | GetPlan

/** The most bytes of UTF-8 that a UTF-16 code unit takes. */
const MOST_BYTES = 3

/**
 * Whether the rows leave open if the answer is within its limits, so that its size has to be measured by the database.
 *
 * @throws {TooLargeError} when the answer exceeds a limit
 */
export function isDoubtful (plan: LimitedPlan, form: Form, rows: readonly Row[]): boolean {
  const { limits, selection } = plan
  const [first] = rows
  if (limits === undefined || first === undefined) return false
  const excess = first[plan.kind === 'keyset' ? KEYSET_ROW.excess : EXCESS_COLUMN]
  if (typeof excess === 'string') throw tooLarge(plan, excess)
  const texts = plan.kind === 'list' ? [first.items] : rows.map((row) => row[KEYSET_ROW.item])
  let length = 0
  for (const text of texts) if (typeof text === 'string') length += text.length
  if (form.limits === 'trusted') {
    const { longest, countable, doubtfulBytes } = forecastOf(selection, limits)
    if (length >= doubtfulBytes) return true
    if (
      (longest !== undefined || countable) && texts.some((text) => typeof text === 'string' && text.includes(TOO_LONG))
    ) return true
  }
  if (length * MOST_BYTES > limits.maxBytes) {
    let bytes = 0
    for (const text of texts) if (typeof text === 'string') bytes += Buffer.byteLength(text)
    if (bytes > limits.maxBytes) throw tooLarge(plan, EXCESS_OF_BYTES)
  }
  return false
}

/**
 * Checks the JSON of one record of a stream.
 *
 * @throws {TooLargeError} when the record is larger than an answer may be
 */
export function checkRecord (plan: StreamPlan, json: string): void {
  const { limits } = plan
  if (limits === undefined || json.length * MOST_BYTES <= limits.maxBytes) return
  if (Buffer.byteLength(json) > limits.maxBytes) throw tooLarge(plan, EXCESS_OF_BYTES)
}

/**
 * Checks the JSON of the groups of an answer.
 *
 * @throws {TooLargeError} when it is larger than an answer may be
 */
export function refuseLongGroups ({ maxBytes, window }: AggregatePlan, items: string): void {
  if (items.length * MOST_BYTES <= maxBytes || Buffer.byteLength(items) <= maxBytes) return
  const parameter = PAGE_STYLES[window.style].size
  throw new TooLargeError([{
    source: { parameter },
    code: CODE,
    detail: `The answer would have more than ${maxBytes} bytes. Ask for fewer groups at once (${parameter}).`,
  }])
}

/** @throws {TooLargeError} if an answer that must have all groups lacks some */
export function refuseManyGroups ({ isWhole, window: { limit } }: AggregatePlan, total: number | null): void {
  if (!isWhole || total === null || total <= limit) return
  throw new TooLargeError([{
    source: { parameter: 'group' },
    code: CODE,
    detail: `There are ${total} groups, and an answer without pages has at most ${limit}. Ask for one page after the ` +
      'other (page and per_page), or for fewer groups by filters.',
  }])
}

const CODE = 'FST_CRUD_TOO_LARGE'

/** @param excess the index of the include that has too many records, or `bytes` */
export function tooLarge (plan: LimitedPlan | StreamPlan, excess: string): TooLargeError {
  const { selection: { includes }, limits } = plan
  const size = sizeParameter(plan)
  const whole = plan.kind === 'stream' ? 'a record of the stream' : 'the answer'
  const fewer = size === undefined ? [] : [`fewer records at once (${size})`]
  if (excess === EXCESS_OF_BYTES) {
    const parameter = size ?? (includes.length > 0 ? 'include' : 'fields')
    const ways = [...fewer, 'fewer fields (fields)', ...includes.length > 0 ? ['fewer includes'] : []]
    return new TooLargeError([{
      source: { parameter },
      code: CODE,
      detail: `${upper(whole)} would have more than ${limits!.maxBytes} bytes. Ask for ${oneOf(ways)}.`,
    }])
  }
  const include = includes[Number(excess)]!
  const detail = `With the include '${longestPath(include)}' ${whole} would have more than ${limits!.maxIncluded} ` +
    `included records. Ask for ${oneOf([...fewer, 'fewer includes'])}, or ask for the related records themselves, ` +
    `page by page.${hasMany(include) ? MAY_LIMIT : ''}`
  return new TooLargeError([{ source: { parameter: 'include' }, code: CODE, detail }])
}

const MAY_LIMIT = ' A server may limit the related records of each record (the option limit of AllowedInclude).'

/** Whether an include, or one below it, has several records for each record. */
const hasMany = ({ relation, selection }: PlannedInclude): boolean => relation.many || selection.includes.some(hasMany)

/** The parameter that sets the number of records. */
function sizeParameter (plan: LimitedPlan | StreamPlan): PageParameterName | undefined {
  if (plan.kind === 'get' || plan.kind === 'stream') return undefined
  return PAGE_STYLES[plan.kind === 'list' ? plan.window.style : 'cursor'].size
}

/** The longest path below an include, which is most likely the one that the client asked for. */
function longestPath ({ path, selection }: PlannedInclude): string {
  const paths = selection.includes.map(longestPath)
  return paths.reduce((longest, one) => one.split('.').length > longest.split('.').length ? one : longest, path)
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const oneOf = (ways: readonly string[]): string =>
  ways.length === 1 ? ways[0]! : `${ways.slice(0, -1).join(', ')} or ${ways.at(-1)}`
