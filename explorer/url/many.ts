/** The parameters of writes that change all records that match some filters. */
import type { ResourceDescription } from '../../src/explorer/description.ts'
import type { Pair } from './address.ts'
import { filtersOf } from './filter-tree.ts'
import { joinItems } from './items.ts'
import { withoutPage } from './pages.ts'

/** The records that a person has selected. */
export type Selected =
  /** All that match the filters of the list. */
  | 'all'
  /** Those with these keys. */
  | readonly string[]

/** A filter that takes a list of keys. */
export interface KeyFilter {
  /** Its name in URLs. */
  readonly name: string
  /** The property of records that has the key. */
  readonly field: string
}

/** The filter by which single records are chosen, or `undefined` if the API allows none. */
export function keyFilterOf ({ key, filters }: Pick<ResourceDescription, 'key' | 'filters'>): KeyFilter | undefined {
  const [segment, ...more] = key
  if (segment === undefined || more.length > 0 || segment.member !== null) return undefined
  const { field } = segment
  const found = filters.find((filter) => filter.field === field && filter.operators.some(({ name }) => name === 'in'))
  return found && { name: found.name, field }
}

const SHOWN = /^(?:sort|include|fields|facets|group|aggregate)(?:\[|$)/

/** The parameters of a list that say which records it has, without their order, their pages and what they show. */
export function conditionsOf (params: readonly Pair[]): Pair[] {
  return withoutPage(params).filter(([name]) => !SHOWN.test(name))
}

/** Whether the parameters have a filter that can leave out records. Whether records are deleted does not count. */
export function isNarrowed (params: readonly Pair[], { softDelete }: Pick<ResourceDescription, 'softDelete'>): boolean {
  return filtersOf(params).some(({ field }) => field !== softDelete?.filter)
}

/** The parameters of a write of the selected records: the filters of the list, and the keys. */
export function targetOf (params: readonly Pair[], selected: Selected, filter: KeyFilter | undefined): Pair[] {
  const conditions = conditionsOf(params)
  if (selected === 'all' || filter === undefined) return conditions
  const parameter = `filter[${filter.name}]`
  // the selected records match the other conditions on the key, and keep their keys, so that these can be left out
  const others = conditions.filter(([name]) => name !== parameter && !name.startsWith(`${parameter}[`))
  return [...others, [`${parameter}[in]`, joinItems(selected)]]
}
