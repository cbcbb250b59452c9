/** Custom filters, which pass their value to a callback of the application. */
import type { CustomFilter, CustomFilterCallback } from '../../config/index.ts'
import { readKinds } from './json-texts.ts'
import { freeName, plainFacts, TEXT, type EntryBase, type FilterKind } from './kind.ts'
import { parameterName, refuseFilter } from './planned.ts'

export interface CustomFilterEntry extends EntryBase {
  readonly kind: 'custom'
  readonly callback: CustomFilterCallback
}

export const custom: FilterKind<CustomFilter, CustomFilterEntry> = {
  takesOperators: false,

  resolve: (filter, model) => ({ kind: 'custom', name: freeName(filter, model), callback: filter.callback }),

  plan (given, { callback }) {
    const param = readKinds(given, 'any', TEXT.type)
    if ('kind' in param) return param
    const parameter = parameterName(param)
    // texts in PostgreSQL cannot contain NUL, whatever the callback compares the value with
    if ([param.value].flat().some((text) => text.includes('\0'))) {
      return refuseFilter(param, `The value of ${parameter} must be text without NUL characters.`)
    }
    return { kind: 'custom', custom: { kind: 'callback', parameter, callback, value: param.value } }
  },

  compared: () => [],

  describe: ({ name }) => plainFacts('custom', `The filter \`${name}\`, as this server defines it.`, { takes: 'one' }),
}
