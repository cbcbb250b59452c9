/** Plans aggregates: the groups of the rows that the filters of a request keep, and numbers about each group. */
import type { QueryCode } from '../base/errors.ts'
import {
  nameSuffix, readSortItem, type QueryParamError, type QueryParams, type SummaryParameter,
} from '../query/index.ts'
import { nearest } from '../base/suggest.ts'
import type { DateUnit, GroupFunction } from '../config/index.ts'
import { aliasFor } from './alias.ts'
import { planFilters } from './filters/index.ts'
import { paginationParameters, selectionParameters } from './given.ts'
import { memoKey } from './memo.ts'
import { deletedOf, errorsBeforePlanning, type PlanOptions } from './plan-rows.ts'
import type { QueryErrors } from './query-errors.ts'
import { cited, refusal } from './refusal.ts'
import type { AggregatePlan, Grouping, GroupNumber, GroupOrder, GroupTerm } from './plan-types.ts'
import { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'
import { planWindow } from './window.ts'

const CODE = 'FST_CRUD_FIELD_INVALID'
const SORT = 'FST_CRUD_SORT_INVALID'
/** Without one of the groups or numbers that a request names, the items would mean something else. */
const IGNORABLE: ReadonlySet<QueryCode> = new Set<QueryCode>(['FST_CRUD_FILTER_INVALID', SORT])

interface PlanAggregateOptions extends PlanOptions {
  /** Whether a request without page parameters wants all groups instead of the first page. Default: false. */
  readonly allGroups?: boolean
}

/**
 * Plans a page of groups.
 *
 * @throws the error for the first kind of error that occurs, with all errors in `errors`. With `ignoreInvalidErrors`,
 *   groups and numbers are still refused.
 */
export function planAggregate (
  params: QueryParams,
  whitelist: Whitelist,
  options: PlanAggregateOptions
): AggregatePlan {
  const errors = errorsBeforePlanning(params, whitelist, 'aggregate', options, selectionParameters(params))
  if (params.cursor !== undefined) {
    errors.push(
      refusal('FST_CRUD_PAGINATION_INVALID', 'cursor', 'Aggregates have no cursors; use page and per_page.')
    )
  }
  const values = new Values()
  const filtered = planFilters(params, whitelist, values, errors, options)
  const { conditions, customs, deleted = deletedOf(options) } = filtered
  const { groups, numbers, order } = planGrouping(params, whitelist, errors)
  const isWhole = options.allGroups === true && paginationParameters(params).length === 0
  const { groupPagination: pages } = whitelist
  const window = planWindow(params, isWhole ? { ...pages, defaultPerPage: pages.maxPerPage } : pages, errors)
  errors.throw(whitelist.ignoreInvalidErrors, IGNORABLE)
  return {
    kind: 'aggregate',
    model: whitelist.model,
    conditions,
    customs,
    deleted,
    groups,
    numbers,
    groupOrder: order,
    window,
    isWhole,
    limitSlot: values.add(window.limit),
    offsetSlot: values.add(window.offset),
    maxBytes: whitelist.limits.maxBytes,
    values: values.list,
  }
}

function planGrouping (params: QueryParams, whitelist: Whitelist, errors: QueryErrors): Grouping {
  const { group = [], aggregate = [], sort } = params
  if (group.length === 0 && aggregate.length === 0) {
    // the request may have names that could not be read
    if (!params.errors.some(({ code }) => code === CODE)) errors.push(nothingAsked(whitelist))
    return NO_GROUPING
  }
  return whitelist.groupings.of(memoKey(group, aggregate, sort), errors, (errors): Grouping => {
    const groups = entriesOf('group', group, whitelist.groups, errors)
    const numbers = entriesOf('aggregate', aggregate, whitelist.numbers, errors)
    const order = orderOf(sort, groups, numbers, whitelist, errors)
    return Object.freeze({ groups: Object.freeze(groups), numbers: Object.freeze(numbers), order })
  })
}

const NO_GROUPING: Grouping = Object.freeze({ groups: [], numbers: [], order: [] })

function entriesOf<Entry extends GroupTerm | GroupNumber> (
  parameter: SummaryParameter,
  names: readonly string[],
  allowed: ReadonlyMap<string, Entry>,
  errors: QueryErrors
): Entry[] {
  return names.flatMap((name) => {
    const entry = allowed.get(name)
    if (entry !== undefined) return [entry]
    errors.add(
      CODE,
      () =>
        refusal(CODE, `${parameter}${nameSuffix(names, name)}`, whyNot(parameter, name, allowed), {
          ...meantBy(name, allowed),
          allowed: allowed.keys(),
        })
    )
    return []
  })
}

type Allowed = ReadonlyMap<string, GroupTerm | GroupNumber>

/** The functions or units with which a name can end. */
const endsOf = (name: string, allowed: Allowed): string[] =>
  [...allowed.values()].flatMap((entry) => {
    const end = 'function' in entry ? entry.function : entry.period?.unit
    return entry.name === `${name}.${end}` ? [entry.name.slice(name.length + 1)] : []
  })

/** What a client meant by a name, as far as it is known: `given` is a name that may have a typing error. */
function meantBy (name: string, allowed: Allowed): { readonly given?: string, readonly meant?: string | undefined } {
  const [first] = endsOf(name, allowed)
  if (first !== undefined) return { meant: `${name}.${first}` }
  const alias = aliasFor(name, allowed.values())
  const point = name.lastIndexOf('.')
  const field = name.slice(0, Math.max(point, 0))
  const ends = endsOf(field, allowed)
  if (alias !== undefined || ends.length === 0) return { given: name, meant: alias }
  // a function of the right field is no misspelt one of another meaning
  const end = name.slice(point + 1).toLowerCase().replaceAll('_', '')
  const same = OTHER_ENDS.get(end)
  const near = same === undefined ? nearest(end, ends) : ends.find((known) => known === same)
  return near === undefined ? {} : { meant: `${field}.${near}` }
}

/** Functions and units in the words of other query languages. */
const OTHER_ENDS: ReadonlyMap<string, GroupFunction | DateUnit> = new Map([
  ['mean', 'avg'],
  ['average', 'avg'],
  ['total', 'sum'],
  ['minimum', 'min'],
  ['maximum', 'max'],
  ['distinct', 'countDistinct'],
  ['unique', 'countDistinct'],
  ['daily', 'day'],
  ['date', 'day'],
  ['weekly', 'week'],
  ['monthly', 'month'],
  ['yearly', 'year'],
])

/** The sentence that refuses a name. A date group without its unit, and a number without its function, lack an end. */
function whyNot (parameter: SummaryParameter, name: string, allowed: Allowed): string {
  const ends = endsOf(name, allowed)
  if (ends.length === 0) return `The ${parameter} '${cited(name)}' is not allowed.`
  return `The ${parameter} '${name}' needs ${parameter === 'group' ? 'a unit of time' : 'a function'}: ${
    ends.join(', ')
  }.`
}

function nothingAsked ({ groups, numbers }: Whitelist): QueryParamError {
  const parameter = numbers.size > 0 ? 'aggregate' : 'group'
  return refusal(CODE, parameter, 'Name a group or a number: without both there is nothing to answer.', {
    allowed: (numbers.size > 0 ? numbers : groups).keys(),
  })
}

/** The order of a request, and then its groups, so that pages never overlap. */
function orderOf (
  items: readonly string[],
  groups: readonly GroupTerm[],
  numbers: readonly GroupNumber[],
  whitelist: Whitelist,
  errors: QueryErrors
): readonly GroupOrder[] {
  const sortable = new Map([...groups, ...numbers].map((term) => [term.name, term]))
  const order: GroupOrder[] = []
  for (const item of items) {
    const { name, descending = false } = readSortItem(item)
    const by = sortable.get(name)
    const parameter = `sort${nameSuffix(items, item)}`
    if (by === undefined) {
      const isKnown = whitelist.groups.has(name) || whitelist.numbers.has(name)
      const sentence = isKnown
        ? `The sort '${name}' is not possible, because the request does not ask for '${name}'.`
        : `The sort '${cited(name)}' is not allowed. Aggregates are sorted by what they ask for.`
      const meant = aliasFor(name, sortable.values())
      errors.add(
        SORT,
        () => refusal(SORT, parameter, sentence, { ...(!isKnown && { given: name, meant }), allowed: sortable.keys() })
      )
    } else if (order.some((term) => term.by === by)) {
      errors.add(SORT, () => refusal(SORT, parameter, `The sort '${name}' is given more than once.`))
    } else {
      order.push({ by, descending })
    }
  }
  for (const group of groups) {
    if (!order.some(({ by }) => by === group)) order.push({ by: group, descending: false })
  }
  return Object.freeze(order)
}
