/** The trashed filter, which says whether rows that are marked as deleted are visible. */
import type { TrashedFilter } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import type { ValueType } from '../../model/index.ts'
import { withAlias } from '../alias.ts'
import type { Deleted } from '../condition-types.ts'
import { readKinds } from './json-texts.ts'
import { plainFacts, type EntryBase, type FilterKind } from './kind.ts'
import { refuseFilter, refuseValue } from './planned.ts'

export interface TrashedEntry extends EntryBase {
  readonly kind: 'trashed'
}

/** The values of the filter, in the order in which errors and documentation list them. */
const TRASHED: readonly Deleted[] = ['with', 'only', 'without']

const VALUES: ValueType = { kind: 'enum', items: TRASHED, native: false }

export const trashed: FilterKind<TrashedFilter, TrashedEntry> = {
  takesOperators: false,

  resolve (filter, { name, deletedAt }) {
    if (deletedAt === undefined) {
      throw new ConfigError(
        `AllowedFilters.trashed: ${name} has no 'deleted_at', so none of its rows is ever marked as deleted.`
      )
    }
    return { kind: 'trashed', ...withAlias(filter.alias, filter.field) }
  },

  plan (given, { name }) {
    const param = readKinds(given, 'text', VALUES)
    if ('kind' in param) return param
    if (typeof param.value !== 'string') {
      return refuseFilter(param, `The filter '${name}' takes one value.`, { allowed: TRASHED })
    }
    const deleted = TRASHED.find((value) => value === param.value)
    return deleted === undefined
      ? refuseValue(param, { expected: 'with, only or without', allowed: TRASHED })
      : { kind: 'deleted', deleted }
  },

  compared: () => [],

  describe: () =>
    plainFacts(
      'trashed',
      'Records that are marked as deleted: `with` them, `only` them, or `without`, as by default.',
      { takes: 'one', value: { type: VALUES }, example: { type: VALUES, of: (one) => one } }
    ),
}
