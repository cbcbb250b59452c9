/** The name of the resource, and what can be done with the whole list. */
import type { ComponentChildren } from 'preact'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { change } from '../../state/address.ts'
import type { List } from '../../state/list.ts'
import type { Address, Pair } from '../../url/address.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import type { Arrangement } from './column-order.tsx'
import { ColumnTree } from './column-tree.tsx'
import { CompareMenu } from './compare-menu.tsx'
import { DownloadMenu } from './download-menu.tsx'
import { FacetsButton } from './facets.tsx'
import { ViewSwitch } from './view-switch.tsx'

interface ToolbarProps {
  readonly resource: ResourceDescription
  readonly address: Address
  readonly arrangement: Arrangement
  readonly onChange: (params: readonly Pair[]) => void
  /** Called after a choice whose effect is beside the toolbar. */
  readonly onChosen?: (() => void) | undefined
  /** Stands at the end of the bar. */
  readonly children?: ComponentChildren
}

export function Toolbar ({ resource, address, arrangement, onChange, onChosen, children }: ToolbarProps) {
  const { params, own } = address
  const { title, downloads, operations } = resource
  return (
    <div class='toolbar'>
      <h2 class='title'>{title}</h2>
      <div class='row'>
        <ViewSwitch resource={resource} params={params} isNumbers={false} />
        {operations.list && (
          <>
            <Popover
              name='Fields and relations'
              title='Fields and relations'
              label={
                <>
                  <Icon name='columns' />
                  <span>
                    Fields<span class='wide'>{' and relations'}</span>
                  </span>
                </>
              }
            >
              {() => (
                <ColumnTree
                  resource={resource}
                  params={params}
                  own={own}
                  arrangement={arrangement}
                  onChange={onChange}
                />
              )}
            </Popover>
            {resource.facets.length > 0 && <FacetsButton {...{ resource, params, onChange, onChosen }} />}
            <CompareMenu own={own} onChosen={onChosen} />
            {downloads.length > 0 && <DownloadMenu resource={resource} params={params} />}
          </>
        )}
        {children}
      </div>
    </div>
  )
}

interface NewButtonProps {
  readonly resource: ResourceDescription
  readonly address: Address
  readonly list: List
}

/** Opens the form for a new record, if the caller may create one. */
export function NewButton ({ resource, address: { own }, list }: NewButtonProps) {
  if (!resource.operations.create) return null
  return (
    <button
      type='button'
      class='button button-main'
      disabled={list.page === undefined && list.busy}
      onClick={() => {
        const { open: _, ...others } = own
        change({ own: { ...others, create: 'yes' } })
      }}
    >
      <Icon name='plus' />
      <span>New</span>
    </button>
  )
}
