/**
 * The reference implementation of reading: the answer of a resource to a query string, computed by loops over arrays.
 *
 * It follows docs/query-language/, and shares no code with the product. Each file next to this one is a section of
 * that page: query-string.ts and conditions.ts (filters), matching.ts (operators and relations), sorting.ts,
 * selection.ts (fields and includes), records.ts (answers), numbers.ts, facets.ts, groups.ts and periods.ts
 * (aggregates), pages.ts (pagination), problems.ts (errors).
 */
import { readConditions } from './conditions.ts'
import type { Value, World } from './description.ts'
import { isLive, keyOf } from './entities.ts'
import { facetsOf, readFacets } from './facets.ts'
import { itemsOf, readGrouping } from './groups.ts'
import { matchingRows } from './matching.ts'
import { pageOf, readWindow, type Window } from './pages.ts'
import { refuse, unforgiven, type Problem, type Refusal } from './problems.ts'
import { readQueryString, type WrittenQuery } from './query-string.ts'
import { recordOf } from './records.ts'
import { readSelection } from './selection.ts'
import { readOrder, sorted } from './sorting.ts'

interface Success {
  readonly status: 200
  readonly body: Value
}
export type Answer = Success | Refusal

/** A whole list, before it is cut into pages. */
export interface List {
  readonly items: readonly Value[]
  readonly window: Window
  /** What every page has beside its items. */
  readonly beside: Readonly<Record<string, Value>>
}

/** `GET /?<query>` */
export function answerList (world: World, query: string): Answer {
  const list = readList(world, query)
  return 'status' in list ? list : { status: 200, body: { ...pageOf(list.items, list.window), ...list.beside } }
}

/** All records that a query finds, in order, or the reason of a refusal. */
export function readList (world: World, query: string): List | Refusal {
  const written = readQueryString(query)
  const problems: Problem[] = [...written.problems]
  const conditions = readConditions(world, written.filters, problems)
  const order = readOrder(world, written.sort, problems)
  const selection = readSelection(world, written, problems)
  const facets = readFacets(world, written.facets, problems)
  const window = readWindow(world.whitelist, written.pagination, problems)
  problems.push(...unknownParameters(written, ['group', 'aggregate']))
  const refusal = refuse(world.whitelist.ignoreInvalid ? unforgiven(problems) : problems)
  if (refusal) return refusal
  const entity = world.entities[world.whitelist.entity]!
  const rows = sorted(world, entity, matchingRows(world, conditions), order)
  return {
    items: rows.map((row) => recordOf(world, entity, row, selection)),
    window: window!,
    beside: facets.length === 0 ? {} : { facets: facetsOf(world, conditions, facets) },
  }
}

const GROUP_PAGES = { perPage: 20, maxPerPage: 1_000, count: 'exact', countParameter: false } as const

/** `GET /aggregate?<query>` */
export function answerAggregate (world: World, query: string): Answer {
  const written = readQueryString(query)
  const problems: Problem[] = [...written.problems]
  const conditions = readConditions(world, written.filters, problems)
  const grouping = readGrouping(world, written, problems)
  const { maxOffset, ignoreInvalid } = world.whitelist
  if ('cursor' in written.pagination) problems.push({ kind: 'pagination', parameter: 'cursor' })
  const window = readWindow({ ...GROUP_PAGES, maxOffset }, written.pagination, problems)
  problems.push(...unknownParameters(written, ['fields', 'include', 'facets']))
  // without one of its groups or numbers, the items would mean something else
  const lasting = problems.map((problem) => problem.kind === 'field' ? { ...problem, limit: true } : problem)
  const refusal = refuse(ignoreInvalid ? unforgiven(lasting) : problems)
  if (refusal) return refusal
  return { status: 200, body: pageOf(itemsOf(grouping, matchingRows(world, conditions)), window!) }
}

/** `GET /:id?<query>`. A key is compared as text, since it comes from a path. */
export function answerGet (world: World, id: readonly string[], query: string): Answer {
  const written = readQueryString(query)
  const problems: Problem[] = [...written.problems]
  const selection = readSelection(world, written, problems)
  const allowed = ['fields', 'include']
  for (const { parameter } of written.filters) problems.push({ kind: 'filter', parameter, allowed })
  for (const { parameter } of written.sort) problems.push({ kind: 'sort', parameter, allowed })
  for (const parameter of Object.keys(written.pagination)) problems.push({ kind: 'pagination', parameter, allowed })
  problems.push(...unknownParameters(written, ['group', 'aggregate', 'facets']))
  const refusal = refuse(world.whitelist.ignoreInvalid ? unforgiven(problems) : problems)
  if (refusal) return refusal
  const entity = world.entities[world.whitelist.entity]!
  const row = world.tables.rows[entity.name]!.filter(isLive)
    .find((row) => [keyOf(entity, row)].flat().map(String).join() === id.join())
  if (!row) return { status: 404, code: 'FST_CRUD_NOT_FOUND', parameters: [], allowed: {} }
  return { status: 200, body: recordOf(world, entity, row, selection) }
}

/** @param others parameters of the language that the route does not take */
function unknownParameters (
  written: WrittenQuery,
  others: ReadonlyArray<'fields' | 'include' | 'group' | 'aggregate' | 'facets'>
): Problem[] {
  const given: string[] = others.filter((name) => written[name].length > 0)
  if (others.includes('fields')) given.push(...Object.keys(written.fieldsByInclude).map((path) => `fields[${path}]`))
  return [...written.unknown, ...given].map((parameter) => ({ kind: 'query', parameter }))
}
