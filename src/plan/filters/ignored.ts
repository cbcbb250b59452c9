/** Removes the values that a filter ignores. */
import { noteFilter, noteOf, splitList, type FilterParam } from '../../query/index.ts'

/**
 * Returns a parameter without its ignored values, or `undefined` if no value is left.
 *
 * @param list whether the text of one parameter is a list. A comma is data otherwise.
 */
export function withoutIgnored (
  param: FilterParam,
  ignored: ReadonlySet<string> | undefined,
  list = false
): FilterParam | undefined {
  if (ignored === undefined) return param
  if (typeof param.value === 'string' && ignored.has(param.value)) return undefined
  const items = itemsOf(param.value, list)
  if (items === undefined || !items.some((item) => ignored.has(item))) return param
  const value = items.filter((item) => !ignored.has(item))
  if (value.length === 0) return undefined
  const rest = { ...param, value }
  const { kinds, ...note } = noteOf(param)
  noteFilter(rest, { ...note, kinds: kinds?.filter((_, index) => !ignored.has(items[index]!)) })
  return rest
}

function itemsOf (value: string | readonly string[], list: boolean): readonly string[] | undefined {
  if (typeof value !== 'string') return value
  return list ? splitList(value).items : undefined
}
