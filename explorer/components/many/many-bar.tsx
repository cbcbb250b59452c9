/** Above the grid: the number of selected records, and the buttons to write all of them. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { countText, recordsText } from '../../api/format.ts'
import { titleOf } from '../../api/records.ts'
import { change, currentAddress } from '../../state/address.ts'
import { useApi } from '../../state/context.ts'
import { totalOf, type List } from '../../state/list.ts'
import type { Selection } from '../../state/selection.ts'
import type { Selected } from '../../url/many.ts'
import { Icon } from '../basics/icon.tsx'

/** The operation on all selected records. */
export type ManyKind = 'update' | 'delete'

interface ManyBarProps {
  readonly resource: ResourceDescription
  readonly list: List
  readonly selection: Selection
  /** Ends the selection. Present where cards get their boxes for it. */
  readonly onEnd: (() => void) | undefined
}

export function ManyBar ({ resource, list, selection, onEnd }: ManyBarProps) {
  const { description: { limits: { listItems } } } = useApi()
  const { operations: { updateMany, deleteMany }, bodies } = resource
  const { selected, filter, canBeAll, selectAll, clear, done } = selection
  const total = totalOf(resource.paging, list)
  const isTooMany = Array.isArray(selected) && selected.length > listItems
  const open = (many: ManyKind) => (): void => {
    if (isTooMany) return
    const { open: _, create: __, ...own } = currentAddress().own
    change({ own: { ...own, many } })
  }
  const isMore = Array.isArray(selected) && canBeAll && (total === undefined || total > selected.length)
  const hint = hintOf(resource, list, selection)
  const words = selected !== undefined ? selectedWords(selected, total) : onEnd && !done && 'Choose records'
  // the element is always there, so that screen readers notice its content
  return (
    <div class={words ?? done ?? hint ? 'many-bar' : undefined}>
      <p role='status' class='row'>
        {done && <strong>{done}</strong>}
        {words && <strong>{words}</strong>}
        {isTooMany && <span class='bad'>At most {listItems} can be selected one by one.</span>}
        {hint && <span class='quiet'>{hint}</span>}
      </p>
      {(selected ?? onEnd) && (
        <div class='row'>
          {isMore && (
            <button type='button' class='button' onClick={selectAll}>
              Select all {total !== undefined && `${countText(total)} `}that match the filters
            </button>
          )}
          {selected && updateMany && bodies.update !== null && (
            <button type='button' class='button' aria-disabled={isTooMany} onClick={open('update')}>
              <Icon name='edit' />
              <span>Edit</span>
            </button>
          )}
          {selected && deleteMany && (
            <button type='button' class='button' aria-disabled={isTooMany} onClick={open('delete')}>
              <Icon name='trash' />
              <span>Delete</span>
            </button>
          )}
          {onEnd
            ? <button type='button' class='button button-bare' onClick={onEnd}>End the selection</button>
            : filter && <button type='button' class='button button-bare' onClick={clear}>Clear the selection</button>}
        </div>
      )}
    </div>
  )
}

/** The selected records in words: `3 records`, `All 127 records that match the filters`. */
export function selectedWords (selected: Selected, total: number | undefined): string {
  if (selected !== 'all') return `${recordsText(selected.length)} selected`
  if (total === 1) return 'The record that matches the filters'
  return `All ${total === undefined ? '' : `${countText(total)} `}records that match the filters`
}

/** Says why records cannot be selected, and how to select some. */
function hintOf (
  { operations: { updateMany, deleteMany }, key }: ResourceDescription,
  { items }: List,
  { filter, canBeAll, hasKeys }: Selection
): string | undefined {
  if (items.length === 0) return undefined
  if (filter !== undefined) return hasKeys ? undefined : `Show the field ${titleOf(filter.field)} to select records.`
  const verb = [...updateMany ? ['edit'] : [], ...deleteMany ? ['delete'] : []].join(' or ')
  const reason = `Single records cannot be selected: no filter takes a list of ${
    key.length === 1 ? `values of ${titleOf(key[0]!.field)}` : 'keys'
  }.`
  return canBeAll ? reason : `Add a filter to ${verb} all records that match it. ${reason}`
}
