/**
 * The tools above the records of a list, or above numbers about them: bars on a desk. On a phone, one menu has all of
 * them, so that the records start on top of the page. The search and the button for a new record stand beside it.
 */
import type { ComponentChildren, ComponentProps } from 'preact'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { usePhone } from '../../state/phone.ts'
import { parameterOf, readFilter } from '../../url/filters.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import { SearchBox } from '../filters/search-box.tsx'
import { isSearch } from '../filters/words.ts'
import { PageChoices } from './pager.tsx'

interface ToolsProps {
  readonly resource: ResourceDescription
  readonly request: ComponentChildren
  readonly filters: ComponentChildren
  /** Makes the bar of the other tools. On a phone, it gets a function that closes the menu. */
  readonly toolbar: (close?: () => void) => ComponentChildren
  readonly paging: ComponentProps<typeof PageChoices>
  /** On a phone, the words of the button that closes the menu, and what stands beside the menu. */
  readonly done: string
  readonly beside?: ComponentChildren
}

/** The class of the button that opens the menu, for those who move the focus to it. */
export const TOOLS = 'tools-button'

export function Tools ({ resource, request, filters, toolbar, paging, done, beside }: ToolsProps) {
  const isPhone = usePhone()
  if (!isPhone) {
    return (
      <>
        {request}
        {toolbar()}
        {filters}
      </>
    )
  }
  const { params, onChange } = paging
  const search = resource.filters.find(isSearch)
  const inBox = search && parameterOf({ field: search.name, operator: undefined })
  const count = params.filter(([name]) => name !== inBox && readFilter(name) !== undefined).length
  return (
    <div class='tools'>
      {search && <SearchBox path={resource.path} filter={search} params={params} onChange={onChange} />}
      <Popover
        name='Tools'
        class={`button ${TOOLS}`}
        label={
          <>
            <Icon name='filter' />
            <span>Tools</span>
            {count > 0 && (
              <span class='chip'>
                {count}
                <span class='hidden'>{count === 1 ? ' filter' : ' filters'}</span>
              </span>
            )}
          </>
        }
      >
        {(close) => (
          <div class='tools-sheet'>
            {filters}
            {toolbar(close)}
            <div class='page-choices'>
              <PageChoices {...paging} />
            </div>
            {request}
            <button type='button' class='button button-main' onClick={close}>{done}</button>
          </div>
        )}
      </Popover>
      {beside}
    </div>
  )
}
