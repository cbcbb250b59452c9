/** Searches, which look for a text in several properties. */
import type { SearchFilter } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { isTextual, resolvePath } from '../../model/index.ts'
import { containing } from '../../operators/index.ts'
import { comparableOf, describe, valuesOf } from '../operand.ts'
import { readSearchedText } from './json-texts.ts'
import {
  freeName, plainFacts, SEARCHED_TEXT, unaccentOf, type EntryBase, type FilterKind, type FilterTarget,
} from './kind.ts'
import { anyOf } from './tree.ts'

export interface SearchEntry extends EntryBase {
  readonly kind: 'search'
  readonly targets: readonly FilterTarget[]
}

export const search: FilterKind<SearchFilter<string>, SearchEntry> = {
  takesOperators: false,

  resolve (filter, model) {
    const what = `AllowedFilters.search '${filter.field}'`
    const targets = filter.fields.map((field): FilterTarget => {
      const path = resolvePath(model, field, what)
      const operand = comparableOf(path, 'string', what)
      const { type } = valuesOf(operand, what)
      if (!isTextual(type)) {
        throw new ConfigError(`${what}: '${field}' is of type ${describe(type)}, and only text can be searched.`)
      }
      return { relations: path.relations, operand }
    })
    return { kind: 'search', name: freeName(filter, model), targets, unaccent: unaccentOf(filter) }
  },

  plan (param, { name, targets, unaccent }, values) {
    const text = readSearchedText(param, name)
    if (typeof text !== 'string') return text
    const slots = [values.add(containing(text))]
    const alternatives = targets.map(({ relations, operand }) => ({
      relations,
      condition: { kind: 'compare', operator: 'contains', operand, slots, unaccent } as const,
    }))
    return { kind: 'condition', relations: [], condition: anyOf(alternatives) }
  },

  compared: ({ targets, unaccent }) => targets.map((target) => ({ ...target, by: ['contains'], unaccent })),

  describe: () =>
    plainFacts('search', 'Records that contain the text somewhere, in upper or lower case.', {
      takes: 'text',
      value: SEARCHED_TEXT,
      example: { type: SEARCHED_TEXT.type, of: (one) => one },
    }),
}
