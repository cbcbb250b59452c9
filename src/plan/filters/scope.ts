/** Scopes: MikroORM's own filters, switched on by a request. */
import type { SqlValue } from '../../model/index.ts'
import { splitList, type FilterParam } from '../../query/index.ts'
import { cited } from '../refusal.ts'
import type { ScopeEntry } from '../whitelist/index.ts'
import { nameOf, NOTHING, refuse, refuseForm, refuseValue, type Planned } from './planned.ts'

export function planScope (param: FilterParam, entry: ScopeEntry): Planned {
  const { name, filter, params } = entry
  if (param.operator !== undefined) return refuse(param, `The filter '${name}' takes no operator.`)
  if (params.length === 0) {
    if (param.value === 'false') return NOTHING
    return param.value === 'true'
      ? { kind: 'custom', custom: { kind: 'scope', filter, args: undefined } }
      : refuseValue(param, 'true or false', ['true', 'false'])
  }
  const read = valuesOf(param, params.length)
  if ('error' in read) return refuseForm(param, read.error, read.limit)
  if (read.items.length !== params.length) {
    return refuse(
      param,
      `The filter '${name}' takes ${params.length} ${params.length === 1 ? 'value' : 'values'} (${
        params.map((one) => one.name).join(', ')
      }); ${read.items.length} were given.`
    )
  }
  const args: Record<string, SqlValue> = {}
  for (const [index, { name, convert }] of params.entries()) {
    const item = read.items[index]!
    const converted = convert(item)
    if (!converted.ok) {
      return refuseValue(
        param,
        converted.expected,
        converted.allowed,
        params.length === 1 ? undefined : `The item '${cited(item)}' of ${nameOf(param)} (${name})`
      )
    }
    args[name] = converted.value
  }
  return { kind: 'custom', custom: { kind: 'scope', filter, args } }
}

/** One value is taken as it is, commas included. */
function valuesOf (
  { value }: FilterParam,
  expected: number
): { readonly items: readonly string[] } | { readonly error: string, readonly limit?: boolean } {
  if (typeof value !== 'string') return { items: value }
  if (expected === 1) return { items: [value] }
  const list = splitList(value)
  return list.items === undefined ? { error: list.error, limit: list.limit } : { items: list.items }
}
