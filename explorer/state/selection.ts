/** The records of a list that a person has selected, to write all of them. */
import { useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceDescription } from '../../src/explorer/description.ts'
import { isRow, type Row } from '../api/records.ts'
import type { Pair } from '../url/address.ts'
import { conditionsOf, isNarrowed, keyFilterOf, type KeyFilter, type Selected } from '../url/many.ts'
import type { List } from './list.ts'
import type { Profile } from './profiles.ts'

export interface Selection {
  /** The records that a write changes. `undefined` if nothing is selected. */
  readonly selected: Selected | undefined
  /** The filter that chooses single records. Without one, only all records that match can be selected. */
  readonly filter: KeyFilter | undefined
  /** Whether the list has filters, so that all records that match can be selected. */
  readonly canBeAll: boolean
  /** Whether the list shows the keys of its records. */
  readonly hasKeys: boolean
  readonly isSelected: (row: Row) => boolean
  readonly onSelect: (rows: readonly Row[], on: boolean) => void
  readonly selectAll: () => void
  readonly clear: () => void
  /** The outcome of the last write in words, until other records are selected. */
  readonly done: string | undefined
  readonly finish: (done: string) => void
}

/**
 * The selection of a list. It stays while a person sorts and turns pages. It ends with other filters, and with another
 * caller.
 *
 * @returns `undefined` if the caller may not write many records
 */
export function useSelection (
  resource: ResourceDescription,
  params: readonly Pair[],
  { items: rows, busy }: List,
  profile: Profile
): Selection | undefined {
  const { updateMany, deleteMany } = resource.operations
  // the former rows stay until those of other filters have arrived
  const shown = useRef('')
  if (!busy) shown.current = JSON.stringify([profile.headers, conditionsOf(params)])
  const of = shown.current
  const [state, setState] = useState<{ readonly of: string, readonly selected: Selected, readonly done?: string }>()
  const filter = useMemo(() => keyFilterOf(resource), [resource])
  if (!updateMany && !deleteMany) return undefined

  const keyOf = (row: Row): string | undefined => {
    const value = filter && row[filter.field]
    // a relation that is included is its record
    return value === undefined || value === null || isRow(value) ? undefined : String(value)
  }
  const hasKeys = rows.every((row) => keyOf(row) !== undefined)
  const canBeAll = isNarrowed(params, resource)
  const chosen = state?.of === of ? state.selected : []
  // without another way, the filters select
  const selected = filter === undefined && canBeAll ? 'all' : chosen
  const set = (selected: Selected): void => setState({ of, selected })
  return {
    selected: selected === 'all' || selected.length > 0 ? selected : undefined,
    filter,
    canBeAll,
    hasKeys,
    isSelected: (row) => selected === 'all' || selected.includes(keyOf(row)!),
    onSelect: (those, on) => {
      const keys = new Set(selected === 'all' ? rows.flatMap((row) => keyOf(row) ?? []) : selected)
      for (const row of those) {
        if (on) keys.add(keyOf(row)!)
        else keys.delete(keyOf(row)!)
      }
      set([...keys])
    },
    selectAll: () => set('all'),
    clear: () => setState(undefined),
    done: state?.of === of ? state.done : undefined,
    finish: (done) => setState({ of, selected: [], done }),
  }
}
