/**
 * The reference implementation of reading: the answer of a resource to a query string, computed by loops over arrays.
 *
 * It follows docs/query-language/, and shares no code with the product. Each file next to this one is a section of
 * that page: query-string.ts and conditions.ts (filters), matching.ts (operators and relations), sorting.ts,
 * selection.ts (fields and includes), records.ts (answers and aggregates), pages.ts (pagination), problems.ts (errors).
 */
import { readConditions } from './conditions.ts'
import type { Value, World } from './description.ts'
import { isLive, keyOf } from './entities.ts'
import { matchingRows } from './matching.ts'
import { pageOf, readWindow, type Window } from './pages.ts'
import { refuse, unforgiven, type Problem, type Refusal } from './problems.ts'
import { readQueryString, type WrittenQuery } from './query-string.ts'
import { recordOf } from './records.ts'
import { readSelection } from './selection.ts'
import { readOrder, sorted } from './sorting.ts'

export interface Success {
  readonly status: 200
  readonly body: Value
}
export type Answer = Success | Refusal

/** A whole list, before it is cut into pages. */
export interface List {
  readonly items: readonly Value[]
  readonly window: Window
}

/** `GET /?<query>` */
export function answerList (world: World, query: string): Answer {
  const list = readList(world, query)
  return 'status' in list ? list : { status: 200, body: pageOf(list.items, list.window, world.whitelist) }
}

/** All records that a query finds, in order, or the reason of a refusal. */
export function readList (world: World, query: string): List | Refusal {
  const written = readQueryString(query)
  const problems: Problem[] = [...written.problems]
  const conditions = readConditions(world, written.filters, problems)
  const order = readOrder(world, written.sort, problems)
  const selection = readSelection(world, written, problems)
  const window = readWindow(world.whitelist, written.pagination, problems)
  problems.push(...unknownParameters(written))
  const refusal = refuse(world.whitelist.ignoreInvalid ? unforgiven(problems) : problems)
  if (refusal) return refusal
  const entity = world.entities[world.whitelist.entity]!
  const rows = sorted(world, entity, matchingRows(world, conditions), order)
  return { items: rows.map((row) => recordOf(world, entity, row, selection)), window: window! }
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
  problems.push(...unknownParameters(written))
  const refusal = refuse(world.whitelist.ignoreInvalid ? unforgiven(problems) : problems)
  if (refusal) return refusal
  const entity = world.entities[world.whitelist.entity]!
  const row = world.tables.rows[entity.name]!.filter(isLive)
    .find((row) => [keyOf(entity, row)].flat().map(String).join() === id.join())
  if (!row) return { status: 404, code: 'FST_CRUD_NOT_FOUND', parameters: [], allowed: {} }
  return { status: 200, body: recordOf(world, entity, row, selection) }
}

function unknownParameters ({ unknown }: WrittenQuery): Problem[] {
  return unknown.map((parameter) => ({ kind: 'query', parameter }))
}
