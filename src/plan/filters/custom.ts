/** Custom filters and the trashed filter: what they take of a parameter. */
import type { FilterParam } from '../../query/index.ts'
import type { Deleted } from '../types.ts'
import type { CustomFilterEntry, TrashedEntry } from '../whitelist/index.ts'
import { nameOf, refuse, refuseValue, type Planned } from './planned.ts'

export function planCustom (param: FilterParam, { name, callback }: CustomFilterEntry): Planned {
  const parameter = nameOf(param)
  if (param.operator !== undefined) return refuse(param, `The filter '${name}' takes no operator.`)
  // no text in PostgreSQL holds it, whatever the callback compares the value with
  if ([param.value].flat().some((text) => text.includes('\0'))) {
    return refuse(param, `The value of ${parameter} must be text without NUL characters.`)
  }
  return { kind: 'custom', custom: { kind: 'callback', parameter, callback, value: param.value } }
}

const TRASHED: readonly Deleted[] = ['with', 'only', 'without']

export function planTrashed (param: FilterParam, { name }: TrashedEntry): Planned {
  if (param.operator !== undefined) return refuse(param, `The filter '${name}' takes no operator.`)
  const deleted = TRASHED.find((value) => value === param.value)
  return deleted === undefined ? refuseValue(param, 'with, only or without', TRASHED) : { kind: 'deleted', deleted }
}
