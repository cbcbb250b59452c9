/** The order of rows. */
import type { Entity, Row, Sort, Value, ValueType, World } from './description.ts'
import { valueAt } from './matching.ts'
import type { Problem } from './problems.ts'
import type { WrittenName } from './query-string.ts'
import { compareValues } from './values.ts'

export interface OrderItem {
  readonly path: string
  readonly descending: boolean
}

/** The names in the URL. An alias stands for all paths of its entry; otherwise each path is a name. */
export const sortNames = (sorts: readonly Sort[]): string[] => sorts.flatMap(({ alias, paths }) => alias ?? paths)

const findSort = (sorts: readonly Sort[], name: string): Sort | undefined => {
  const entry = sorts.find(({ alias, paths }) => alias === undefined ? paths.includes(name) : alias === name)
  return entry && (entry.alias === undefined ? { ...entry, paths: [name] } : entry)
}

/** The order that `sort` requests, or the resource's default. */
export function readOrder ({ whitelist }: World, written: readonly WrittenName[], problems: Problem[]): OrderItem[] {
  const order: OrderItem[] = []
  const seen = new Set<string>()
  for (const { name: item, parameter } of written) {
    // an unencoded plus sign arrives as a space
    const name = item.replace(/^[-+ ]/, '')
    const sort = findSort(whitelist.sorts, name)
    if (!sort) problems.push({ kind: 'sort', parameter, allowed: sortNames(whitelist.sorts) })
    else if (seen.has(name)) problems.push({ kind: 'sort', parameter })
    else order.push(...itemsOf(sort, item))
    seen.add(name)
  }
  return order.length > 0
    ? order
    : whitelist.defaultSort.flatMap((item) => {
      const name = item.replace(/^[-+]/, '')
      return itemsOf(findSort(whitelist.sorts, name) ?? { paths: [name], direction: 'asc' }, item)
    })
}

function itemsOf ({ paths, direction }: Sort, written: string): OrderItem[] {
  const descending = /^[-+ ]/.test(written) ? written.startsWith('-') : direction === 'desc'
  return paths.map((path) => ({ path, descending }))
}

/** Nulls come last in both directions. */
export function compareNullable (a: Value, b: Value, type: ValueType, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const result = compareValues(a, b, type)
  return descending ? -result : result
}

/** The key breaks ties. */
export function sorted (world: World, entity: Entity, rows: readonly Row[], order: readonly OrderItem[]): Row[] {
  const complete = [...order, ...entity.key.map((path) => ({ path, descending: false }))]
  return [...rows].sort((a, b) => {
    for (const { path, descending } of complete) {
      const [left, right] = [valueAt(world, entity, a, path), valueAt(world, entity, b, path)]
      const result = compareNullable(left.value, right.value, left.type, descending)
      if (result !== 0) return result
    }
    return 0
  })
}
