/** `AllowedFilters.scope`: filters of MikroORM that a client switches on. */
import type { ScopeFilter } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { resolvePath, type Converted, type SqlValue, type ValueType } from '../../model/index.ts'
import { splitList, type FilterParam } from '../../query/index.ts'
import { didYouMean, nearest } from '../../base/suggest.ts'
import { comparableOf, valuesOf } from '../operand.ts'
import { readKinds } from './json-texts.ts'
import { BOOLEAN, freeName, plainFacts, type EntryBase, type FilterKind } from './kind.ts'
import { parameterName, NOTHING, refuseFilter, refuseForm, refuseValue } from './planned.ts'

export interface SwitchedEntry extends EntryBase {
  readonly kind: 'scope'
  /** The name of MikroORM's filter. */
  readonly filter: string
  readonly params: ReadonlyArray<
    { readonly name: string, readonly type: ValueType, readonly convert: (text: string) => Converted }
  >
}

export const switched: FilterKind<ScopeFilter<string>, SwitchedEntry> = {
  takesOperators: false,

  resolve (filter, model) {
    const what = `AllowedFilters.scope '${filter.field}'`
    if (!model.filters.includes(filter.filter)) {
      const known = model.filters.length === 0
        ? `${model.name} declares no filters.`
        : `Filters: ${model.filters.join(', ')}.`
      const sentence = `${what}: ${model.name} has no MikroORM filter '${filter.filter}'`
      throw new ConfigError(didYouMean(sentence, nearest(filter.filter, model.filters), known))
    }
    const params = Object.entries(filter.params).map(([name, property]) => {
      const about = `${what}: the parameter '${name}'`
      return { name, ...valuesOf(comparableOf(resolvePath(model, property, about), undefined, about), about) }
    })
    return { kind: 'scope', name: freeName(filter, model), filter: filter.filter, params }
  },

  plan (given, { name, filter, params }) {
    const param = readKinds(given, params.length === 0 ? 'boolean' : 'any', BOOLEAN.type)
    if ('kind' in param) return param
    if (params.length === 0) {
      if (param.value === 'false') return NOTHING
      return param.value === 'true'
        ? { kind: 'custom', custom: { kind: 'switched', filter, args: undefined } }
        : refuseValue(param, { expected: 'true or false', allowed: ['true', 'false'] })
    }
    const read = itemsOf(param, params.length)
    if ('error' in read) return refuseForm(param, read.error, read.limit)
    if (read.items.length !== params.length) {
      return refuseFilter(
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
        const place = params.length > 1 && { item, of: `${parameterName(param)} (${name})` }
        return refuseValue(param, { ...converted, ...place })
      }
      args[name] = converted.value
    }
    return { kind: 'custom', custom: { kind: 'switched', filter, args } }
  },

  compared: () => [],

  describe ({ name, params }) {
    const [param, ...more] = params
    if (param === undefined) {
      const example = { type: BOOLEAN.type, of: (one: unknown) => one }
      return plainFacts('scope', `Records of \`${name}\`, as this server defines it.`, {
        takes: 'boolean',
        value: BOOLEAN,
        example,
      })
    }
    const names = params.map((one) => `\`${one.name}\``).join(', ')
    return plainFacts(
      'scope',
      `Records of \`${name}\`, as this server defines it, by ${names}.`,
      more.length === 0 ? { takes: 'one', value: { type: param.type } } : { takes: 'tuple', parts: params }
    )
  },
}

/** The values of a parameter. If one value is expected, the text is taken verbatim, including its commas. */
function itemsOf (
  { value }: FilterParam,
  expected: number
): { readonly items: readonly string[] } | { readonly error: string, readonly limit?: boolean } {
  if (typeof value !== 'string') return { items: value }
  if (expected === 1) return { items: [value] }
  const list = splitList(value)
  return list.items === undefined ? { error: list.error, limit: list.limit } : { items: list.items }
}
