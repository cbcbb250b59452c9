/** A filter that says whether rows that are marked as deleted are seen. */
import { BaseFilter } from './base-filter.ts'
import { readOptions, type EntryOptions } from './entry-options.ts'

/** What `AllowedFilters.trashed` makes. Frozen. */
export class TrashedFilter extends BaseFilter {
  readonly kind = 'trashed'
  readonly field = 'trashed'
  readonly alias: string | undefined

  constructor (options?: EntryOptions) {
    super()
    this.alias = readOptions('AllowedFilters.trashed', options, ['alias']).alias
    Object.freeze(this)
  }
}
