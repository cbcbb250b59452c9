/** The name of the resource, and what can be done with the whole list. */
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
  readonly list: List
  readonly arrangement: Arrangement
  readonly onChange: (params: readonly Pair[]) => void
}

export function Toolbar ({ resource, address, list, arrangement, onChange }: ToolbarProps) {
  const { params, own } = address
  const { operations, title, downloads } = resource
  return (
    <div class='toolbar'>
      <h2 class='title'>{title}</h2>
      <div class='row'>
        <ViewSwitch resource={resource} params={params} isNumbers={false} />
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
            <ColumnTree resource={resource} params={params} own={own} arrangement={arrangement} onChange={onChange} />
          )}
        </Popover>
        {resource.facets.length > 0 && <FacetsButton resource={resource} params={params} onChange={onChange} />}
        <CompareMenu own={own} />
        {downloads.length > 0 && <DownloadMenu resource={resource} params={params} />}
        {operations.create && (
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
        )}
      </div>
    </div>
  )
}
