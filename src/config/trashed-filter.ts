/** A filter that decides whether rows that are marked as deleted are found. */
import { BaseFilter } from './base-filter.ts'
import { readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-options.ts'

/** The class of `AllowedFilters.trashed`. Frozen. */
export class TrashedFilter<Alias extends string = NotGiven> extends BaseFilter {
  /** @internal Only a type. */
  declare readonly '~url': InUrl<'trashed', Alias>

  readonly kind = 'trashed'
  readonly field = 'trashed'
  readonly alias: string | undefined

  constructor (options?: EntryOptions<Alias>) {
    super()
    this.alias = readOptions('AllowedFilters.trashed', options, ['alias']).alias
    Object.freeze(this)
  }
}
