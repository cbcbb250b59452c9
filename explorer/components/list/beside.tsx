/** The same request as two callers, side by side. */
import { useMemo } from 'preact/hooks'
import type { ExplorerDescription, ResourceDescription } from '../../../src/explorer/description.ts'
import { columnsOf } from '../../api/columns.ts'
import { keyOf, resourceAt, type Row } from '../../api/records.ts'
import { change } from '../../state/address.ts'
import { ApiContext, useApi } from '../../state/context.ts'
import { useList, type List } from '../../state/list.ts'
import { profileNamed, useProfiles, type Profile } from '../../state/profiles.ts'
import type { Address } from '../../url/address.ts'
import { sortsOf } from '../../url/names.ts'
import { useDescription } from '../app.tsx'
import { Icon } from '../basics/icon.tsx'
import { ErrorNotice } from '../basics/notice.tsx'
import { Grid } from './grid.tsx'
import { countText } from '../../api/format.ts'

interface BesideProps {
  readonly resource: ResourceDescription
  readonly address: Address
  /** The list as the caller in use gets it. */
  readonly list: List
  /** The name of the other profile. */
  readonly name: string
  readonly onSort: (name: string, add: boolean) => void
}

export function Beside ({ resource, address, list, name, onSort }: BesideProps) {
  const { description, profile } = useApi()
  const other = profileNamed(useProfiles(), name)
  const [{ value: theirs, error }] = useDescription(other)
  const theirList = useList(description, other, address.path, address.params)
  const theirResource = theirs && resourceAt(theirs, resource.path)
  const keysOf = (rows: readonly Row[]) => new Set(rows.map((row) => keyOf(resource, row)))
  const ours = useMemo(() => keysOf(list.items), [list.items])
  const others = useMemo(() => keysOf(theirList.items), [theirList.items])
  return (
    <div class='beside'>
      <Side
        profile={profile}
        description={description}
        resource={resource}
        address={address}
        list={list}
        others={theirList.error ? undefined : others}
        onSort={onSort}
      />
      <Side
        profile={other}
        description={theirs}
        resource={theirResource ?? resource}
        address={address}
        list={error ? { ...theirList, error } : theirList}
        others={list.error ? undefined : ours}
        onSort={onSort}
        onClose={() => {
          const { beside: _, ...own } = address.own
          change({ own })
        }}
      />
    </div>
  )
}

interface SideProps {
  readonly profile: Profile
  readonly description: ExplorerDescription | undefined
  readonly resource: ResourceDescription
  readonly address: Address
  readonly list: List
  /** The keys of the records of the other side. */
  readonly others: ReadonlySet<string | undefined> | undefined
  readonly onSort: (name: string, add: boolean) => void
  readonly onClose?: () => void
}

function Side ({ profile, description, resource, address, list, others, onSort, onClose }: SideProps) {
  const columns = useMemo(() => columnsOf(resource, address.params, list.items), [resource, address.params, list.items])
  const isOnlyHere = (row: Row): boolean => others !== undefined && !others.has(keyOf(resource, row))
  const only = list.items.filter(isOnlyHere).length
  return (
    <section class='beside-side' aria-label={`As ${profile.name}`}>
      <header class='beside-head'>
        <Icon name='person' />
        <h2>{profile.name}</h2>
        <span class='quiet'>
          {list.error
            ? `refused with ${list.error.status}`
            : `${list.page?.total_is_minimum === true ? 'more than ' : ''}${
              countText(list.page?.total ?? list.items.length)
            } records, ${columns.length} columns` +
              (only > 0 ? `, ${only} only here` : '')}
        </span>
        {onClose && (
          <button type='button' class='button button-bare' aria-label='Close the second list' onClick={onClose}>
            <Icon name='close' />
          </button>
        )}
      </header>
      {list.error
        ? <ErrorNotice error={list.error} />
        : description && (
          <ApiContext.Provider value={{ description, profile }}>
            <Grid
              resource={resource}
              columns={columns}
              rows={list.items}
              sorts={sortsOf(address.params)}
              busy={list.busy}
              label={`${resource.title} as ${profile.name}`}
              total={list.page?.total_is_minimum === true ? undefined : list.page?.total ?? undefined}
              open={address.own.open}
              marked={isOnlyHere}
              onOpen={(open) => change({ own: { ...address.own, open } })}
              onSort={onSort}
              onFilter={() => {}}
              onEnd={undefined}
            />
          </ApiContext.Provider>
        )}
    </section>
  )
}
